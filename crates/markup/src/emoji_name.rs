//! Names of emoji between two colons. (docs/protocol/markdown.md#emoji)

/// Longest name that is looked up, in bytes; no emoji has a longer one.
const LONGEST: usize = 100;

/// Word characters, `-` and `+`.
pub(crate) fn is_valid(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_name_character)
}

pub(crate) fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '+')
}
