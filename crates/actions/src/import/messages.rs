//! Messages, who has received them, and the emoji on them.

use std::borrow::Cow;

use spindle_domain::limits::MAX_TOPIC_LENGTH;
use spindle_domain::text::{cut_topic, is_longer_than};
use spindle_domain::{ChannelId, ConversationId, MessageId, UserId};
use spindle_store::import::{self, ImportedMessage, ImportedReaction, ImportedReceipt};
use spindle_store::messages::{NewMessage, flag, property};

use super::row::{ImportError, Row, is_id};
use super::{Import, LOST_ROWS, REALM, Recipient};
use crate::messages::tidy_history;
use crate::text::fold;

/// Flags that mean something here.
const FLAGS: i64 = flag::READ
    | flag::STARRED
    | flag::COLLAPSED
    | flag::ANY_MENTION
    | flag::HAS_ALERT_WORD
    | flag::HISTORICAL;
/// The table of receipts.
const RECEIPTS: &str = "zerver_usermessage";
const LOST_RECEIPTS: &str = "receipts of messages that are not here, or there twice, were left out";
/// Receipts that are sorted and stored together: 12 MiB of them.
const RECEIPTS_AT_ONCE: usize = 1 << 19;
/// Characters of a message. Other servers allow more than this one does.
const LONGEST_MESSAGE: usize = 100_000;
/// Characters of the code or the name of an emoji.
const LONGEST_EMOJI: usize = 100;
const TYPES: [&str; 3] = ["unicode_emoji", "realm_emoji", "zulip_extra_emoji"];

/// A row of `zerver_usermessage`: an account has received a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiptRow {
    /// Who, if the row says it.
    pub user_id: Option<UserId>,
    pub message_id: MessageId,
    /// Bits of the flags.
    pub flags: i64,
}

/// Receipts on their way.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    /// Messages that are not stored yet.
    waiting: Vec<ImportedReceipt>,
    /// How many were handed to the database.
    stored: u64,
    /// The message that was looked up last, and what it is.
    last: Option<(MessageId, Option<bool>)>,
}

