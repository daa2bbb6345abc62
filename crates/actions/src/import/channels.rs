//! Channels, their folders, and to whom messages are addressed.

use std::collections::BTreeSet;

use spindle_domain::limits::{
    MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH, MAX_CHANNEL_FOLDER_NAME_LENGTH,
    MAX_STREAM_DESCRIPTION_LENGTH, MAX_STREAM_NAME_LENGTH,
};
use spindle_domain::permission::CHANNEL;
use spindle_domain::{ChannelFolderId, ChannelId, ConversationId, UserId};
use spindle_store::channels::{self, NewChannel};
use spindle_store::import::{self, ImportedFolder, ImportedSubscription};
use spindle_store::{conversations, default_channels};

use super::groups::Owner;
use super::rendering::Described;
use super::row::{ImportError, Row};
use super::{Import, REALM, Recipient};
use crate::text::fold_name;

/// Columns of a channel that say nothing of use here: what follows from its messages, and what
/// lets mail in.
const PASSED_OVER: &[&str] = &[
    "email_token",
    "first_message_id",
    "is_in_zephyr_realm",
    "is_recently_active",
    "realm",
    "recipient",
    "stream_post_policy",
    "subscriber_count",
];
const COLORLESS: &str = "#c2c2c2";
const TOPICS_POLICIES: &[&str] = &[
    "inherit",
    "allow_empty_topic",
    "disable_empty_topic",
    "empty_topic_only",
];

