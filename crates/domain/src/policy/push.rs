//! Which users get a push notification for a new message, and why
//! (docs/protocol/settings.md#user-settings: the notification settings of users, subscriptions and
//! topics).
//!
//! Callers have already excluded the sender, users who have read the message or muted its sender,
//! and deactivated users.

use crate::VisibilityPolicy;

/// Why a message is shown on a phone; the first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushReason {
    DirectMessage,
    /// They are mentioned, by name or through a group.
    Mention,
    /// Everybody in the channel or the topic is mentioned.
    Wildcard,
    /// They follow the topic.
    FollowedTopic,
    /// They want a notification for every message of the channel.
    Channel,
}

impl PushReason {
    /// The name under which it is stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DirectMessage => "direct_message",
            Self::Mention => "mention",
            Self::Wildcard => "wildcard",
            Self::FollowedTopic => "followed_topic",
            Self::Channel => "channel",
        }
    }
}

/// A message's relation to a user, and the settings of that user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushFacts {
    /// A direct message; else one in a channel.
    pub is_direct: bool,
    /// They are mentioned by name or through a group.
    pub is_mentioned: bool,
    /// Everybody in the channel or the topic is mentioned, and they are among them.
    pub is_wildcard_mentioned: bool,
    /// They use a client right now.
    pub is_active: bool,
    /// They have muted the channel.
    pub channel_muted: bool,
    /// Their policy for the topic.
    pub topic: VisibilityPolicy,
    /// `enable_offline_push_notifications`: direct messages and mentions.
    pub enable_offline: bool,
    /// `enable_online_push_notifications`: also while they use a client.
    pub enable_online: bool,
    /// `wildcard_mentions_notify` of the subscription, else of the user.
    pub wildcard_mentions: bool,
    /// `enable_followed_topic_wildcard_mentions_notify`
    pub followed_topic_wildcard_mentions: bool,
    /// `enable_followed_topic_push_notifications`
    pub followed_topic: bool,
    /// `push_notifications` of the subscription, else `enable_stream_push_notifications`.
    pub channel: bool,
}

