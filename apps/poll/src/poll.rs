//! A poll as it is kept in the values of its message, and how it looks.

use std::fmt::Write as _;

use spindle_app::{Values, time};

/// Names that one answer shows.
const MAX_NAMES: usize = 20;
const VOTE: &str = "vote ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Poll {
    pub(crate) text: String,
    pub(crate) answers: Vec<String>,
    /// UNIX seconds.
    pub(crate) deadline: Option<i64>,
    pub(crate) shows_names: bool,
}

/// The vote of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ballot {
    pub(crate) person: i64,
    pub(crate) name: String,
    /// The position of the answer.
    pub(crate) answer: usize,
}

impl Poll {
    /// `None` for a message that is not a poll.
    pub(crate) fn of(values: &Values) -> Option<Self> {
        let answers = values.get("answers")?;
        Some(Self {
            text: values.get("question")?.to_owned(),
            answers: answers.lines().map(str::to_owned).collect(),
            deadline: values.parse("deadline"),
            shows_names: values.parse("shows_names").unwrap_or(false),
        })
    }

    /// What [`Self::of`] reads.
    pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
        let mut values = vec![
            ("question", self.text.clone()),
            ("answers", self.answers.join("\n")),
            ("shows_names", self.shows_names.to_string()),
        ];
        if let Some(deadline) = self.deadline {
            values.push(("deadline", deadline.to_string()));
        }
        values
    }

    /// Ids and labels.
    pub(crate) fn buttons(&self) -> impl Iterator<Item = (String, &str)> {
        (1..)
            .zip(&self.answers)
            .map(|(number, answer): (usize, _)| (number.to_string(), answer.as_str()))
    }

    /// The position of the answer of a button.
    pub(crate) fn answer_of(&self, button: &str) -> Option<usize> {
        let position = button.parse::<usize>().ok()?.checked_sub(1)?;
        (position < self.answers.len()).then_some(position)
    }

    /// The text of the message.
    pub(crate) fn draw(&self, ballots: &[Ballot], has_ended: bool) -> String {
        let mut text = format!("**{}**\n\n", self.text);
        for (position, answer) in self.answers.iter().enumerate() {
            let mine: Vec<&Ballot> = (ballots.iter())
                .filter(|ballot| ballot.answer == position)
                .collect();
            // Writing to a text cannot fail.
            let _ = write!(text, "* {answer}: {}", votes(mine.len()));
            if self.shows_names && !mine.is_empty() {
                let mut names: Vec<&str> = (mine.iter())
                    .take(MAX_NAMES)
                    .map(|ballot| ballot.name.as_str())
                    .collect();
                names.sort_unstable();
                let more = if mine.len() > MAX_NAMES { ", …" } else { "" };
                let _ = write!(text, " ({}{more})", names.join(", "));
            }
            text.push('\n');
        }
        if has_ended {
            text.push_str("\nThe poll has ended.");
        } else if let Some(deadline) = self.deadline {
            let _ = write!(text, "\nOpen until {}.", time::shown(deadline));
        }
        text
    }
}

impl Ballot {
    /// Of all people.
    pub(crate) fn all(values: &Values) -> Vec<Self> {
        let ballot = |(person, vote): (&str, &str)| {
            let (answer, name) = vote.split_once(' ')?;
            Some(Self {
                person: person.parse().ok()?,
                name: name.to_owned(),
                answer: answer.parse().ok()?,
            })
        };
        values.below(VOTE).filter_map(ballot).collect()
    }

    /// What [`Self::all`] reads.
    pub(crate) fn value(&self) -> (String, String) {
        let name: String = self.name.chars().take(60).collect();
        (
            format!("{VOTE}{}", self.person),
            format!("{} {name}", self.answer),
        )
    }
}

fn votes(count: usize) -> String {
    match count {
        1 => "1 vote".to_owned(),
        count => format!("{count} votes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_is_read_as_it_was_kept() {
        let poll = Poll {
            text: "Lunch?".to_owned(),
            answers: vec!["Pizza".to_owned(), "Soup".to_owned()],
            deadline: Some(60),
            shows_names: true,
        };
        let ballots = [
            Ballot {
                person: 1,
                name: "Zoe Z".to_owned(),
                answer: 1,
            },
            Ballot {
                person: 2,
                name: "Ann".to_owned(),
                answer: 1,
            },
        ];
        let values: Values = (poll.values().into_iter())
            .map(|(key, value)| (key.to_owned(), value))
            .chain(ballots.iter().map(Ballot::value))
            .collect();
        assert_eq!(Poll::of(&values), Some(poll.clone()));
        assert_eq!(Ballot::all(&values), ballots);
        assert_eq!(
            poll.draw(&ballots, false),
            "**Lunch?**\n\n* Pizza: 0 votes\n* Soup: 2 votes (Ann, Zoe Z)\n\nOpen until <time:1970-01-01T00:01:00Z>."
        );
        assert!(poll.draw(&ballots, true).ends_with("The poll has ended."));
        assert_eq!(poll.answer_of("2"), Some(1));
        for button in ["0", "3", "x", "-1"] {
            assert_eq!(poll.answer_of(button), None, "{button}");
        }
    }

    #[test]
    fn many_names_are_shortened() {
        let poll = Poll {
            text: "Yes?".to_owned(),
            answers: vec!["Yes".to_owned()],
            deadline: None,
            shows_names: true,
        };
        let ballots: Vec<Ballot> = (0..25)
            .map(|person| Ballot {
                person,
                name: format!("P{person:02}"),
                answer: 0,
            })
            .collect();
        let text = poll.draw(&ballots, false);
        assert!(text.contains("25 votes (P00, ") && text.contains("P19, …)"));
        assert!(!text.contains("P20"));
    }
}
