//! Colours of subscriptions: what clients may send, and which one a new subscription is given.

use std::collections::BTreeSet;

use spindle_domain::ChannelId;

use crate::ActionError;

/// Colours that new subscriptions are given, as long as one of them is free.
const PALETTE: [&str; 24] = [
    "#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5",
    "#f5ce6e", "#c2726a", "#94c849", "#bd86e5", "#5ea8c8", "#d98a4e", "#8fb39a", "#cf9fd0",
    "#6f8fd8", "#e0b44c", "#7fc7b0", "#d77f93", "#a3a86b", "#8c9fb5", "#e2957a", "#9cc16b",
];

/// A colour as stored, `#rrggbb` in lower case, from 3 to 6 hexadecimal digits behind a `#` in
/// either case (docs/protocol/traps.md#colours). Three digits are doubled, a fourth (opacity) is
/// left out, and of five the last is followed by a 0.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn normalise_color(color: &str) -> Result<String, ActionError> {
    let digits = color
        .strip_prefix('#')
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .map(str::to_ascii_lowercase)
        .unwrap_or_default();
    match digits.len() {
        3 | 4 => Ok(digits.chars().take(3).fold("#".to_owned(), |text, digit| {
            format!("{text}{digit}{digit}")
        })),
        5 => Ok(format!("#{digits}0")),
        6 => Ok(format!("#{digits}")),
        _ => Err(ActionError::bad_request(
            "A color is # with 3 to 6 hexadecimal digits",
        )),
    }
}

/// A colour that is not in `used`; when all are, one that depends on the channel.
pub(super) fn pick(used: &BTreeSet<String>, channel_id: ChannelId) -> &'static str {
    let free = PALETTE.iter().find(|color| !used.contains(**color));
    let index = usize::try_from(channel_id.get().unsigned_abs()).unwrap_or_default();
    free.or_else(|| PALETTE.iter().cycle().nth(index % PALETTE.len()))
        .copied()
        .unwrap_or("#c2c2c2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_stored_in_one_form() {
        for (sent, stored) in [
            ("#76CE90", "#76ce90"),
            ("#abc", "#aabbcc"),
            ("#ABC8", "#aabbcc"),
            ("#12345", "#123450"),
        ] {
            assert_eq!(normalise_color(sent).unwrap(), stored);
        }
        for wrong in [
            "", "#", "#ab", "76ce90", "#76ce900", "#76ce9g", "# 6ce90", "red", "#ééé",
        ] {
            assert!(normalise_color(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn free_colours_come_first() {
        let mut used = BTreeSet::new();
        for color in PALETTE {
            assert_eq!(pick(&used, ChannelId(7)), color);
            used.insert(color.to_owned());
        }
        assert_eq!(pick(&used, ChannelId(7)), PALETTE[7]);
        assert_eq!(pick(&used, ChannelId(24)), PALETTE[0]);
    }
}
