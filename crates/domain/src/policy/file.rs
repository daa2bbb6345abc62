//! Rules about files: who may read an upload, change a picture, add or deactivate a custom emoji.

use super::{Reason, Verdict};
use crate::Role;

/// What matters for reading an uploaded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileAccessFacts {
    /// The actor has uploaded it.
    pub is_owner: bool,
    /// The actor may read a message that names it, see [`super::may_read_message`].
    pub reads_a_message: bool,
}

/// May the actor have this file? A file that no message names is its owner's alone.
pub const fn may_have_file(facts: &FileAccessFacts) -> Verdict {
    Verdict::when(facts.is_owner || facts.reads_a_message, Reason::NoAccess)
}

/// May a client without an account download a file because a message in this channel references it?
pub const fn may_spectate_channel(is_web_public: bool, spectators_admitted: bool) -> Verdict {
    Verdict::when(is_web_public && spectators_admitted, Reason::NoAccess)
}

/// May the actor change their own picture? `changes_disabled` is the organization's
/// `avatar_changes_disabled`, which does not bind administrators.
pub const fn may_change_avatar(role: Role, changes_disabled: bool) -> Verdict {
    Verdict::when(
        role.is_admin() || !changes_disabled,
        Reason::InsufficientPermission,
    )
}

/// May the actor add custom emoji? (`realm_can_add_custom_emoji_group`)
pub const fn may_add_emoji(holds_permission: bool) -> Verdict {
    Verdict::when(holds_permission, Reason::InsufficientPermission)
}

/// May the actor deactivate this custom emoji? (docs/protocol/emoji.md#custom)
pub const fn may_deactivate_emoji(role: Role, is_author: bool) -> Verdict {
    Verdict::when(role.is_admin() || is_author, Reason::InsufficientPermission)
}

/// Whether a name can be given to a custom emoji: ASCII lower case, digits, `-` and `_`, ending
/// in a letter or digit (docs/protocol/files.md#upload_file).
pub fn is_emoji_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes()
        .all(|byte| is_plain(byte) || byte == b'-' || byte == b'_')
        && name.bytes().next_back().is_some_and(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_for_their_owner_and_for_readers() {
        for (is_owner, reads_a_message, allowed) in [
            (true, false, true),
            (false, true, true),
            (false, false, false),
        ] {
            let facts = FileAccessFacts {
                is_owner,
                reads_a_message,
            };
            assert_eq!(may_have_file(&facts).is_allowed(), allowed, "{facts:?}");
        }
        assert!(may_spectate_channel(true, true).is_allowed());
        assert!(!may_spectate_channel(true, false).is_allowed());
        assert!(!may_spectate_channel(false, true).is_allowed());
    }

    #[test]
    fn pictures_and_emoji() {
        assert!(may_change_avatar(Role::Member, false).is_allowed());
        assert!(!may_change_avatar(Role::Moderator, true).is_allowed());
        assert!(may_change_avatar(Role::Administrator, true).is_allowed());
        assert!(may_deactivate_emoji(Role::Owner, false).is_allowed());
        assert!(may_deactivate_emoji(Role::Guest, true).is_allowed());
        assert!(!may_deactivate_emoji(Role::Moderator, false).is_allowed());
    }

    #[test]
    fn names_of_emoji() {
        for name in ["a", "party-parrot", "1_2", "x9", "-a"] {
            assert!(is_emoji_name(name), "{name}");
        }
        for name in [
            "", "A", "a ", "a_", "a-", "ä", "a.b", "a/b", "a:b", "é", "_",
        ] {
            assert!(!is_emoji_name(name), "{name}");
        }
    }
}
