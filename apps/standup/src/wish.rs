//! Reads the text of a command.

use spindle_app::time::{self, weekday};

const MAX_QUESTIONS: usize = 10;
const MAX_QUESTION: usize = 200;
/// The values of a channel have room for these questions and all answers.
const MAX_QUESTION_BYTES: usize = 2_000;

pub(crate) const HELP: &str = "These are the commands:

* `/standup at 09:30 +02:00 on mon-fri`: ask on these days; the summary comes in this topic
* `/standup join`, `/standup leave`: take part, or stop
* `/standup skip`: leave yourself out of this stand-up or the next one; `/standup skip all` cancels the next one
* `/standup questions`, then each question on a line of its own
* `/standup remove 2`: take the second person off the list
* `/standup stop`: end the stand-ups
* `/standup`: how it stands";

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Show,
    At {
        /// Seconds after midnight.
        clock: i64,
        /// Seconds by which local time is ahead of UTC; otherwise that of the setting.
        offset: Option<i64>,
        days: [bool; 7],
    },
    Join,
    Leave,
    Skip,
    SkipAll,
    /// The number of a member in the list.
    Remove(usize),
    Questions(Vec<String>),
    Stop,
}

impl Wish {
    /// # Errors
    ///
    /// The text that explains the mistake to the person who wrote it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
        let words: Vec<&str> = first.split_whitespace().collect();
        let wish = match *words.as_slice() {
            [] => Self::Show,
            ["at", ref rest @ ..] => return read_at(rest),
            ["join"] => Self::Join,
            ["leave"] => Self::Leave,
            ["skip"] => Self::Skip,
            ["skip", "all"] => Self::SkipAll,
            ["stop"] => Self::Stop,
            ["questions"] => return read_questions(lines),
            ["remove", number] => match number.parse() {
                Ok(number) => Self::Remove(number),
                Err(_) => return Err("Write the number that `/standup` shows.".into()),
            },
            _ => return Err(HELP.into()),
        };
        if lines.trim().is_empty() {
            Ok(wish)
        } else {
            Err(HELP.into())
        }
    }
}

fn read_at(words: &[&str]) -> Result<Wish, String> {
    let (clock, rest) = match words {
        [clock, rest @ ..] => (time::clock(clock), rest),
        [] => (None, words),
    };
    let Some(clock) = clock else {
        return Err("Write a time from 0:00 to 23:59, such as `/standup at 09:30`.".into());
    };
    let (offset, rest) = match rest {
        [first, others @ ..] if *first != "on" => match time::offset(first) {
            Some(offset) => (Some(offset), others),
            None => {
                return Err(
                    "After the time comes the distance from UTC, such as `+02:00`, or `on` and days."
                        .into(),
                );
            }
        },
        rest => (None, rest),
    };
    let days = match rest {
        [] => [true, true, true, true, true, false, false],
        ["on", days @ ..] => {
            read_days(days).ok_or("Write days after `on`, such as `mon wed fri` or `mon-fri`.")?
        }
        _ => return Err("Write days after `on`, such as `on mon wed fri`.".into()),
    };
    Ok(Wish::At {
        clock,
        offset,
        days,
    })
}

/// `mon tue`, `mon, tue` and `mon-fri`; `None` without a day.
fn read_days(words: &[&str]) -> Option<[bool; 7]> {
    let mut days = [false; 7];
    let words = words.iter().flat_map(|word| word.split(','));
    for word in words.filter(|word| !word.is_empty()) {
        let (from, to) = match word.split_once(['-', '–']) {
            Some((from, to)) => (weekday(from)?, weekday(to)?),
            None => (weekday(word)?, weekday(word)?),
        };
        // From Saturday to Monday there are three days.
        let length = (to + 7 - from) % 7;
        for ahead in 0..=length {
            *days.get_mut((from + ahead) % 7)? = true;
        }
    }
    days.contains(&true).then_some(days)
}

fn read_questions(lines: &str) -> Result<Wish, String> {
    let questions: Vec<String> = (lines.lines())
        .map(|line| line.trim().trim_start_matches(['-', '*']).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    if !(1..=MAX_QUESTIONS).contains(&questions.len()) {
        return Err(format!(
            "Write 1 to {MAX_QUESTIONS} questions after `/standup questions`, each on a line of its own."
        ));
    }
    let bytes: usize = questions.iter().map(String::len).sum();
    let is_long = |question: &String| question.chars().count() > MAX_QUESTION;
    if questions.iter().any(is_long) || bytes > MAX_QUESTION_BYTES {
        return Err(format!(
            "A question has at most {MAX_QUESTION} characters, and all of them have at most {MAX_QUESTION_BYTES} bytes."
        ));
    }
    Ok(Wish::Questions(questions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_app::time::{HOUR, MINUTE};

    const WORKING: [bool; 7] = [true, true, true, true, true, false, false];

    #[test]
    fn a_time_may_have_an_offset_and_days() {
        let clock = 9 * HOUR + 30 * MINUTE;
        let at = |offset, days| Wish::At {
            clock,
            offset,
            days,
        };
        let ends = [true, false, false, false, false, true, true];
        for (text, wish) in [
            ("at 09:30", at(None, WORKING)),
            ("at 9:30 +02:00", at(Some(2 * HOUR), WORKING)),
            ("at 9:30 on mon tue wed, thu fri", at(None, WORKING)),
            ("at 9:30 -1 on Monday-friday", at(Some(-HOUR), WORKING)),
            ("at 9:30 on sat-mon", at(None, ends)),
        ] {
            assert_eq!(Wish::read(text), Ok(wish), "{text}");
        }
        for text in [
            "at",
            "at noon",
            "at 25:00",
            "at 9:30 mon",
            "at 9:30 on",
            "at 9:30 on someday",
            "at 9:30 +2 mon",
            "at 9:30 on mon-",
            "at 9:30 on , ,",
            "at 9:30 on é-–",
        ] {
            assert!(Wish::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn other_wishes_are_words() {
        for (text, wish) in [
            ("", Wish::Show),
            (" \n ", Wish::Show),
            ("join", Wish::Join),
            ("leave", Wish::Leave),
            ("skip", Wish::Skip),
            ("skip  all", Wish::SkipAll),
            ("stop", Wish::Stop),
            ("remove 2", Wish::Remove(2)),
        ] {
            assert_eq!(Wish::read(text), Ok(wish), "{text}");
        }
        for text in [
            "help",
            "join me",
            "join\nus",
            "skip 2",
            "remove x",
            "remove -1",
        ] {
            assert!(Wish::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn questions_are_lines() {
        let questions = Wish::read("questions\n- How?\n\n* Why? ").unwrap();
        assert_eq!(
            questions,
            Wish::Questions(vec!["How?".into(), "Why?".into()])
        );
        let many = (0..11).fold("questions".to_owned(), |text, n| format!("{text}\n{n}"));
        let long = format!("questions\n{}", "é".repeat(201));
        let wide = format!("questions{}", format!("\n{}", "字".repeat(190)).repeat(4));
        for text in ["questions", "questions\n -\n", &many, &long, &wide] {
            assert!(Wish::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn any_words_have_an_answer() {
        let words = [
            "",
            "at",
            "09:30",
            "9:3é",
            "+02:00",
            "-é",
            "on",
            "mon-",
            "–fri",
            "é",
            "remove",
            "-0",
            "18446744073709551616",
            "questions",
            "\n",
            "**",
            "skip",
            "all",
        ];
        for text in spindle_app::testing::phrases(&words) {
            assert!(!Wish::read(&text).is_err_and(|problem| problem.is_empty()));
        }
    }
}