impl Import<'_> {
    /// A message. One whose sender or receivers are not known is left out.
    pub(super) fn message(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&[
            "realm",
            "rendered_content_version",
            "search_tsvector",
            "is_channel_message",
        ]);
        let (id, sender): (MessageId, UserId) = (row.id("id")?, row.id("sender")?);
        let recipient = row.id("recipient")?;
        let content = row.text_or_empty("content")?;
        let archived = row.text("rendered_content")?;
        let subject = row.text_or_empty("subject")?;
        let date_sent = row.time("date_sent")?;
        let mut properties = properties(row, content)?;
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
        let tidied = match history {
            Some(history) => tidy_history(history, |content| {
                let content = self.relocation.text(content).into_owned();
                let rendered = self.render_message(sender_id, &content, None)?;
                Ok::<_, ImportError>(rendered.html)
            })?,
            None => None,
        };
        if history.is_some() && tidied.is_none() {
            self.note("histories of messages that are not known here were left out");
        }
        let content = self.cut("messages", content, LONGEST_MESSAGE);
        let content = self.relocation.text(content).into_owned();
        let archived = archived.map(|html| self.relocation.text(html).into_owned());
        let rendered = self.render_message(sender_id, &content, archived.as_deref())?;
        properties |= found(&rendered);
        let subject = self.topic(subject);
        let topic = if channel_id.is_some() { &*subject } else { "" };
        let new = ImportedMessage {
            id,
            message: NewMessage {
                realm_id: REALM,
                sender_id,
                conversation_id,
                channel_id,
                topic,
                topic_folded: &fold(topic),
                content: &content,
                rendered_content: &rendered.html,
                date_sent: date_sent.unwrap_or_default(),
                client: self.client_name(client),
                properties,
                buttons: None,
            },
            last_edit_time: tidied.as_ref().map_or(edited, |tidied| tidied.edited),
            last_moved_time: tidied.as_ref().and_then(|tidied| tidied.moved),
            edit_history: tidied.as_ref().map(|tidied| tidied.text.as_str()),
        };
        Ok(import::insert_message(&self.tx, &new)?)
    }

    /// A topic as messages have it.
    pub(super) fn topic<'t>(&mut self, topic: &'t str) -> Cow<'t, str> {
        if !is_longer_than(topic, MAX_TOPIC_LENGTH) {
            return Cow::Borrowed(topic);
        }
        self.note(format!(
            "topics of more than {MAX_TOPIC_LENGTH} characters were cut"
        ));
        Cow::Owned(cut_topic(topic))
    }

    /// Conversation and channel of a message.
    fn place(
        &mut self,
        sender: UserId,
        recipient: i64,
    ) -> Result<Option<(ConversationId, Option<ChannelId>)>, ImportError> {
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
        let receipt = ReceiptRow {
            user_id: row.reference("user_profile")?,
            message_id: row.id("message")?,
            flags: row.integer("flags_mask")?.unwrap_or_default(),
        };
        self.take_receipt(&receipt)
    }

    /// Takes rows of `zerver_usermessage`, of which there are more than of everything else together.
    /// It is the same as [`Import::row`] for each of them, but faster.
    ///
    /// # Errors
    /// As [`Import::row`].
    pub fn receipts(&mut self, rows: &[ReceiptRow]) -> Result<(), ImportError> {
        for row in rows {
            let user_id = row.user_id.map(UserId::get);
            let mut ids = user_id.into_iter().chain([row.message_id.get()]);
            if !ids.all(is_id) {
                let error = ImportError::text("a column is not an id");
                return Err(error.at(RECEIPTS, None));
            }
            self.take_receipt(row)
                .map_err(|error| error.at(RECEIPTS, None))?;
        }
        if !rows.is_empty() {
            *self.outcome.rows.entry(RECEIPTS.to_owned()).or_default() += rows.len() as u64;
        }
        Ok(())
    }

    fn take_receipt(&mut self, row: &ReceiptRow) -> Result<(), ImportError> {
        // Bots of the server read nothing.
        if row
            .user_id
            .is_some_and(|id| self.system_bots.contains_key(&id))
        {
            return Ok(());
        }
        let Some(user_id) = self.known(row.user_id) else {
            self.note(LOST_ROWS);
            return Ok(());
        };
        // Receipts of the same message mostly follow each other.
        let is_direct = match self.receipts.last {
            Some((message_id, is_direct)) if message_id == row.message_id => is_direct,
            _ => {
                let is_direct = import::is_direct(&self.tx, row.message_id)?;
                self.receipts.last = Some((row.message_id, is_direct));
                is_direct
            }
        };
        let Some(is_direct) = is_direct else {
            self.note(LOST_RECEIPTS);
            return Ok(());
        };
        let private = if is_direct { flag::IS_PRIVATE } else { 0 };
        self.receipts.waiting.push(ImportedReceipt {
            user_id,
            message_id: row.message_id,
            flags: (row.flags & FLAGS) | private,
        });
        if self.receipts.waiting.len() >= RECEIPTS_AT_ONCE {
            self.store_receipts()?;
        }
        Ok(())
    }

    /// Stores the receipts that wait, those of each person together.
    fn store_receipts(&mut self) -> Result<(), ImportError> {
        let waiting = &mut self.receipts.waiting;
        // Stable: of two of the same the first one counts.
        waiting.sort_by_key(|receipt| (receipt.user_id, receipt.message_id));
        import::insert_receipts(&self.tx, waiting)?;
        self.receipts.stored += waiting.len() as u64;
        waiting.clear();
        Ok(())
    }

    pub(super) fn end_of_receipts(&mut self) -> Result<(), ImportError> {
        self.store_receipts()?;
        self.receipts.waiting = Vec::new();
        let there = u64::try_from(import::count_receipts(&self.tx)?).unwrap_or_default();
        let twice = self.receipts.stored.saturating_sub(there);
        if twice > 0 {
            *self
                .outcome
                .notes
                .entry(LOST_RECEIPTS.to_owned())
                .or_default() += twice;
        }
        Ok(())
    }

    pub(super) fn reaction(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let reaction_type = row.required("reaction_type")?;
        let message_id = row.id("message")?;
        let emoji_code = row.required("emoji_code")?;
        let emoji_name = row.required("emoji_name")?;
        let Some(user_id) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        let new = ImportedReaction {
            message_id,
            user_id,
            reaction_type,
            emoji_code,
            emoji_name,
        };
        if !is_emoji(reaction_type, emoji_code, emoji_name)
            || !import::insert_reaction(&self.tx, &new)?
        {
            self.note("reactions to messages that are not here, or there twice, were left out");
        }
        Ok(())
    }
}

/// Whether these can be the type, code and name of an emoji.
pub(super) fn is_emoji(kind: &str, code: &str, name: &str) -> bool {
    let is_short = |text: &str| !is_longer_than(text, LONGEST_EMOJI);
    TYPES.contains(&kind) && is_short(code) && is_short(name)
}

/// The properties that rendering has found.
fn found(rendered: &spindle_markup::Rendered) -> i64 {
    [
        (rendered.has_link, property::HAS_LINK),
        (rendered.has_image, property::HAS_IMAGE),
        (!rendered.attachments.is_empty(), property::HAS_ATTACHMENT),
    ]
    .into_iter()
    .fold(0, |all, (is_so, bit)| if is_so { all | bit } else { all })
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
