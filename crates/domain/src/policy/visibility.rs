//! Which topics are followed or unmuted automatically, because of a user's actions in them
//! (docs/protocol/settings.md#user-settings, `automatically_follow_topics_policy`,
//! `automatically_unmute_topics_in_muted_streams_policy`,
//! `automatically_follow_topics_where_mentioned`).
//!
//! An automatic change only ever makes a topic more visible than it was.

use crate::VisibilityPolicy;

/// An action of a user in a topic; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicDeed {
    /// Takes part, by a reaction or a vote.
    Participates,
    /// Sends a message.
    Sends,
    /// Sends the first message.
    Starts,
}

impl TopicDeed {
    /// Whether a setting of 1 (takes part), 2 (sends), 3 (starts) or 4 (never) means this deed.
    const fn is_meant_by(self, setting: i64) -> bool {
        match self {
            Self::Participates => setting == 1,
            Self::Sends => setting == 1 || setting == 2,
            Self::Starts => setting == 1 || setting == 2 || setting == 3,
        }
    }
}

/// The two settings of a person about deeds of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicDeedSettings {
    /// `automatically_follow_topics_policy`
    pub follow: i64,
    /// `automatically_unmute_topics_in_muted_streams_policy`
    pub unmute: i64,
}

/// The policy that a topic gets for a user by their action; `None` when it keeps `current`.
/// `channel_muted`: the user has muted its channel.
pub fn policy_after_deed(
    settings: TopicDeedSettings,
    deed: TopicDeed,
    channel_muted: bool,
    current: VisibilityPolicy,
) -> Option<VisibilityPolicy> {
    if deed.is_meant_by(settings.follow) {
        risen(current, VisibilityPolicy::Followed)
    } else if channel_muted && deed.is_meant_by(settings.unmute) {
        risen(current, VisibilityPolicy::Unmuted)
    } else {
        None
    }
}

/// The policy that a topic gets for a user who is mentioned in it by name; `None` when it keeps
/// `current`.
pub fn policy_after_mention(
    follows_where_mentioned: bool,
    current: VisibilityPolicy,
) -> Option<VisibilityPolicy> {
    let followed = risen(current, VisibilityPolicy::Followed);
    followed.filter(|_| follows_where_mentioned)
}

/// The new policy, if it shows more.
fn risen(current: VisibilityPolicy, new: VisibilityPolicy) -> Option<VisibilityPolicy> {
    (rank(new) > rank(current)).then_some(new)
}

const fn rank(policy: VisibilityPolicy) -> u8 {
    match policy {
        VisibilityPolicy::Muted => 0,
        VisibilityPolicy::Inherit => 1,
        VisibilityPolicy::Unmuted => 2,
        VisibilityPolicy::Followed => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TopicDeed::{Participates, Sends, Starts};
    use VisibilityPolicy::{Followed, Inherit, Muted, Unmuted};

    #[test]
    fn each_setting_means_its_deeds() {
        let means =
            |setting: i64| [Participates, Sends, Starts].map(|deed| deed.is_meant_by(setting));
        assert_eq!(means(1), [true, true, true]);
        assert_eq!(means(2), [false, true, true]);
        assert_eq!(means(3), [false, false, true]);
        assert_eq!(means(4), [false, false, false]);
    }

    #[test]
    fn following_comes_before_unmuting_and_nothing_sinks() {
        // (follow, unmute), deed, the channel is muted, current: new
        let table = [
            ((3, 2), Starts, false, Inherit, Some(Followed)),
            ((3, 2), Starts, true, Inherit, Some(Followed)),
            ((3, 2), Sends, false, Inherit, None),
            ((3, 2), Sends, true, Inherit, Some(Unmuted)),
            ((3, 2), Sends, true, Muted, Some(Unmuted)),
            ((3, 2), Sends, true, Unmuted, None),
            ((3, 2), Sends, true, Followed, None),
            ((3, 2), Participates, true, Inherit, None),
            ((1, 2), Participates, false, Muted, Some(Followed)),
            ((1, 1), Sends, true, Followed, None),
            ((2, 4), Sends, false, Unmuted, Some(Followed)),
            ((4, 4), Starts, true, Muted, None),
        ];
        for ((follow, unmute), deed, channel_muted, current, expected) in table {
            let settings = TopicDeedSettings { follow, unmute };
            assert_eq!(
                policy_after_deed(settings, deed, channel_muted, current),
                expected,
                "{settings:?} {deed:?} {channel_muted} {current:?}"
            );
        }
    }

    #[test]
    fn a_mention_is_followed_where_that_is_wanted() {
        for current in [Inherit, Muted, Unmuted] {
            assert_eq!(policy_after_mention(true, current), Some(Followed));
            assert_eq!(policy_after_mention(false, current), None);
        }
        assert_eq!(policy_after_mention(true, Followed), None);
    }
}