impl Import<'_> {
    pub(super) fn folder(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["realm"]);
        row.pass_over(&["rendered_description"]);
        let (id, name) = (row.id("id")?, row.required("name")?);
        let name = self.cut("names of folders", name, MAX_CHANNEL_FOLDER_NAME_LENGTH);
        let name = &*self.unique("folders", name, fold_name);
        let description = row.text_or_empty("description")?;
        let limit = MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH;
        let description = self.cut("descriptions of folders", description, limit);
        let rendered = self.describe(Described::Folder(ChannelFolderId(id)), description)?;
        self.keep(0)?;
        let folder = ImportedFolder {
            id,
            realm_id: REALM,
            name,
            name_folded: &fold_name(name),
            description,
            rendered_description: &rendered,
            position: row.integer("order")?.unwrap_or(id),
            date_created: row.time("date_created")?,
            creator_id: self.known(row.reference("creator")?),
            is_archived: row.flag("is_archived")?.unwrap_or(false),
        };
        import::insert_folder(&self.tx, &folder)?;
        self.folders.insert(id);
        Ok(())
    }

    pub(super) fn channel(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(PASSED_OVER);
        let (id, name) = (row.id::<ChannelId>("id")?, row.required("name")?.trim());
        if name.is_empty() {
            return Err(ImportError::text("the channel has no name"));
        }
        row.pass_over(&["rendered_description"]);
        let name = self
            .cut("names of channels", name, MAX_STREAM_NAME_LENGTH)
            .trim_end();
        let name = &*self.unique("channels", name, fold_name);
        let description = row.text_or_empty("description")?;
        let limit = MAX_STREAM_DESCRIPTION_LENGTH;
        let description = self.cut("descriptions of channels", description, limit);
        let rendered = self.describe(Described::Channel(id), description)?;
        // With its permissions.
        self.keep(2 * name.len() + 1024)?;
        let conversation_id = conversations::insert_channel(&self.tx, REALM)?;
        let creator_id = self.known(row.reference("creator")?);
        let folder = row.reference("folder")?;
        let retention = row.integer("message_retention_days")?;
        let policy = row.text("topics_policy")?;
        let lost = [
            (
                folder.is_some_and(|folder| !self.folders.contains(&folder)),
                "folder",
            ),
            (
                retention.is_some_and(|days| !is_retention(days)),
                "retention",
            ),
            (
                policy.is_some_and(|policy| !TOPICS_POLICIES.contains(&policy)),
                "policy of topics",
            ),
        ];
        for (_, what) in lost.into_iter().filter(|(is_lost, _)| *is_lost) {
            self.note(format!("channels lost a {what} that is not possible here"));
        }
        let channel = NewChannel {
            id: Some(id),
            realm_id: REALM,
            conversation_id,
            name,
            name_folded: &fold_name(name),
            description,
            rendered_description: &rendered,
            date_created: row.time("date_created")?.unwrap_or(self.now),
            creator_id,
            invite_only: row.flag("invite_only")?.unwrap_or(false),
            history_public_to_subscribers: row
                .flag("history_public_to_subscribers")?
                .unwrap_or(true),
            is_web_public: row.flag("is_web_public")?.unwrap_or(false),
            is_archived: row.flag("deactivated")?.unwrap_or(false),
            message_retention_days: retention.filter(|days| is_retention(*days)),
            topics_policy: policy
                .filter(|policy| TOPICS_POLICIES.contains(policy))
                .unwrap_or("inherit"),
            folder_id: folder
                .filter(|folder| self.folders.contains(folder))
                .map(ChannelFolderId),
        };
        channels::insert(&self.tx, &channel)?;
        self.channels.insert(id, (conversation_id, name.to_owned()));
        self.groups
            .owner(Owner::channel(id, creator_id), CHANNEL, row)
    }

    /// The channel or people that a recipient refers to, which may come later in the archive.
    pub(super) fn recipient(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let (id, about): (i64, i64) = (row.id("id")?, row.id("type_id")?);
        let recipient = match row.integer("type")? {
            Some(1) => Recipient::User(about.into()),
            Some(2) => Recipient::Channel(about.into()),
            Some(3) => Recipient::Group,
            _ => return Err(ImportError::text("there is no such type of recipient")),
        };
        self.keep(0)?;
        self.recipients.insert(id, recipient);
        Ok(())
    }

    pub(super) fn subscription(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "is_user_active"]);
        let recipient_id = row.id("recipient")?;
        let recipient = self.recipients.get(&recipient_id).copied();
        let user_id = row.id("user_profile")?;
        let active = row.flag("active")?.unwrap_or(true);
        let archived = row.text("color")?;
        let color = archived.filter(|it| is_color(it));
        let is_muted = row.flag("is_muted")?.unwrap_or(false);
        let pin_to_top = row.flag("pin_to_top")?.unwrap_or(false);
        let notifications = [
            row.flag("desktop_notifications")?,
            row.flag("email_notifications")?,
            row.flag("push_notifications")?,
            row.flag("audible_notifications")?,
            row.flag("wildcard_mentions_notify")?,
        ];
        match recipient {
            Some(Recipient::Channel(channel_id)) => {
                if self.owner_of(row, "user_profile")?.is_none() {
                    return Ok(());
                }
                if !self.channels.contains_key(&channel_id) {
                    self.note(
                        "subscriptions to channels that are not in the archive were left out",
                    );
                    return Ok(());
                }
                if archived.is_some() && color.is_none() {
                    self.note("colors of channels that are none were left out");
                }
                let new = ImportedSubscription {
                    user_id,
                    channel_id,
                    active,
                    color: color.unwrap_or(COLORLESS),
                    is_muted,
                    pin_to_top,
                    notifications,
                };
                import::insert_subscription(&self.tx, &new)?;
            }
            Some(Recipient::Group) => {
                if let Some(user) = self.known_or_system(user_id) {
                    self.keep(0)?;
                    self.members.entry(recipient_id).or_default().insert(user);
                }
            }
            // Every user has one of their own.
            Some(Recipient::User(_)) => {}
            None => {
                self.note("subscriptions to recipients that are not in the archive were left out")
            }
        }
        Ok(())
    }

    pub(super) fn default_channel(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm"]);
        let id = row.id("stream")?;
        if !self.channels.contains_key(&id) {
            self.note("default channels that are not in the archive were left out");
            return Ok(());
        }
        default_channels::add(&self.tx, id)?;
        Ok(())
    }

    /// The conversation of these people.
    pub(super) fn direct(
        &mut self,
        people: &BTreeSet<UserId>,
    ) -> Result<ConversationId, ImportError> {
        let key = people
            .iter()
            .map(UserId::to_string)
            .collect::<Vec<_>>()
            .join(",");
        if let Some(id) = self.direct.get(&key) {
            return Ok(*id);
        }
        let id = conversations::insert_direct(&self.tx, REALM, &key)?;
        self.keep(key.len())?;
        self.direct.insert(key, id);
        Ok(id)
    }

    /// All members of the conversation of a direct message from `sender` to this recipient; `None` when one of them is
    /// not known.
    pub(super) fn people_of(&self, sender: UserId, recipient_id: i64) -> Option<BTreeSet<UserId>> {
        match self.recipients.get(&recipient_id)? {
            Recipient::User(user) => {
                let user = self.known_or_system(*user)?;
                Some([sender, user].into_iter().collect())
            }
            Recipient::Group => {
                let members = self.members.get(&recipient_id)?;
                members.contains(&sender).then(|| members.clone())
            }
            Recipient::Channel(_) => None,
        }
    }
}

/// `#` and six hexadecimal digits.
fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Days, or -1 for ever.
const fn is_retention(days: i64) -> bool {
    days == -1 || days > 0
}
