//! Scripts that are written without spaces between words, and the punctuation that is as wide as their letters.
//!
//! Boundaries of words in them cannot be read from the spaces around a word.

/// Whether a letter belongs to a script without spaces between words, or to Hangul, where particles follow a word
/// directly.
pub(crate) fn is_unspaced(character: char) -> bool {
    is_hangul(character)
        || matches!(u32::from(character),
            // Thai to Tibetan, Myanmar, Khmer
            0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF
            // Radicals, kana, Bopomofo, ideographs, half-width kana
            | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x312F
            | 0x31A0..=0x4DBF | 0x4E00..=0xA4CF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F
            | 0x20000..=0x3FFFF)
}

pub(crate) fn is_hangul(character: char) -> bool {
    matches!(u32::from(character),
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF)
}

/// Whether a character is punctuation of East Asian text: full-width forms, CJK brackets and stops, curly quotes.
pub(crate) fn is_wide_punctuation(character: char) -> bool {
    matches!(u32::from(character),
        0x2018..=0x201F | 0x3000..=0x3004 | 0x3008..=0x3020 | 0x3030
        | 0xFE30..=0xFE4F | 0xFF01..=0xFF0F | 0xFF1A..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF65)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_punctuation() {
        for letter in "番ひカㄅไຂ한ｶ〇々𠀀က".chars() {
            assert!(
                is_unspaced(letter) && !is_wide_punctuation(letter),
                "{letter}"
            );
        }
        for letter in "aéжאم1·Ａ".chars() {
            assert!(
                !is_unspaced(letter) && !is_wide_punctuation(letter),
                "{letter}"
            );
        }
        for sign in "。、，！？：；（）「」『』【】《》“”‘’　～｜".chars()
        {
            assert!(is_wide_punctuation(sign) && !is_unspaced(sign), "{sign}");
        }
        assert!(is_hangul('토') && !is_hangul('番'));
    }
}
