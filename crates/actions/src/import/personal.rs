//! Objects of single users, and the settings and storage of bots.

use spindle_domain::{ChannelId, UserId, VisibilityPolicy};
use spindle_store::bot_storage;
use spindle_store::import::{self, ImportedPresence, ImportedStatus};
use spindle_store::navigation_views::{self, NavigationViewRow};
use spindle_store::scheduled_messages::{self, ScheduledRow};
use spindle_store::user_topics::{self, TopicPolicy};
use spindle_store::{alert_words, bots, id_list, muted_users, saved_snippets};

use super::row::{ImportError, Row};
use super::{Import, REALM, Recipient};
use crate::text::fold;
use crate::users::bots::service::{embedded_service, outgoing_service};

impl Import<'_> {
    pub(super) fn user_topic(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "recipient"]);
        let channel_id: ChannelId = row.id("stream")?;
        let topic = row.text_or_empty("topic_name")?;
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
            topic,
            topic_folded: &fold(topic),
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
        if let (Some(user), Some(muted)) = (user, muted)
            && user != muted
        {
            muted_users::insert(&self.tx, user, muted, time)?;
        }
        Ok(())
    }

    pub(super) fn alert_word(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm"]);
        let word = row.required("word")?;
        if let Some(user) = self.owner_of(row, "user_profile")? {
            let words = serde_json::json!([[word.to_lowercase(), word]]).to_string();
            alert_words::insert(&self.tx, user, &words)?;
        }
        Ok(())
    }

    pub(super) fn status(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "client", "status"]);
        let emoji_name = row.text_or_empty("emoji_name")?;
        let reaction_type = row
            .text("reaction_type")?
            .filter(|_| !emoji_name.is_empty());
        let status_text = row.text_or_empty("status_text")?;
        let emoji_code = row.text_or_empty("emoji_code")?;
        let updated = row.time("timestamp")?.unwrap_or_default();
        if let Some(user_id) = self.owner_of(row, "user_profile")? {
            let status = ImportedStatus {
                user_id,
                status_text,
                emoji_name,
                emoji_code,
                reaction_type: reaction_type.unwrap_or("unicode_emoji"),
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
        if let Some(user) = self.owner_of(row, "user_profile")? {
            saved_snippets::insert(&self.tx, user, title, content, created)?;
        }
        Ok(())
    }

    pub(super) fn view(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id"]);
        let view = NavigationViewRow {
            fragment: row.required("fragment")?.to_owned(),
            is_pinned: row.flag("is_pinned")?.unwrap_or(false),
            name: row.text("name")?.map(str::to_owned),
        };
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
        let rendered = row.text("rendered_content")?;
        let subject = row.text_or_empty("subject")?;
        let (stream, recipient) = (row.reference("stream")?, row.reference("recipient")?);
        let deliver_at = row.time("scheduled_timestamp")?.unwrap_or_default();
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
        if is_delivered || is_reminder || (channel.is_none() && recipients.is_none()) {
            self.note("scheduled messages that cannot be sent here were left out");
            return Ok(());
        }
        let message = ScheduledRow {
            channel_id: channel,
            recipients,
            topic: channel.map_or_else(String::new, |_| subject.to_owned()),
            rendered_content: self.html(rendered, content),
            content: self.relocation.text(content).into_owned(),
            deliver_at,
            read_by_sender,
            client: self.client_name(client).to_owned(),
            // Links to the old address are links to somewhere else.
            realm_url: String::new(),
            failed: false,
        };
        let id = scheduled_messages::insert(&self.tx, REALM, sender, &message)?.id;
        if failed {
            let failure = failure.unwrap_or("The message could not be sent");
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

    /// What a bot talks to. Its token is made anew.
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
