//! Finds the names that a content may refer to, before they are looked up.
//!
//! Owns the first of the two phases of rendering. The result may include names that rendering does not use (code
//! is not recognised), but must not omit any. Must stay cheap: contents without `@`, `#` and `:` cost three
//! searches for a byte.

use std::collections::BTreeSet;

use spindle_domain::text::normal_name;

use crate::preprocess;
use crate::syntax::{ChannelLink, Mention, UserTarget};

/// The names to resolve, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Names of users as [`crate::fold_name`] folds them, to be compared folded.
    pub user_names: BTreeSet<String>,
    /// Ids of users.
    pub user_ids: BTreeSet<i64>,
    /// Names of user groups as they are stored.
    pub group_names: BTreeSet<String>,
    /// Names of channels as they are stored.
    pub channel_names: BTreeSet<String>,
    /// Channel name and topic of links that need the newest message; topics compare case-insensitively.
    pub topics: BTreeSet<(String, String)>,
    /// Texts between colons; resolve the custom emoji among them.
    pub emoji_names: BTreeSet<String>,
    /// Path ids of uploads (`2/ab/RANDOM/name.png`), for previews and attachments.
    pub upload_paths: BTreeSet<String>,
}

impl References {
    /// Whether there is nothing to look up.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Collects the names `content` may refer to.
pub fn references(content: &str) -> References {
    let content = preprocess::normalize(content);
    let mut found = References::default();
    collect_mentions(&content, &mut found);
    collect_channels(&content, &mut found);
    collect_emoji(&content, &mut found);
    collect_uploads(&content, &mut found);
    found
}

fn collect_mentions(content: &str, found: &mut References) {
    for (at, _) in content.match_indices('@') {
        let Some(mention) = Mention::read(content.get(at..).unwrap_or_default()) else {
            continue;
        };
        if mention.is_group {
            found
                .group_names
                .insert(normal_name(mention.name).into_owned());
            continue;
        }
        match mention.user_target() {
            UserTarget::Channel(_) | UserTarget::Topic => {}
            UserTarget::Name(name) => {
                found.user_names.insert(crate::fold_name(name));
            }
            UserTarget::Id { id, .. } => {
                found.user_ids.insert(id);
            }
        }
    }
}

fn collect_channels(content: &str, found: &mut References) {
    for (at, _) in content.match_indices("#**") {
        let Some(link) = ChannelLink::read(content.get(at..).unwrap_or_default()) else {
            continue;
        };
        let channel = normal_name(link.channel).into_owned();
        found.channel_names.insert(channel.clone());
        if let (Some(topic), None) = (link.topic, link.message_id) {
            let topic = (channel, topic.to_owned());
            found.topics.insert(topic);
        }
    }
}

fn collect_emoji(content: &str, found: &mut References) {
    let mut pieces = content.split(':');
    // Text before the first and after the last colon is not between two.
    pieces.next();
    pieces.next_back();
    for name in pieces {
        if crate::emoji_name::is_valid(name) {
            found.emoji_names.insert(name.to_owned());
        }
    }
}

fn collect_uploads(content: &str, found: &mut References) {
    let mut rest = content;
    // Each search continues after the last path, so that no byte is read twice.
    while let Some((_, after)) = rest.split_once("user_uploads/") {
        let end = after
            .find(|c| !crate::destination::is_upload_character(c))
            .unwrap_or(after.len());
        crate::steps::spend(end);
        let (path, behind) = after.split_at(end);
        if let Some(path) = crate::destination::upload_path_id(path) {
            found.upload_paths.insert(path);
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_name_is_found() {
        let found = references(
            "@**Ann** @_**Bob|7** @**|8** @*devs* #**general** #**dev>x** #**dev>y@5** :party: \
             [f](/user_uploads/2/ab/c/f.png) @**all**",
        );
        assert_eq!(found.user_names, BTreeSet::from(["ann".to_owned()]));
        assert_eq!(found.user_ids, BTreeSet::from([7, 8]));
        assert_eq!(found.group_names, BTreeSet::from(["devs".to_owned()]));
        let channels = ["dev".to_owned(), "general".to_owned()];
        assert_eq!(found.channel_names, BTreeSet::from(channels));
        let topic = ("dev".to_owned(), "x".to_owned());
        assert_eq!(found.topics, BTreeSet::from([topic]));
        assert_eq!(found.emoji_names, BTreeSet::from(["party".to_owned()]));
        assert_eq!(
            found.upload_paths,
            BTreeSet::from(["2/ab/c/f.png".to_owned()])
        );
    }

    #[test]
    fn plain_text_refers_to_nothing() {
        assert!(references("hello, world\n\n- a 10:30 b").is_empty());
    }
}
