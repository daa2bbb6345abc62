//! Reads the text of a command: the question, its answers, and when the poll ends.

use spindle_app::time;

const MAX_TEXT: usize = 200;
const MAX_ANSWER: usize = 60;
const MAX_ANSWERS: usize = 10;
const MAX_SECONDS: i64 = 365 * time::DAY;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) answers: Vec<String>,
    /// How long people can vote.
    pub(crate) seconds: Option<i64>,
}

impl Question {
    /// # Errors
    ///
    /// The text that explains the mistake to the person who asked.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let Some(question) = lines.next() else {
            return Err(
                "Write a question after /vote, then each answer on a line of its own.".into(),
            );
        };
        if question.chars().count() > MAX_TEXT {
            return Err(format!("A question has at most {MAX_TEXT} characters."));
        }
        let mut answers: Vec<String> = Vec::new();
        let mut seconds = None;
        for line in lines {
            if let Some(time) = line.strip_prefix("until ").and_then(duration) {
                seconds = Some(time);
                continue;
            }
            let answer = line.strip_prefix("- ").unwrap_or(line).trim();
            if answer.chars().count() > MAX_ANSWER {
                return Err(format!("An answer has at most {MAX_ANSWER} characters."));
            }
            if answers.iter().any(|other| other == answer) {
                return Err(format!("The answer \"{answer}\" is there twice."));
            }
            answers.push(answer.to_owned());
        }
        if answers.is_empty() {
            answers = vec!["Yes".to_owned(), "No".to_owned()];
        }
        if !(2..=MAX_ANSWERS).contains(&answers.len()) {
            return Err(format!(
                "A poll has 2 to {MAX_ANSWERS} answers, each on a line of its own."
            ));
        }
        Ok(Self {
            text: question.to_owned(),
            answers,
            seconds,
        })
    }
}

/// At most a year; `None` for anything else, which then is an answer.
fn duration(text: &str) -> Option<i64> {
    time::duration(text).filter(|seconds| *seconds <= MAX_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_question_answers_and_a_deadline() {
        let question = Question::read("Lunch?\n\n- Pizza\n Soup \nuntil 2h").unwrap();
        assert_eq!(question.text, "Lunch?");
        assert_eq!(question.answers, ["Pizza", "Soup"]);
        assert_eq!(question.seconds, Some(7200));
        let question = Question::read("Ship it?").unwrap();
        assert_eq!(question.answers, ["Yes", "No"]);
        assert_eq!(question.seconds, None);
        // Not a time, hence an answer.
        let question = Question::read("When?\nuntil we drop\ntoday").unwrap();
        assert_eq!(question.answers, ["until we drop", "today"]);
    }

    #[test]
    fn what_is_not_a_poll_is_refused() {
        let long = "x".repeat(201);
        let many = (0..11).fold("Which?".to_owned(), |text, n| format!("{text}\n{n}"));
        for (text, problem) in [
            (" \n", "Write a question"),
            (long.as_str(), "200 characters"),
            ("Which?\nonly", "2 to 10 answers"),
            (many.as_str(), "2 to 10 answers"),
            ("Which?\na\na", "twice"),
        ] {
            let answer = Question::read(text).unwrap_err();
            assert!(answer.contains(problem), "{text}: {answer}");
        }
        assert!(Question::read(&format!("Which?\na\n{}", "é".repeat(61))).is_err());
    }

    #[test]
    fn polls_last_at_most_a_year() {
        assert_eq!(duration("365d"), Some(MAX_SECONDS));
        assert_eq!(duration("366d"), None);
    }
}
