//! Messages, who has received them, and the emoji on them.

use spindle_store::import::{self, ImportedMessage, ImportedReaction};
use spindle_store::messages::{flag, property};

use super::row::{ImportError, Row};
use super::{Import, REALM, Recipient};
use crate::messages::tidy_history;
use crate::text::fold;

/// Flags that mean something here.
const FLAGS: i64 = flag::READ
    | flag::STARRED
    | flag::COLLAPSED
    | flag::ANY_MENTION
    | flag::HAS_ALERT_WORD
    | flag::HISTORICAL;
const TYPES: [&str; 3] = ["unicode_emoji", "realm_emoji", "zulip_extra_emoji"];

impl Import<'_> {
    /// A message. One whose sender or receivers are not known is left out.
    pub(super) fn message(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&[
            "realm",
            "rendered_content_version",
            "search_tsvector",
            "is_channel_message",
        ]);
        let (id, sender) = (row.id("id")?, row.id("sender")?);
        let recipient = row.id("recipient")?;
        let content = row.text_or_empty("content")?;
        let rendered = row.text("rendered_content")?;
        let subject = row.text_or_empty("subject")?;
        let date_sent = row.time("date_sent")?;
        let properties = properties(row, content)?;
        let client = row.reference("sending_client")?;
        let edited = row.time("last_edit_time")?;
        let history = row.text("edit_history")?;
        let place = match self.known_or_system(sender) {
            Some(sender) => self.place(sender, recipient)?.map(|place| (sender, place)),
            None => None,
        };
        let Some((sender_id, (conversation_id, channel_id))) = place else {
            self.note("messages from or to somebody who is not in the archive were left out");
            return Ok(());
        };
        let history = history.filter(|history| !history.is_empty());
        let tidied = history.and_then(tidy_history);
        if history.is_some() && tidied.is_none() {
            self.note("histories of messages that are not known here were left out");
        }
        let rendered = self.html(rendered, content);
        let content = self.relocation.text(content);
        let topic = if channel_id.is_some() { subject } else { "" };
        let new = ImportedMessage {
            id,
            realm_id: REALM,
            sender_id,
            conversation_id,
            channel_id,
            topic,
            topic_folded: &fold(topic),
            content: &content,
            rendered_content: &rendered,
            date_sent: date_sent.unwrap_or_default(),
            client: self.client_name(client),
            last_edit_time: tidied.as_ref().map_or(edited, |tidied| tidied.edited),
            last_moved_time: tidied.as_ref().and_then(|tidied| tidied.moved),
            edit_history: tidied.as_ref().map(|tidied| tidied.text.as_str()),
            properties,
        };
        Ok(import::insert_message(&self.tx, &new)?)
    }

    /// Conversation and channel of a message.
    fn place(
        &mut self,
        sender: i64,
        recipient: i64,
    ) -> Result<Option<(i64, Option<i64>)>, ImportError> {
        if let Some(Recipient::Channel(channel)) = self.recipients.get(&recipient) {
            let found = self.channels.get(channel);
            return Ok(found.map(|(conversation, _)| (*conversation, Some(*channel))));
        }
        match self.people_of(sender, recipient) {
            Some(people) => Ok(Some((self.direct(&people)?, None))),
            None => Ok(None),
        }
    }

    pub(super) fn receipt(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let message = row.id("message")?;
        let flags = row.integer("flags_mask")?.unwrap_or_default() & FLAGS;
        let Some(user) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        if !import::insert_receipt(&self.tx, user, message, flags)? {
            self.note("receipts of messages that are not here, or there twice, were left out");
        }
        Ok(())
    }

    pub(super) fn reaction(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let reaction_type = row.required("reaction_type")?;
        let new = ImportedReaction {
            message_id: row.id("message")?,
            user_id: 0,
            reaction_type,
            emoji_code: row.required("emoji_code")?,
            emoji_name: row.required("emoji_name")?,
        };
        let Some(user_id) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        let new = ImportedReaction { user_id, ..new };
        if !TYPES.contains(&reaction_type) || !import::insert_reaction(&self.tx, &new)? {
            self.note("reactions to messages that are not here, or there twice, were left out");
        }
        Ok(())
    }
}

fn properties(row: &Row<'_>, content: &str) -> Result<i64, ImportError> {
    let mut properties = 0;
    for (column, bit) in [
        ("has_link", property::HAS_LINK),
        ("has_image", property::HAS_IMAGE),
        ("has_attachment", property::HAS_ATTACHMENT),
    ] {
        if row.flag(column)? == Some(true) {
            properties |= bit;
        }
    }
    if content.starts_with("/me ") {
        properties |= property::IS_ME_MESSAGE;
    }
    Ok(properties)
}
