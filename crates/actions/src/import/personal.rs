//! Objects of single users, and the settings and storage of bots.

use spindle_domain::limits::quotas::Quota;
use spindle_domain::limits::{
    MAX_ALERT_WORD_LENGTH, MAX_MESSAGE_LENGTH, MAX_SAVED_SNIPPET_CONTENT_LENGTH,
    MAX_SAVED_SNIPPET_TITLE_LENGTH, MAX_STATUS_TEXT_LENGTH,
};
use spindle_domain::text::{first_chars, is_longer_than};
use spindle_domain::{ChannelId, UserId, VisibilityPolicy};
use spindle_store::bot_storage;
use spindle_store::import::{self, ImportedPresence, ImportedStatus};
use spindle_store::navigation_views::{self, NavigationViewRow};
use spindle_store::scheduled_messages::{self, ScheduledRow};
use spindle_store::user_topics::{self, TopicPolicy};
use spindle_store::{alert_words, bots, id_list, muted_users, saved_snippets};

use super::messages::is_emoji;
use super::row::{ImportError, Row};
use super::{Import, REALM, Recipient};
use crate::personal::check_view;
use crate::text::fold;
use crate::users::bots::service::{embedded_service, outgoing_service};

/// Length of the stored reason why a scheduled message failed.
const LONGEST_FAILURE: usize = 500;

