//! Recognition of emoji characters in running text.
//!
//! Owns the extent of one emoji sequence (UTS #51: keycaps, flags, modifiers, tags, ZWJ
//! sequences) and whether it is shown as an emoji. Must not decide how one is rendered. A sequence is
//! matched as a whole: an unknown one is not split into known parts.
//! (docs/protocol/markdown.md#emoji)

use crate::table;

const ZERO_WIDTH_JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';
const TEXT_STYLE: char = '\u{fe0e}';
const KEYCAP: char = '\u{20e3}';

/// A sequence found at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Length in bytes of the whole sequence.
    pub length: usize,
    /// The code, or `None` when the sequence stays text: it is unknown, has a skin tone, or is a
    /// character with default text presentation and no U+FE0F after it.
    pub code: Option<&'static str>,
}

/// Whether an emoji sequence may begin with `character`. Digits, `#` and `*` may: keycaps do.
pub fn may_begin(character: char) -> bool {
    matches!(character,
        '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}'
        | '\u{203c}' | '\u{2049}' | '\u{2122}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// The emoji sequence at the beginning of `text`, if one begins there.
pub fn longest_match(text: &str) -> Option<Match> {
    let first = text.chars().next()?;
    if !may_begin(first) {
        return None;
    }
    let length = match first {
        '#' | '*' | '0'..='9' => keycap_length(text)?,
        _ if is_regional(first) => flag_length(text, first),
        _ => joined_length(text),
    };
    let sequence = text.get(..length)?;
    Some(Match {
        length,
        code: code_of(sequence),
    })
}

fn is_regional(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

fn keycap_length(text: &str) -> Option<usize> {
    let mut rest = text.chars().skip(1).peekable();
    let style = usize::from(rest.next_if_eq(&EMOJI_STYLE).is_some()) * EMOJI_STYLE.len_utf8();
    (rest.next() == Some(KEYCAP)).then_some(1 + style + KEYCAP.len_utf8())
}

fn flag_length(text: &str, first: char) -> usize {
    let second = text.chars().nth(1).filter(|c| is_regional(*c));
    first.len_utf8() + second.map_or(0, char::len_utf8)
}

/// One element, then any number of further ones after a joiner.
fn joined_length(text: &str) -> usize {
    let mut length = 0;
    let mut rest = text.chars().peekable();
    while let Some(base) = rest.next() {
        length += base.len_utf8();
        while let Some(mark) = rest.next_if(|c| is_mark(*c)) {
            length += mark.len_utf8();
        }
        let mut after_joiner = rest.clone();
        after_joiner.next_if_eq(&ZERO_WIDTH_JOINER);
        let joined = rest.peek() == Some(&ZERO_WIDTH_JOINER)
            && after_joiner.peek().is_some_and(|c| may_begin(*c));
        if !joined {
            break;
        }
        rest = after_joiner;
        length += ZERO_WIDTH_JOINER.len_utf8();
    }
    length
}

/// What may follow the base of an element: presentation, skin tone, tags.
fn is_mark(character: char) -> bool {
    matches!(character,
        EMOJI_STYLE | TEXT_STYLE | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

fn code_of(sequence: &str) -> Option<&'static str> {
    let mut characters = sequence.chars();
    if let (Some(only), None) = (characters.next(), characters.next())
        && table::TEXT_STYLE.binary_search(&only).is_ok()
    {
        return None;
    }
    let mut code = String::with_capacity(sequence.len() * 2);
    for character in sequence.chars().filter(|c| *c != EMOJI_STYLE) {
        if !code.is_empty() {
            code.push('-');
        }
        code.push_str(&format!("{:04x}", u32::from(character)));
    }
    let row = table::EMOJI
        .binary_search_by(|(known, _)| (*known).cmp(code.as_str()))
        .ok()?;
    table::EMOJI.get(row).map(|(known, _)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(usize, Option<&'static str>)> {
        longest_match(text).map(|found| (found.length, found.code))
    }

    #[test]
    fn whole_sequences_are_matched() {
        for (text, code) in [
            ("😀", "1f600"),
            ("❤\u{fe0f}", "2764"),
            ("🇩🇪", "1f1e9-1f1ea"),
            ("1\u{fe0f}\u{20e3}", "0031-20e3"),
            ("#\u{20e3}", "0023-20e3"),
            ("👨\u{200d}💻", "1f468-200d-1f4bb"),
            (
                "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
                "1f3f4-e0067-e0062-e0073-e0063-e0074-e007f",
            ),
        ] {
            let padded = format!("{text}x");
            assert_eq!(found(&padded), Some((text.len(), Some(code))), "{text}");
        }
    }

    #[test]
    fn text_presentation_skin_tones_and_unknown_sequences_stay_text() {
        for text in [
            "❤",
            "✔",
            "©",
            "↔",
            "❤\u{fe0e}",
            "👍🏽",
            "😀\u{200d}😀",
            "🇽🇽",
            "🏽",
        ] {
            assert_eq!(found(text), Some((text.len(), None)), "{text}");
        }
    }

    #[test]
    fn ordinary_characters_begin_nothing() {
        for text in [
            "", "a", "1", "12", "#x", "*", "é", "漢", "\u{200d}", "\u{fe0f}",
        ] {
            assert_eq!(found(text), None, "{text:?}");
        }
    }

    #[test]
    fn every_code_of_the_table_is_found_in_its_full_form() {
        for (code, _) in crate::all() {
            let text: String = code
                .split('-')
                .map(|hex| char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap())
                .collect();
            let plain = code_of(&text).or_else(|| code_of(&format!("{text}\u{fe0f}")));
            assert_eq!(plain, Some(code));
            let styled = if text.chars().count() == 1 {
                format!("{text}\u{fe0f}")
            } else {
                text
            };
            assert_eq!(found(&styled), Some((styled.len(), Some(code))));
        }
    }
}
