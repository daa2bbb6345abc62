//! Rules for text that people write: what is trimmed, truncated or refused.
//!
//! Lengths are code points (docs/protocol/limits.md#text). Nothing here renders or stores text.

mod lookalike;
mod printable;

pub(crate) use lookalike::plain_domain;
pub use lookalike::{HIDDEN_DOMAIN, Look, RESERVED_DOMAINS, is_reserved_address, is_reserved_name};
pub use printable::{
    Form, Unprintable, clean_content, is_variation_selector, is_visible, normal_name,
};

use std::borrow::Cow;

use crate::limits::{MAX_MESSAGE_LENGTH, MAX_TOPIC_LENGTH};

/// Line that ends content which was cut at `max_message_length`.
pub const TRUNCATION_MARK: &str = "\n[message truncated]";

/// The name of a topic that means no topic at all
/// (docs/protocol/scheduled.md#edit_scheduled_message).
pub const NO_TOPIC: &str = "(no topic)";

/// Length in Unicode code points, the unit of every limit.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether `text` has more than `limit` code points, without counting all of them.
pub fn is_longer_than(text: &str, limit: usize) -> bool {
    text.chars().nth(limit).is_some()
}

/// The first `limit` code points.
pub fn first_chars(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// Message content as stored: [cleaned](clean_content), trailing white space and leading newlines are gone, and what
/// exceeds `max_message_length` is replaced by [`TRUNCATION_MARK`], the total being exactly the limit.
///
/// `None` when nothing is left or the text holds a NUL.
pub fn normalise_content(content: &str) -> Option<String> {
    let trimmed = content.trim_end().trim_start_matches(['\n', '\r']);
    if trimmed.is_empty() || trimmed.contains('\0') {
        return None;
    }
    Some(cut_content(trimmed))
}

/// Cleans content and cuts it to `max_message_length`, see [`normalise_content`].
pub fn cut_content(content: &str) -> String {
    cut_to(content, MAX_MESSAGE_LENGTH)
}

/// Cleans content and cuts it to `limit` code points, the mark included.
pub fn cut_to(content: &str, limit: usize) -> String {
    let content = &*clean_content(content);
    if !is_longer_than(content, limit) {
        return content.to_owned();
    }
    let room = limit.saturating_sub(length(TRUNCATION_MARK));
    format!("{}{TRUNCATION_MARK}", first_chars(content, room))
}

/// Cuts a topic to `max_topic_length`, three dots included.
pub fn cut_topic(topic: &str) -> String {
    if !is_longer_than(topic, MAX_TOPIC_LENGTH) {
        return topic.to_owned();
    }
    format!(
        "{}...",
        first_chars(topic, MAX_TOPIC_LENGTH.saturating_sub(3))
    )
}

/// The topic that is stored for what a client sent: trimmed, with [`NO_TOPIC`] and the
/// organization's display name of the empty topic read as the empty topic, and cut.
pub fn normalise_topic(topic: &str, empty_topic_display_name: &str) -> String {
    let topic = topic.trim();
    if topic == NO_TOPIC || topic == empty_topic_display_name {
        return String::new();
    }
    cut_topic(topic)
}

/// The beginning of the name of a resolved topic.
pub const RESOLVED_TOPIC_PREFIX: &str = "\u{2714} ";

/// Whether one topic is the other with the mark of resolved topics, cut as topics are.
pub fn toggles_resolved(old: &str, new: &str) -> bool {
    let marks = |open: &str, resolved: &str| {
        !open.is_empty()
            && !open.starts_with(RESOLVED_TOPIC_PREFIX)
            && cut_topic(&format!("{RESOLVED_TOPIC_PREFIX}{open}")) == resolved
    };
    marks(old, new) || marks(new, old)
}

/// The 1-based position of the first character that a topic may not contain: control, private-use and non-characters.
/// Format characters are allowed, because integrations use titles of other systems as topics.
pub fn first_unprintable(text: &str) -> Option<usize> {
    text.chars()
        .position(printable::breaks_topics)
        .map(|index| index.saturating_add(1))
}

/// A topic without the characters that [`first_unprintable`] finds.
pub fn mend_topic(text: &str) -> Cow<'_, str> {
    if first_unprintable(text).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(printable::breaks_topics, ""))
}

