//! Which characters stored texts may contain, and how they are normalized (docs/protocol/limits.md#printable).
//!
//! Names and descriptions are part of every snapshot, so one bad character reaches every client. Message content is not
//! refused but cleaned ([`clean_content`]), because bots send terminal output.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// How a text is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A name or title: composed (NFC), trimmed, each run of white space one space.
    Name,
    /// A text of one line: composed, with a space for each line break and tab.
    Line,
    /// A text of several lines: composed, lines end with a line feed.
    Block,
}

/// The position of the first character that a text may not hold, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unprintable(pub usize);

impl Form {
    /// The text in this form. A name is trimmed before positions are counted.
    ///
    /// # Errors
    /// The first character that is unprintable, or invisible without a function between its neighbours.
    pub fn accept(self, text: &str) -> Result<String, Unprintable> {
        let text = self.with_breaks(text);
        if is_plain(&text) {
            return Ok(self.composed(&text));
        }
        let characters: Vec<char> = text.chars().collect();
        match (0..characters.len()).find(|index| !self.admits(&characters, *index)) {
            Some(index) => Err(Unprintable(index.saturating_add(1))),
            None => Ok(self.composed(&text)),
        }
    }

    /// The text in this form, without the characters that [`Self::accept`] refuses. For existing texts, such as those
    /// of an archive.
    pub fn mend(self, text: &str) -> String {
        let text = match self {
            // Line breaks of a name separate words.
            Self::Name => Cow::Owned(text.replace(['\n', '\r', '\t'], " ")),
            Self::Line | Self::Block => self.with_breaks(text),
        };
        let characters: Vec<char> = text.chars().collect();
        let kept = (0..characters.len()).filter(|index| self.admits(&characters, *index));
        let kept: String = kept
            .filter_map(|index| characters.get(index).copied())
            .collect();
        self.composed(&kept)
    }

    /// Normalizes line breaks. They stay in names, which are then refused.
    fn with_breaks(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Name => Cow::Borrowed(text.trim()),
            Self::Line => replaced(text, &['\n', '\r', '\t', '\u{2028}', '\u{2029}'], " "),
            Self::Block => replaced(text, &['\r', '\u{2028}', '\u{2029}'], "\n"),
        }
    }

    fn composed(self, text: &str) -> String {
        match self {
            Self::Name => normal_name(text).into_owned(),
            Self::Line | Self::Block => text.nfc().collect(),
        }
    }

    fn admits(self, characters: &[char], index: usize) -> bool {
        let Some(character) = characters.get(index).copied() else {
            return false;
        };
        match character.general_category() {
            GeneralCategory::Control => self == Self::Block && matches!(character, '\n' | '\t'),
            GeneralCategory::PrivateUse | GeneralCategory::Surrogate => false,
            GeneralCategory::Unassigned => {
                !is_noncharacter(character) && !is_ignorable_unassigned(character)
            }
            GeneralCategory::Format => is_needed(characters, index, character),
            _ if self != Self::Name => true,
            _ if is_variation_selector(character) => selects_form(characters, index, character),
            _ => !is_blank_mark(character),
        }
    }
}

/// Normalizes a name for a look-up: composed, trimmed, each run of white space one space. Refuses nothing, since an
/// impossible name matches nothing.
pub fn normal_name(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let is_normal = text.is_ascii()
        && !text.contains("  ")
        && !text.bytes().any(|byte| byte.is_ascii_control());
    if is_normal {
        return Cow::Borrowed(text);
    }
    let composed: String = text.nfc().collect();
    let words: Vec<&str> = composed.split_whitespace().collect();
    Cow::Owned(words.join(" "))
}

/// Cleans message content: line breaks become line feeds, and control characters except tabs become U+FFFD.
pub fn clean_content(content: &str) -> Cow<'_, str> {
    let is_bad = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if !content.contains(is_bad) {
        return Cow::Borrowed(content);
    }
    let lines = replaced(content, &['\r'], "\n");
    Cow::Owned(lines.replace(is_bad, "\u{FFFD}"))
}

/// Replaces each CRLF and each of `characters`.
fn replaced<'t>(text: &'t str, characters: &[char], by: &str) -> Cow<'t, str> {
    if !text.contains(characters) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", by).replace(characters, by))
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// Control characters, private ones and non-characters.
pub(super) fn breaks_topics(character: char) -> bool {
    character.is_control()
        || is_noncharacter(character)
        || character.general_category() == GeneralCategory::PrivateUse
}

/// Whether a character is displayed, and not as a space.
pub fn is_visible(character: char) -> bool {
    use GeneralCategory as Category;
    let category = character.general_category();
    let is_hidden = matches!(
        category,
        Category::Control
            | Category::Format
            | Category::Surrogate
            | Category::PrivateUse
            | Category::Unassigned
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::SpaceSeparator
    );
    !is_hidden && !is_blank_mark(character) && !is_variation_selector(character)
}

/// Unicode non-characters.
fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE
}