impl Import<'_> {
    pub(super) fn user_topic(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "recipient"]);
        let channel_id: ChannelId = row.id("stream")?;
        let topic = self.topic(row.text_or_empty("topic_name")?);
        let updated = row.time("last_updated")?.unwrap_or_default();
        let policy = row.integer("visibility_policy")?.unwrap_or_default();
        let Some(user) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        let kept = VisibilityPolicy::from_i64(policy)
            .filter(|policy| *policy != VisibilityPolicy::Inherit);
        let Some(kept) = kept.filter(|_| self.channels.contains_key(&channel_id)) else {
            if policy != 0 {
                self.note("policies of topics that are not here were left out");
            }
            return Ok(());
        };
        let policy = TopicPolicy {
            channel_id,
            topic: &topic,
            topic_folded: &fold(&topic),
            policy: kept,
        };
        Ok(user_topics::set(
            &self.tx,
            &id_list([user]),
            &policy,
            updated,
        )?)
    }

    pub(super) fn muted_user(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let time = row.time("date_muted")?.unwrap_or_default();
        let muted = self.owner_of(row, "muted_user")?;
        let user = self.owner_of(row, "user_profile")?;
        match (user, muted) {
            (Some(user), Some(muted)) if user == muted => {
                self.note("mutings of oneself were left out");
            }
            (Some(user), Some(muted)) => {
                muted_users::insert(&self.tx, user, muted, time)?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn alert_word(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm"]);
        let word = row.required("word")?.trim();
        let Some(user) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        if word.is_empty() || is_longer_than(word, MAX_ALERT_WORD_LENGTH) {
            self.note("alert words that are blank or too long were left out");
            return Ok(());
        }
        let limit = Quota::AlertWords.limit();
        let count = self.alert_words.get(&user).map_or(0, Vec::len);
        if i64::try_from(count).map_or(true, |count| count >= limit) {
            self.note(format!(
                "alert words beyond the first {limit} of an account were left out"
            ));
            return Ok(());
        }
        self.keep(word.len())?;
        self.alert_words
            .entry(user)
            .or_default()
            .push(word.to_owned());
        Ok(())
    }

    /// Stores the words of each account with one statement.
    pub(super) fn end_of_alert_words(&mut self) -> Result<(), ImportError> {
        for (user, words) in std::mem::take(&mut self.alert_words) {
            let words: Vec<_> = words
                .iter()
                .map(|word| (word.to_lowercase(), word))
                .collect();
            alert_words::insert(&self.tx, user, &serde_json::json!(words).to_string())?;
        }
        Ok(())
    }

    pub(super) fn status(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "client", "status"]);
        let emoji_name = row.text_or_empty("emoji_name")?;
        let reaction_type = row.text("reaction_type")?.unwrap_or("unicode_emoji");
        let status_text = row.text_or_empty("status_text")?.trim();
        let status_text = self.cut("statuses", status_text, MAX_STATUS_TEXT_LENGTH);
        let emoji_code = row.text_or_empty("emoji_code")?;
        let emoji = [reaction_type, emoji_code, emoji_name];
        let [reaction_type, emoji_code, emoji_name] = match emoji_name {
            "" => ["unicode_emoji", "", ""],
            name if is_emoji(reaction_type, emoji_code, name) => emoji,
            _ => {
                self.note("emoji of statuses that are none were left out");
                ["unicode_emoji", "", ""]
            }
        };
        let updated = row.time("timestamp")?.unwrap_or_default();
        if let Some(user_id) = self.owner_of(row, "user_profile")? {
            let status = ImportedStatus {
                user_id,
                status_text,
                emoji_name,
                emoji_code,
                reaction_type,
                updated,
            };
            import::insert_status(&self.tx, &status)?;
        }
        Ok(())
    }

    pub(super) fn presence(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm", "last_update_id"]);
        let idle = row.time("last_connected_time")?.unwrap_or_default();
        let active = row.time("last_active_time")?.unwrap_or_default();
        if let Some(user_id) = self.owner_of(row, "user_profile")? {
            let presence = ImportedPresence {
                user_id,
                active,
                idle,
            };
            import::insert_presence(&self.tx, &presence)?;
        }
        Ok(())
    }

    pub(super) fn snippet(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm"]);
        let (title, content) = (row.required("title")?, row.text_or_empty("content")?);
        let created = row.time("date_created")?.unwrap_or_default();
        let title = self.cut(
            "titles of snippets",
            title.trim(),
            MAX_SAVED_SNIPPET_TITLE_LENGTH,
        );
        let limit = MAX_SAVED_SNIPPET_CONTENT_LENGTH;
        let content = self.cut("texts of snippets", content.trim(), limit);
        if title.is_empty() || content.is_empty() {
            self.note("snippets without a title or a text were left out");
            return Ok(());
        }
        if let Some(user) = self.owner_of(row, "user_profile")? {
            saved_snippets::insert(&self.tx, user, title, content, created)?;
        }
        Ok(())
    }

    pub(super) fn view(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let view = NavigationViewRow {
            fragment: row.required("fragment")?.trim().to_owned(),
            is_pinned: row.flag("is_pinned")?.unwrap_or(false),
            name: row.text("name")?.map(str::trim).map(str::to_owned),
        };
        if check_view(&view.fragment, view.name.as_deref()).is_err() {
            self.note("navigation views that are not possible here were left out");
            return Ok(());
        }
        if let Some(user) = self.owner_of(row, "user")? {
            navigation_views::insert(&self.tx, user, &view)?;
        }
        Ok(())
    }

    /// A message that is still to be sent.
    pub(super) fn scheduled_message(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&[
            "id",
            "realm",
            "has_attachment",
            "delivered_message",
            "reminder_target_message_id",
        ]);
        row.pass_over(&["reminder_note", "request_timestamp"]);
        let content = row.text_or_empty("content")?;
        let archived = row.text("rendered_content")?;
        let subject = row.text_or_empty("subject")?;
        let (stream, recipient) = (row.reference("stream")?, row.reference("recipient")?);
        // Servers have accepted times after the year 9999.
        let deliver_at = row.time("scheduled_timestamp").ok();
        let read_by_sender = row.flag("read_by_sender")?.unwrap_or(false);
        let client = row.reference("sending_client")?;
        let failed = row.flag("failed")?.unwrap_or(false);
        let failure = row.text("failure_message")?;
        let to = row.references("to")?;
        let is_delivered = row.flag("delivered")? == Some(true);
        let is_reminder = row.integer("delivery_type")?.is_some_and(|kind| kind != 1);
        let Some(sender) = self.owner_of(row, "sender")? else {
            return Ok(());
        };
        let channel = self.channel_of(stream, recipient);
        let recipients = if channel.is_none() {
            self.receivers(sender, recipient, &to)
        } else {
            None
        };
        let is_addressed = channel.is_some() || recipients.is_some();
        let Some(deliver_at) = deliver_at.filter(|_| is_addressed && !is_delivered && !is_reminder)
        else {
            self.note("scheduled messages that cannot be sent here were left out");
            return Ok(());
        };
        let content = self.cut("scheduled messages", content, MAX_MESSAGE_LENGTH);
        let content = self.relocation.text(content).into_owned();
        let archived = archived.map(|html| self.relocation.text(html).into_owned());
        let rendered = self.render_message(sender, &content, archived.as_deref())?;
        let topic = self.topic(subject).into_owned();
        let message = ScheduledRow {
            channel_id: channel,
            recipients,
            topic: channel.map_or_else(String::new, |_| topic),
            rendered_content: rendered.html,
            content,
            deliver_at: deliver_at.unwrap_or_default(),
            read_by_sender,
            client: self.client_name(client).to_owned(),
            // Links to the old address are links to somewhere else.
            realm_url: String::new(),
            failed: false,
        };
        let id = scheduled_messages::insert(&self.tx, REALM, sender, &message)?.id;
        if failed {
            let failure = failure.unwrap_or("The message could not be sent");
            let failure = first_chars(failure, LONGEST_FAILURE);
            scheduled_messages::set_failed(&self.tx, id, failure)?;
        }
        Ok(())
    }

    fn channel_of(&self, stream: Option<ChannelId>, recipient: Option<i64>) -> Option<ChannelId> {
        let recipient = recipient.and_then(|id| self.recipients.get(&id));
        let named = match recipient {
            Some(Recipient::Channel(id)) => Some(*id),
            _ => None,
        };
        stream.or(named).filter(|id| self.channels.contains_key(id))
    }

    /// The others, or the own id alone, as a JSON list.
    fn receivers(&self, sender: UserId, recipient: Option<i64>, to: &[UserId]) -> Option<String> {
        let mut people = if to.is_empty() {
            self.people_of(sender, recipient?)?
        } else {
            to.iter().copied().collect()
        };
        if people.len() > 1 {
            people.remove(&sender);
        }
        let all_known = people
            .iter()
            .all(|id| self.known_or_system(*id) == Some(*id));
        (all_known && !people.is_empty()).then(|| id_list(people))
    }

    /// The service that a bot calls. Its token is generated, not imported.
    pub(super) fn service(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "token"]);
        let name = row.text("name")?;
        let base_url = row.text_or_empty("base_url")?;
        let interface = row.integer("interface")?.unwrap_or(1);
        let Some(bot) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        let services = match self.people.get(&bot).and_then(|bot| bot.bot_type) {
            Some(3) => outgoing_service(base_url, interface),
            Some(4) => {
                embedded_service(name.unwrap_or_default(), &std::collections::BTreeMap::new())
            }
            _ => return Ok(()),
        };
        match services {
            Ok(services) => self.bots.entry(bot).or_default().services = services,
            Err(_) => self.note("services of bots that cannot be called from here were left out"),
        }
        Ok(())
    }

    pub(super) fn end_of_bots(&mut self) -> Result<(), ImportError> {
        for (id, mut bot) in std::mem::take(&mut self.bots) {
            let here = |id: &ChannelId| self.channels.contains_key(id);
            bot.default_sending_channel_id = bot.default_sending_channel_id.filter(here);
            bot.default_events_register_channel_id =
                bot.default_events_register_channel_id.filter(here);
            bots::set(&self.tx, id, &bot)?;
        }
        Ok(())
    }

    pub(super) fn bot_storage(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let (key, value) = (row.required("key")?, row.text_or_empty("value")?);
        if let Some(bot) = self.owner_of(row, "bot_profile")? {
            let entry = serde_json::json!({key: value}).to_string();
            bot_storage::set(&self.tx, bot, &entry)?;
        }
        Ok(())
    }
}