/// Why a name of a person or bot is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullNameProblem {
    /// Fewer than two characters.
    TooShort,
    /// More than one hundred characters.
    TooLong,
    /// A character of the syntax of mentions and links.
    ForbiddenCharacter(char),
    /// An unprintable character, at this position.
    Unprintable(usize),
    /// The name of a system bot.
    Reserved,
    /// Ends like the id in a mention: `|7`.
    MentionSuffix,
}

/// A full name as stored (docs/protocol/limits.md#text).
///
/// # Errors
/// The first rule that the name breaks.
pub fn check_full_name(name: &str) -> Result<String, FullNameProblem> {
    let name = Form::Name
        .accept(name)
        .map_err(|Unprintable(position)| FullNameProblem::Unprintable(position))?;
    let count = length(&name);
    if count < crate::limits::MIN_FULL_NAME_LENGTH {
        return Err(FullNameProblem::TooShort);
    }
    if count > crate::limits::MAX_FULL_NAME_LENGTH {
        return Err(FullNameProblem::TooLong);
    }
    let forbidden = |character: &char| matches!(character, '*' | '`' | '\\' | '>' | '"' | '@');
    if let Some(character) = name.chars().find(forbidden) {
        return Err(FullNameProblem::ForbiddenCharacter(character));
    }
    let has_mention_suffix = name.rsplit_once('|').is_some_and(|(_, digits)| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if has_mention_suffix {
        return Err(FullNameProblem::MentionSuffix);
    }
    if is_reserved_name(&name) {
        return Err(FullNameProblem::Reserved);
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_keeps_its_indentation_and_loses_its_tail() {
        assert_eq!(
            normalise_content("\n\n  code\n \n").as_deref(),
            Some("  code")
        );
        assert_eq!(normalise_content(" \n\t"), None);
        assert_eq!(normalise_content("a\0b"), None);
        assert_eq!(
            normalise_content("a\r\nb\u{1b}[0m\r\n").as_deref(),
            Some("a\nb\u{FFFD}[0m")
        );
    }

    #[test]
    fn long_content_is_cut_to_the_limit_in_code_points() {
        let exact = "é".repeat(MAX_MESSAGE_LENGTH);
        assert_eq!(normalise_content(&exact).unwrap(), exact);
        let cut = normalise_content(&"é".repeat(MAX_MESSAGE_LENGTH + 1)).unwrap();
        assert_eq!(length(&cut), MAX_MESSAGE_LENGTH);
        assert!(cut.ends_with(TRUNCATION_MARK));
    }

    #[test]
    fn topics_are_trimmed_mapped_and_cut() {
        assert_eq!(normalise_topic("  lunch ", "general chat"), "lunch");
        assert_eq!(normalise_topic("(no topic)", "general chat"), "");
        assert_eq!(normalise_topic("general chat", "general chat"), "");
        let cut = normalise_topic(&"x".repeat(61), "general chat");
        assert_eq!(length(&cut), 60);
        assert!(cut.ends_with("xxx..."));
        assert_eq!(
            normalise_topic(&"x".repeat(60), "general chat"),
            "x".repeat(60)
        );
    }

    #[test]
    fn unprintable_characters_are_found_with_their_position() {
        assert_eq!(first_unprintable("plain ☕"), None);
        assert_eq!(first_unprintable("a\u{7}"), Some(2));
        assert_eq!(first_unprintable("\u{FDD0}"), Some(1));
        assert_eq!(first_unprintable("a\u{E000}"), Some(2));
        assert_eq!(first_unprintable("ab\u{1FFFE}"), Some(3));
    }

    #[test]
    fn names_of_people_obey_the_rules_of_mentions() {
        assert_eq!(check_full_name("Zoë").as_deref(), Ok("Zoë"));
        assert_eq!(check_full_name(" a|b  c").as_deref(), Ok("a|b c"));
        assert_eq!(
            check_full_name("Notification bot"),
            Err(FullNameProblem::Reserved)
        );
        assert_eq!(check_full_name("Z"), Err(FullNameProblem::TooShort));
        assert_eq!(
            check_full_name(&"z".repeat(101)),
            Err(FullNameProblem::TooLong)
        );
        assert_eq!(
            check_full_name("a*b"),
            Err(FullNameProblem::ForbiddenCharacter('*'))
        );
        assert_eq!(
            check_full_name("a\nb"),
            Err(FullNameProblem::Unprintable(2))
        );
        assert_eq!(
            check_full_name("Al|12"),
            Err(FullNameProblem::MentionSuffix)
        );
    }
}