/// Unassigned code points that display as nothing (`Default_Ignorable_Code_Point`).
fn is_ignorable_unassigned(character: char) -> bool {
    matches!(character, '\u{2065}' | '\u{FFF0}'..='\u{FFF8}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Letters and marks that display as nothing or as blank space.
fn is_blank_mark(character: char) -> bool {
    matches!(
        character,
        '\u{34F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FFA0}'
    )
}

/// Characters that choose between forms of the one before them, and display as nothing elsewhere. Names that differ in
/// them alone are one.
#[must_use]
pub fn is_variation_selector(character: char) -> bool {
    matches!(
        character,
        '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}'
    )
}

/// Returns true if the character before a variation selector has forms to choose from. A digit has them only in a keycap.
fn selects_form(characters: &[char], index: usize, selector: char) -> bool {
    let base = index
        .checked_sub(1)
        .and_then(|base| characters.get(base))
        .copied();
    let Some(base) = base else {
        return false;
    };
    match selector {
        '\u{FE0E}' | '\u{FE0F}' if base.is_ascii() => {
            let is_keycap = characters.get(index.saturating_add(1)) == Some(&'\u{20E3}');
            is_keycap && matches!(base, '0'..='9' | '#' | '*')
        }
        '\u{FE0E}' | '\u{FE0F}' => is_emoji(base),
        '\u{180B}'..='\u{180F}' => base.script() == Script::Mongolian,
        _ => matches!(
            base.script(),
            Script::Han | Script::Phags_Pa | Script::Myanmar
        ),
    }
}

/// Whether an invisible character (Cf) has a meaning between its neighbours: emoji are joined, and
/// some scripts choose between forms of letters (https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters).
/// Visible marks of this category: Arabic, Syriac, Kaithi, Egyptian.
fn is_needed(characters: &[char], index: usize, character: char) -> bool {
    let before = || {
        index
            .checked_sub(1)
            .and_then(|index| characters.get(index))
            .copied()
    };
    let after = || characters.get(index.saturating_add(1)).copied();
    match character {
        '\u{200D}' => {
            let joins_emoji = emoji_before(characters, index) && after().is_some_and(is_emoji);
            let forms_letters = before().is_some_and(is_virama)
                || (after().is_some_and(is_virama) && before().is_some_and(char::is_alphabetic));
            joins_emoji || forms_letters
        }
        '\u{200C}' => {
            before().is_some_and(is_virama)
                || (before().is_some_and(is_of_joining_script)
                    && after().is_some_and(is_of_joining_script))
        }
        '\u{E0020}'..='\u{E007F}' => is_in_flag(characters, index),
        '\u{600}'..='\u{605}'
        | '\u{6DD}'
        | '\u{70F}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8E2}'
        | '\u{110BD}'
        | '\u{110CD}'
        | '\u{13430}'..='\u{1343F}' => true,
        _ => false,
    }
}

fn is_virama(character: char) -> bool {
    canonical_combining_class(character) == 9
}

fn is_emoji(character: char) -> bool {
    !character.is_ascii() && character.is_emoji_char()
}

/// Whether an emoji precedes, perhaps with a variation selector.
fn emoji_before(characters: &[char], index: usize) -> bool {
    let mut before = characters.iter().take(index).rev();
    let last = before.find(|character| !matches!(character, '\u{FE0E}' | '\u{FE0F}' | '\u{20E3}'));
    last.is_some_and(|character| is_emoji(*character))
}

/// Whether letters of the script have different forms within a word, and at its end.
fn is_of_joining_script(character: char) -> bool {
    matches!(
        character.script(),
        Script::Arabic
            | Script::Syriac
            | Script::Mandaic
            | Script::Nko
            | Script::Mongolian
            | Script::Phags_Pa
            | Script::Manichaean
            | Script::Psalter_Pahlavi
            | Script::Adlam
            | Script::Hanifi_Rohingya
            | Script::Sogdian
            | Script::Chorasmian
            | Script::Old_Uyghur
            | Script::Inherited
    )
}

/// Whether a tag is part of a flag: a black flag, letters or digits of a region, the end.
/// (https://www.unicode.org/reports/tr51/#def_std_emoji_tag_sequence_set)
fn is_in_flag(characters: &[char], index: usize) -> bool {
    let is_tag = |character: &char| ('\u{E0020}'..='\u{E007F}').contains(character);
    let is_region = |character: &char| {
        ('\u{E0030}'..='\u{E0039}').contains(character)
            || ('\u{E0061}'..='\u{E007A}').contains(character)
    };
    let tags_before = characters
        .iter()
        .take(index)
        .rev()
        .take_while(|character| is_tag(character))
        .count();
    let start = index.saturating_sub(tags_before);
    let base = start.checked_sub(1).and_then(|base| characters.get(base));
    let mut region = characters
        .iter()
        .skip(start)
        .take_while(|character| is_tag(character));
    let length = region
        .by_ref()
        .take_while(|character| is_region(character))
        .count();
    let end = start.saturating_add(length);
    base == Some(&'\u{1F3F4}')
        && (3..=6).contains(&length)
        && characters.get(end) == Some(&'\u{E007F}')
        && index <= end
}

#[cfg(test)]
mod tests;
