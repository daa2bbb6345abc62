//! The properties of a channel that are plain values, each with its own rule.

use serde_json::json;
use spindle_domain::policy::{may_set_default_channel, may_set_retention, may_set_topics_policy};
use spindle_domain::{ChannelFolderId, permission};
use spindle_events::Record;
use spindle_store::{DbError, channel_changes, default_channels};

use super::Update;
use crate::ActionError;
use crate::channels::Retention;
use crate::channels::creation::check_folder;
use crate::text::fold_name;

impl Update<'_, '_> {
    pub(super) fn set_default(&mut self, is_default: Option<bool>) -> Result<(), ActionError> {
        let Some(is_default) = is_default else {
            return Ok(());
        };
        may_set_default_channel(self.actor.role).check()?;
        if is_default == self.before.is_default {
            return Ok(());
        }
        if is_default {
            default_channels::add(self.tx, self.row.id)?;
        } else {
            default_channels::remove(self.tx, self.row.id)?;
        }
        self.defaults_changed = true;
        Ok(())
    }

    pub(super) fn set_retention(&mut self, days: Option<Retention>) -> Result<(), ActionError> {
        let Some(days) = days.map(Retention::stored) else {
            return Ok(());
        };
        may_set_retention(self.actor.role).check()?;
        if days != self.before.message_retention_days {
            channel_changes::set_retention(self.tx, self.row.id, days)?;
            self.note("message_retention_days", days);
        }
        Ok(())
    }

    pub(super) fn set_topics_policy(
        &mut self,
        policy: Option<&'static str>,
    ) -> Result<(), ActionError> {
        let Some(policy) = policy.filter(|policy| *policy != self.before.topics_policy) else {
            return Ok(());
        };
        may_set_topics_policy(self.holds_realm(permission!(REALM, "can_set_topics_policy_group")))
            .check()?;
        if policy == "empty_topic_only" && channel_changes::has_topics(self.tx, self.row.id)? {
            return Err(ActionError::bad_request(
                "Messages of this channel have topics, so it cannot do without them",
            ));
        }
        channel_changes::set_topics_policy(self.tx, self.row.id, policy)?;
        self.note("topics_policy", policy);
        Ok(())
    }

    pub(super) fn set_folder(
        &mut self,
        folder: Option<Option<ChannelFolderId>>,
    ) -> Result<(), ActionError> {
        let Some(folder_id) = folder.filter(|folder| *folder != self.before.folder_id) else {
            return Ok(());
        };
        if let Some(folder_id) = folder_id {
            check_folder(self.tx, self.actor.realm_id, folder_id)?;
        }
        channel_changes::set_folder(self.tx, self.row.id, folder_id)?;
        self.note("folder_id", folder_id.map(ChannelFolderId::get));
        Ok(())
    }

    /// `description`: Markdown and HTML.
    pub(super) fn describe(
        &mut self,
        description: Option<(String, String)>,
    ) -> Result<(), ActionError> {
        let Some((markdown, html)) =
            description.filter(|(markdown, _)| *markdown != self.before.description)
        else {
            return Ok(());
        };
        channel_changes::describe(self.tx, self.row.id, &markdown, &html)?;
        let extra = Record::from_iter([("rendered_description".to_owned(), json!(html))]);
        self.note_with("description", markdown, extra);
        Ok(())
    }

    /// The last of all changes, so that every event calls the channel by the name that clients
    /// know.
    pub(super) fn rename(&mut self, name: Option<String>) -> Result<(), ActionError> {
        let Some(name) = name.filter(|name| *name != self.before.name) else {
            return Ok(());
        };
        channel_changes::rename(self.tx, self.row.id, &name, &fold_name(&name)).map_err(
            |error| match error {
                DbError::NotUnique(_) => {
                    ActionError::bad_request("A channel with this name already exists")
                }
                other => other.into(),
            },
        )?;
        self.note("name", name);
        Ok(())
    }
}
