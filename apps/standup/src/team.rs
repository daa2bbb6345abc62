//! Who takes part in the stand-up of a channel, and what they have answered.

use spindle_app::Values;

use crate::round::Round;

/// The answers of so many people fit into the values of a channel.
pub(crate) const MAX_MEMBERS: usize = 25;
pub(crate) const QUESTIONS: &str = "questions";
pub(crate) const SKIP_ALL: &str = "skip-all";

const MEMBER: &str = "member ";
const DEFAULT_QUESTIONS: &str = "What have you done since the last stand-up?
What will you do today?
What is in your way?";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) id: i64,
    /// The round in which the person was asked last. Negative: they joined while this round was under way.
    pub(crate) asked: i64,
    /// Whether they want to be left out of the next round.
    pub(crate) skips: bool,
    /// The round of the answer, and the answer; empty if they were left out.
    pub(crate) answer: Option<(i64, String)>,
}

/// All members in a fixed order.
pub(crate) fn members(values: &Values) -> Vec<Member> {
    let member = |(id, asked): (&str, &str)| {
        let id = id.parse().ok()?;
        let answer = values.get(&answer_key(id)).and_then(|value| {
            let (round, text) = value.split_once(' ')?;
            Some((round.parse().ok()?, text.to_owned()))
        });
        Some(Member {
            id,
            asked: asked.parse().ok()?,
            skips: values.get(&skip_key(id)).is_some(),
            answer,
        })
    };
    let mut members: Vec<Member> = values.below(MEMBER).filter_map(member).collect();
    members.sort_by_key(|member| member.id);
    members
}

impl Member {
    /// Whether the person has still to be asked in a round.
    pub(crate) fn is_to_be_asked(&self, round: &Round) -> bool {
        self.asked != round.start && self.asked != -round.start
    }

    pub(crate) fn was_asked(&self, round: &Round) -> bool {
        self.asked == round.start
    }

    /// The answer of a round; empty if they were left out.
    pub(crate) fn answer_of(&self, round: &Round) -> Option<&str> {
        let (of, text) = self.answer.as_ref()?;
        (*of == round.start).then_some(text)
    }
}

pub(crate) fn member_key(id: i64) -> String {
    format!("{MEMBER}{id}")
}

pub(crate) fn answer_key(id: i64) -> String {
    format!("answer {id}")
}

pub(crate) fn skip_key(id: i64) -> String {
    format!("skip {id}")
}

/// The value of an answer of a round.
pub(crate) fn answer_value(round: i64, text: &str) -> String {
    format!("{round} {text}")
}

/// The questions as a quotation of a numbered list.
pub(crate) fn questions(values: &Values) -> String {
    let lines = values.get(QUESTIONS).unwrap_or(DEFAULT_QUESTIONS).lines();
    let lines: Vec<String> = (1..)
        .zip(lines)
        .map(|(number, line): (usize, _)| format!("> {number}. {line}"))
        .collect();
    lines.join("\n")
}
