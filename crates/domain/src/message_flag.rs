//! The personal marks that clients may set on messages (docs/protocol/messages.md#message-object).

/// A mark of one person on one message, which they may set and remove. The others, such as
/// `mentioned`, follow from the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditableFlag {
    /// `read`
    Read,
    /// `starred`
    Starred,
    /// `collapsed`
    Collapsed,
}

impl EditableFlag {
    /// The flag of a wire name; `None` for flags that cannot be edited and for other words.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "read" => Some(Self::Read),
            "starred" => Some(Self::Starred),
            "collapsed" => Some(Self::Collapsed),
            _ => None,
        }
    }

    /// The wire name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Starred => "starred",
            Self::Collapsed => "collapsed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_flags_can_be_edited() {
        for name in ["read", "starred", "collapsed"] {
            assert_eq!(EditableFlag::from_name(name).unwrap().name(), name);
        }
        for name in [
            "mentioned",
            "has_alert_word",
            "historical",
            "Read",
            "",
            "wildcard_mentioned",
        ] {
            assert_eq!(EditableFlag::from_name(name), None, "{name}");
        }
    }
}
