//! Limits of texts, and what becomes of message contents and topics before anything else.
//!
//! Owns the numbers and the two normalisations. It must not look at markup.
//! (spec: protocol-facts 1.8, markup-export-facts 1.13)

/// Longest message content, in code points.
pub const MAX_MESSAGE_LENGTH: usize = 10_000;
/// Longest topic, in code points.
pub const MAX_TOPIC_LENGTH: usize = 60;
/// Longest HTML a message may render to, in code points.
pub const MAX_RENDERED_LENGTH: usize = 1_000_000;
/// Longest name of a channel or channel folder, in code points.
pub const MAX_CHANNEL_NAME_LENGTH: usize = 60;
/// Longest description of a channel or channel folder, in code points.
pub const MAX_CHANNEL_DESCRIPTION_LENGTH: usize = 1024;
/// Shortest and longest full name of a user, in code points.
pub const USER_FULL_NAME_LENGTH: std::ops::RangeInclusive<usize> = 2..=100;
/// Longest name of a user group, in code points.
pub const MAX_USER_GROUP_NAME_LENGTH: usize = 100;
/// Longest text of a user status, in code points, after trimming.
pub const MAX_STATUS_TEXT_LENGTH: usize = 60;

const CONTENT_MARKER: &str = "\n[message truncated]";
const TOPIC_MARKER: &str = "...";

/// Why a message content cannot be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// Nothing but whitespace.
    #[error("the message is empty")]
    Empty,
    /// A U+0000 somewhere.
    #[error("the message contains a NUL character")]
    ContainsNul,
}

/// Why a text cannot be a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopicError {
    /// A control character, or a code point that is no character.
    #[error("the character at position {position} cannot be printed")]
    Unprintable {
        /// Counted in code points, from 1.
        position: usize,
    },
}

/// Brings a message content into the form that is stored: without trailing whitespace and
/// leading newlines, cut to [`MAX_MESSAGE_LENGTH`] with a marker line at the end.
///
/// # Errors
/// The content is empty after that, or contains NUL.
pub fn normalize_content(content: &str) -> Result<String, ContentError> {
    let content = content.trim_end().trim_start_matches(['\n', '\r']);
    if content.is_empty() {
        return Err(ContentError::Empty);
    }
    if content.contains('\0') {
        return Err(ContentError::ContainsNul);
    }
    Ok(cut(content, MAX_MESSAGE_LENGTH, CONTENT_MARKER))
}

/// Brings a topic into the form that is stored: trimmed, cut to [`MAX_TOPIC_LENGTH`] with
/// three dots at the end. An empty topic is one.
///
/// # Errors
/// A character of it cannot be printed.
pub fn normalize_topic(topic: &str) -> Result<String, TopicError> {
    let topic = topic.trim();
    if let Some(position) = first_unprintable(topic) {
        return Err(TopicError::Unprintable { position });
    }
    Ok(cut(topic, MAX_TOPIC_LENGTH, TOPIC_MARKER))
}

/// The position (in code points, from 1) of the first control character or Unicode
/// non-character of a name or topic.
pub fn first_unprintable(text: &str) -> Option<usize> {
    let unprintable = |c: char| {
        let code = u32::from(c);
        c.is_control() || (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
    };
    text.chars().position(unprintable).map(|index| index + 1)
}

/// `text`, or as much of it as leaves room for `marker` within `limit` code points.
fn cut(text: &str, limit: usize, marker: &str) -> String {
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let kept = limit.saturating_sub(marker.chars().count());
    text.chars().take(kept).chain(marker.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_trimmed_at_the_right_ends() {
        assert_eq!(normalize_content("\n\n  a \n\n").unwrap(), "  a");
        assert_eq!(normalize_content(" \n\t "), Err(ContentError::Empty));
        assert_eq!(normalize_content("a\0b"), Err(ContentError::ContainsNul));
    }

    #[test]
    fn long_content_is_cut_to_exactly_the_limit() {
        let exact = "é".repeat(MAX_MESSAGE_LENGTH);
        assert_eq!(normalize_content(&exact).unwrap(), exact);
        let cut = normalize_content(&format!("{exact}é")).unwrap();
        assert_eq!(cut.chars().count(), MAX_MESSAGE_LENGTH);
        assert!(cut.ends_with("é\n[message truncated]"));
    }

    #[test]
    fn topics_are_cut_and_checked() {
        assert_eq!(normalize_topic("  a b ").unwrap(), "a b");
        assert_eq!(normalize_topic("").unwrap(), "");
        let long = normalize_topic(&"x".repeat(61)).unwrap();
        assert_eq!(long, format!("{}...", "x".repeat(57)));
        assert_eq!(normalize_topic(&"x".repeat(60)).unwrap().len(), 60);
        for bad in [
            "ab\u{7}",
            "ab\u{fffe}",
            "ab\u{fdd0}",
            "ab\u{1ffff}",
            "ab\ncd",
        ] {
            let error = normalize_topic(bad).unwrap_err();
            assert_eq!(error, TopicError::Unprintable { position: 3 }, "{bad:?}");
        }
    }
}
