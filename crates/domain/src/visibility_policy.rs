//! The policy of a user for a topic (docs/protocol/events.md#user_topic): muted, unmuted, followed,
//! or the channel's.

/// The value of `visibility_policy`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VisibilityPolicy {
    /// 0: none; the topic is shown or muted like its channel.
    #[default]
    Inherit,
    /// 1: not shown, and not counted as unread.
    Muted,
    /// 2: shown although its channel is muted.
    Unmuted,
    /// 3: shown, with notifications of its own.
    Followed,
}

impl VisibilityPolicy {
    /// The policy of an integer of the wire; `None` for other integers.
    pub const fn from_i64(value: i64) -> Option<Self> {
        match value {
            0 => Some(Self::Inherit),
            1 => Some(Self::Muted),
            2 => Some(Self::Unmuted),
            3 => Some(Self::Followed),
            _ => None,
        }
    }

    /// The integer of the wire.
    pub const fn get(self) -> i64 {
        match self {
            Self::Inherit => 0,
            Self::Muted => 1,
            Self::Unmuted => 2,
            Self::Followed => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_the_wire() {
        for value in 0..=3 {
            let policy = VisibilityPolicy::from_i64(value).unwrap();
            assert_eq!(policy.get(), value);
        }
        assert_eq!(VisibilityPolicy::from_i64(4), None);
        assert_eq!(VisibilityPolicy::from_i64(-1), None);
    }
}