/// Why a user gets a push notification for a message; `None` when they get none.
#[must_use]
pub fn push_reason(facts: &PushFacts) -> Option<PushReason> {
    let wants_any = facts.enable_offline || facts.enable_online;
    if !wants_any || (facts.is_active && !facts.enable_online) {
        return None;
    }
    if facts.is_direct {
        return facts.enable_offline.then_some(PushReason::DirectMessage);
    }
    if facts.is_mentioned && facts.enable_offline {
        return Some(PushReason::Mention);
    }
    let is_followed = facts.topic == VisibilityPolicy::Followed;
    let is_muted = match facts.topic {
        VisibilityPolicy::Muted => true,
        VisibilityPolicy::Inherit => facts.channel_muted,
        VisibilityPolicy::Unmuted | VisibilityPolicy::Followed => false,
    };
    let wildcard_counts = (is_followed && facts.followed_topic_wildcard_mentions)
        || (!is_muted && facts.wildcard_mentions);
    if facts.is_wildcard_mentioned && wildcard_counts && facts.enable_offline {
        return Some(PushReason::Wildcard);
    }
    if is_followed && facts.followed_topic {
        return Some(PushReason::FollowedTopic);
    }
    (!is_muted && facts.channel).then_some(PushReason::Channel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use VisibilityPolicy::{Followed, Muted, Unmuted};

    /// An ordinary channel message, to a user with the default settings.
    const PLAIN: PushFacts = PushFacts {
        is_direct: false,
        is_mentioned: false,
        is_wildcard_mentioned: false,
        is_active: false,
        channel_muted: false,
        topic: VisibilityPolicy::Inherit,
        enable_offline: true,
        enable_online: true,
        wildcard_mentions: true,
        followed_topic_wildcard_mentions: true,
        followed_topic: true,
        channel: false,
    };

    #[test]
    fn the_first_reason_that_applies() {
        let direct = PushFacts {
            is_direct: true,
            ..PLAIN
        };
        let mention = PushFacts {
            is_mentioned: true,
            ..PLAIN
        };
        let wildcard = PushFacts {
            is_wildcard_mentioned: true,
            ..PLAIN
        };
        let followed = PushFacts {
            topic: Followed,
            ..PLAIN
        };
        let channel = PushFacts {
            channel: true,
            ..PLAIN
        };
        type Change = fn(PushFacts) -> PushFacts;
        let cases: [(&str, PushFacts, Change, Option<PushReason>); 23] = [
            ("nothing special", PLAIN, |f| f, None),
            ("direct", direct, |f| f, Some(PushReason::DirectMessage)),
            (
                "direct, off",
                direct,
                |f| PushFacts {
                    enable_offline: false,
                    ..f
                },
                None,
            ),
            (
                "direct, active",
                direct,
                |f| PushFacts {
                    is_active: true,
                    ..f
                },
                Some(PushReason::DirectMessage),
            ),
            (
                "direct, active and offline only",
                direct,
                |f| PushFacts {
                    is_active: true,
                    enable_online: false,
                    ..f
                },
                None,
            ),
            (
                "direct, idle and offline only",
                direct,
                |f| PushFacts {
                    enable_online: false,
                    ..f
                },
                Some(PushReason::DirectMessage),
            ),
            ("mention", mention, |f| f, Some(PushReason::Mention)),
            (
                "mention, off",
                mention,
                |f| PushFacts {
                    enable_offline: false,
                    ..f
                },
                None,
            ),
            (
                "mention in a muted topic",
                mention,
                |f| PushFacts { topic: Muted, ..f },
                Some(PushReason::Mention),
            ),
            (
                "mention before following",
                mention,
                |f| PushFacts {
                    topic: Followed,
                    ..f
                },
                Some(PushReason::Mention),
            ),
            ("wildcard", wildcard, |f| f, Some(PushReason::Wildcard)),
            (
                "wildcard, off",
                wildcard,
                |f| PushFacts {
                    wildcard_mentions: false,
                    ..f
                },
                None,
            ),
            (
                "wildcard in a muted channel",
                wildcard,
                |f| PushFacts {
                    channel_muted: true,
                    ..f
                },
                None,
            ),
            (
                "wildcard in a muted topic",
                wildcard,
                |f| PushFacts { topic: Muted, ..f },
                None,
            ),
            (
                "wildcard in an unmuted topic",
                wildcard,
                |f| PushFacts {
                    channel_muted: true,
                    topic: Unmuted,
                    ..f
                },
                Some(PushReason::Wildcard),
            ),
            (
                "wildcard in a followed topic",
                wildcard,
                |f| PushFacts {
                    topic: Followed,
                    wildcard_mentions: false,
                    ..f
                },
                Some(PushReason::Wildcard),
            ),
            ("followed", followed, |f| f, Some(PushReason::FollowedTopic)),
            (
                "followed, off",
                followed,
                |f| PushFacts {
                    followed_topic: false,
                    ..f
                },
                None,
            ),
            (
                "followed without mentions",
                followed,
                |f| PushFacts {
                    enable_offline: false,
                    ..f
                },
                Some(PushReason::FollowedTopic),
            ),
            ("channel", channel, |f| f, Some(PushReason::Channel)),
            (
                "muted channel",
                channel,
                |f| PushFacts {
                    channel_muted: true,
                    ..f
                },
                None,
            ),
            (
                "channel, no pushes at all",
                channel,
                |f| PushFacts {
                    enable_offline: false,
                    enable_online: false,
                    ..f
                },
                None,
            ),
            (
                "channel, active and offline only",
                channel,
                |f| PushFacts {
                    is_active: true,
                    enable_online: false,
                    ..f
                },
                None,
            ),
        ];
        for (name, facts, change, expected) in cases {
            assert_eq!(push_reason(&change(facts)), expected, "{name}");
        }
    }

    #[test]
    fn reasons_have_different_names() {
        let names = [
            PushReason::DirectMessage,
            PushReason::Mention,
            PushReason::Wildcard,
            PushReason::FollowedTopic,
            PushReason::Channel,
        ]
        .map(PushReason::name);
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }
}
