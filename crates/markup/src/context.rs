//! The context of rendering: resolved names and settings of the organization.
//!
//! Owns the two-phase contract: [`crate::references`] returns the names in a content, the caller looks them
//! up in one query and fills a [`Directory`], and rendering reads only that. Must not fetch anything; the
//! caller omits objects that the sender may not see.
//! (docs/protocol/markdown.md)

use std::collections::HashMap;

use spindle_domain::text::{is_variation_selector, normal_name};

/// A user for mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// `user_id` on the wire.
    pub id: i64,
    /// The current name, which mentions show.
    pub full_name: String,
    /// A deactivated user can only be mentioned silently.
    pub is_active: bool,
}

/// A user group for mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserGroup {
    /// `group_id` on the wire.
    pub id: i64,
    /// The name written in mentions, e.g. `devs` or `role:administrators`.
    pub name: String,
    /// Shown instead of the name; system groups have one, e.g. `Administrators`.
    pub display_name: Option<String>,
    /// A deactivated group can only be mentioned silently.
    pub is_active: bool,
}

/// A custom emoji of the organization that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomEmoji {
    /// The name between colons.
    pub name: String,
    /// Path or URL of the (animated) image.
    pub source_url: String,
}

/// Folds a full name for comparison, because `@**name**` is case-insensitive. Spellings that are
/// stored as one name are the same.
pub fn fold_name(name: &str) -> String {
    let mut folded = normal_name(name).to_lowercase();
    if !folded.is_ascii() {
        folded.retain(|character| !is_variation_selector(character));
    }
    folded
}

/// Folds a topic for comparison.
pub fn fold_topic(topic: &str) -> String {
    topic.to_lowercase()
}

/// The names one content refers to, resolved.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    users: HashMap<i64, User>,
    user_ids_by_name: HashMap<String, i64>,
    groups: HashMap<String, UserGroup>,
    channels: HashMap<String, i64>,
    newest_messages: HashMap<(i64, String), i64>,
    custom_emoji: HashMap<String, String>,
    knows_former_names: bool,
}

impl Directory {
    /// An empty directory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a user. Of several users with the same name, the name refers to an active one.
    pub fn add_user(&mut self, user: User) {
        let name = fold_name(&user.full_name);
        let holder = self.user_ids_by_name.get(&name);
        let is_free = holder
            .and_then(|id| self.users.get(id))
            .is_none_or(|holder| !holder.is_active);
        if is_free {
            self.user_ids_by_name.insert(name, user.id);
        }
        self.users.insert(user.id, user);
    }

    /// Mentions with an id name the user of that id, whatever name they give. Texts of an archive may have former names.
    pub fn accept_former_names(&mut self) {
        self.knows_former_names = true;
    }

    /// Adds a user group, found by its name as stored.
    pub fn add_group(&mut self, group: UserGroup) {
        self.groups.insert(group.name.clone(), group);
    }

    /// Adds a channel, found by its name as stored.
    pub fn add_channel(&mut self, id: i64, name: impl Into<String>) {
        self.channels.insert(name.into(), id);
    }

    /// Adds the newest message of a topic that the sender can access.
    pub fn add_newest_message(&mut self, channel_id: i64, topic: &str, message_id: i64) {
        self.newest_messages
            .insert((channel_id, fold_topic(topic)), message_id);
    }

    /// Adds an active custom emoji.
    pub fn add_custom_emoji(&mut self, emoji: CustomEmoji) {
        self.custom_emoji.insert(emoji.name, emoji.source_url);
    }

    pub(crate) fn user(&self, id: i64) -> Option<&User> {
        self.users.get(&id)
    }

    /// The user that a mention with a name and an id means. Without the name, the id is enough.
    pub(crate) fn user_called(&self, name: &str, id: i64) -> Option<&User> {
        self.user(id)
            .filter(|user| name.is_empty() || name == user.full_name || self.knows_former_names)
    }

    pub(crate) fn user_named(&self, name: &str) -> Option<&User> {
        self.user(*self.user_ids_by_name.get(&fold_name(name))?)
    }

    pub(crate) fn group(&self, name: &str) -> Option<&UserGroup> {
        self.groups.get(&*normal_name(name))
    }

    pub(crate) fn channel(&self, name: &str) -> Option<i64> {
        self.channels.get(&*normal_name(name)).copied()
    }

    pub(crate) fn newest_message(&self, channel_id: i64, topic: &str) -> Option<i64> {
        self.newest_messages
            .get(&(channel_id, fold_topic(topic)))
            .copied()
    }

    pub(crate) fn custom_emoji(&self, name: &str) -> Option<&str> {
        self.custom_emoji.get(name).map(String::as_str)
    }
}

/// The data of an uploaded file that previews need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedFile {
    /// MIME type, detected from the file's content.
    pub content_type: String,
    /// Width and height in pixels; only of files recognised as images.
    pub dimensions: Option<(u32, u32)>,
    /// Whether it has more than one frame.
    pub is_animated: bool,
    /// Whether thumbnails exist already; a placeholder is shown otherwise.
    pub has_thumbnails: bool,
    /// File name of the copy in a format browsers show, for HEIC and TIFF (`800x600.webp`).
    pub transcoded_image: Option<String>,
}

/// Looks up an uploaded file by its path id (`2/ab/RANDOM/name.png`). A function, so that a caller with few
/// rows needs no map.
pub type UploadedFiles<'a> = &'a dyn Fn(&str) -> Option<UploadedFile>;

/// The input of rendering besides the content.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The resolved names; must cover [`crate::references`] of the content.
    pub directory: &'a Directory,
    /// Base URL of the organization without trailing slash, e.g. `https://chat.example.org`.
    pub realm_url: &'a str,
    /// The display name of the empty topic (`realm_empty_topic_display_name`).
    pub empty_topic_display_name: &'a str,
    /// Language of code blocks without one; empty means none.
    pub default_code_block_language: &'a str,
    /// The organization's `inline_image_preview`.
    pub inline_image_preview: bool,
    /// The sender's `translate_emoticons`.
    pub translate_emoticons: bool,
    /// Lookup of uploaded files.
    pub uploaded_files: UploadedFiles<'a>,
    /// The organization's linkifiers in their order.
    #[cfg(feature = "linkifiers")]
    pub linkifiers: &'a [crate::Linkifier],
}

impl<'a> Context<'a> {
    /// A context with the defaults of a new organization, no uploads and no linkifiers.
    pub fn new(directory: &'a Directory, realm_url: &'a str) -> Self {
        Self {
            directory,
            realm_url,
            empty_topic_display_name: "general chat",
            default_code_block_language: "",
            inline_image_preview: true,
            translate_emoticons: false,
            uploaded_files: &|_| None,
            #[cfg(feature = "linkifiers")]
            linkifiers: &[],
        }
    }
}
