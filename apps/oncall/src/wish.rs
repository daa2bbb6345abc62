//! Reads the text of a command.

use spindle_app::mentioned;
use spindle_app::time::{self, DAY, weekday};

/// No cover is longer.
const MAX_COVER: i64 = 31 * DAY;

pub(crate) const HELP: &str = "These are the commands:

* `/oncall rota weekly from mon 09:00 +02:00` or `/oncall rota daily from 09:00`: when the next person takes over
* `/oncall join`, `/oncall leave`: take part in the rotation, or stop
* `/oncall swap`: the person on call and the next one exchange their turns
* `/oncall take 4h`: be on call yourself for minutes (`30m`), hours, days or weeks; `/oncall back` ends that
* `/oncall remove 2`: take the second person off the list
* `/oncall stop`: end the rotation
* `/oncall`: who is on call, and who is next";

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Show,
    Rota {
        /// Monday is 0; none for a change each day.
        weekday: Option<usize>,
        /// Seconds after midnight.
        clock: i64,
        /// Seconds by which local time is ahead of UTC; otherwise that of the setting.
        offset: Option<i64>,
        /// Persons who were mentioned with their ids.
        people: Vec<i64>,
    },
    Join,
    Leave,
    Swap,
    /// For so many seconds.
    Take(i64),
    Back,
    /// The number of a person in the list.
    Remove(usize),
    Stop,
}

impl Wish {
    /// # Errors
    ///
    /// The text that explains the mistake to the person who wrote it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        Ok(match *words.as_slice() {
            [] => Self::Show,
            ["rota", ..] => return read_rota(text),
            ["join"] => Self::Join,
            ["leave"] => Self::Leave,
            ["swap"] => Self::Swap,
            ["back"] => Self::Back,
            ["stop"] => Self::Stop,
            ["take", length] => {
                match time::duration(length).filter(|length| *length <= MAX_COVER) {
                    Some(length) => Self::Take(length),
                    None => {
                        return Err(
                            "Write for how long, such as `30m`, `4h` or `2d`; at most 31 days."
                                .into(),
                        );
                    }
                }
            }
            ["remove", number] => match number.parse() {
                Ok(number) => Self::Remove(number),
                Err(_) => return Err("Write the number that `/oncall` shows.".into()),
            },
            _ => return Err(HELP.into()),
        })
    }
}

fn read_rota(text: &str) -> Result<Wish, String> {
    let (plain, is_unknown) = without_mentions(text);
    if is_unknown {
        return Err(
            "An app knows people by their numbers, and a mention has one only if two people have the same name. Write the command without names; each person then writes `/oncall join`."
                .into(),
        );
    }
    let problem = || {
        "Write `/oncall rota weekly from mon 09:00` or `/oncall rota daily from 09:00`.".to_owned()
    };
    let words: Vec<&str> = plain.split_whitespace().skip(1).collect();
    let (weekday, rest) = match words.as_slice() {
        ["weekly", "from", day, rest @ ..] => (Some(weekday(day).ok_or_else(problem)?), rest),
        ["daily", "from", rest @ ..] => (None, rest),
        _ => return Err(problem()),
    };
    let (clock, offset) = match rest {
        [clock] => (time::clock(clock), Some(None)),
        [clock, offset] => (time::clock(clock), time::offset(offset).map(Some)),
        _ => return Err(problem()),
    };
    Ok(Wish::Rota {
        weekday,
        clock: clock.ok_or("Write a time from 0:00 to 23:59.")?,
        offset: offset.ok_or("Write the distance from UTC as `+02:00`.")?,
        people: mentioned(text),
    })
}

/// The text without mentions, and whether one of them has no id.
fn without_mentions(text: &str) -> (String, bool) {
    let mut plain = String::new();
    let mut is_unknown = false;
    for (index, part) in text.split("**").enumerate() {
        if index % 2 == 0 {
            plain.push_str(part.trim_end_matches("@_").trim_end_matches('@'));
            plain.push(' ');
        } else {
            is_unknown |= mentioned(&format!("**{part}**")).is_empty();
        }
    }
    (plain, is_unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_app::time::{HOUR, MINUTE};

    #[test]
    fn a_rota_has_a_time_and_perhaps_people() {
        let rota = |weekday, offset, people: &[i64]| Wish::Rota {
            weekday,
            clock: 9 * HOUR,
            offset,
            people: people.to_vec(),
        };
        for (text, wish) in [
            ("rota weekly from mon 09:00", rota(Some(0), None, &[])),
            ("rota daily from 9:00 -3", rota(None, Some(-3 * HOUR), &[])),
            (
                "rota @**Ann A|7** @_**Ben|8** weekly from Sunday 9:00 +02:00",
                rota(Some(6), Some(2 * HOUR), &[7, 8]),
            ),
            ("rota daily from 9:00 @**Ann|7**", rota(None, None, &[7])),
        ] {
            assert_eq!(Wish::read(text), Ok(wish), "{text}");
        }
        for text in [
            "rota",
            "rota weekly",
            "rota weekly from 09:00",
            "rota daily from noon",
            "rota daily from 9:00 2",
            "rota daily from 9:00 +2 x",
            "rota daily from 9:00 **",
        ] {
            assert!(Wish::read(text).is_err(), "{text}");
        }
        let problem = Wish::read("rota @**Ann** daily from 9:00").unwrap_err();
        assert!(problem.contains("/oncall join"), "{problem}");
    }

    #[test]
    fn other_wishes_are_words() {
        for (text, wish) in [
            (" ", Wish::Show),
            ("join", Wish::Join),
            ("swap", Wish::Swap),
            ("take 30m", Wish::Take(30 * MINUTE)),
            ("back", Wish::Back),
            ("remove 2", Wish::Remove(2)),
            ("stop", Wish::Stop),
        ] {
            assert_eq!(Wish::read(text), Ok(wish), "{text}");
        }
        for text in [
            "help",
            "take",
            "take 4",
            "take 32d",
            "take é",
            "remove -1",
            "join me",
        ] {
            assert!(Wish::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn any_words_have_an_answer() {
        let words = [
            "",
            "rota",
            "daily",
            "weekly",
            "from",
            "mon",
            "9:00",
            "é:é",
            "+",
            "take",
            "é",
            "9223372036854775807w",
            "remove",
            "-0",
            "**",
            "@_**x|**",
            "@**|7**",
            "|",
        ];
        for text in spindle_app::testing::phrases(&words) {
            assert!(!Wish::read(&text).is_err_and(|problem| problem.is_empty()));
        }
    }
}
