//! One stand-up, from its questions until answers are taken no more.

use spindle_app::Values;

/// The names of ticks: a stand-up begins; more people are asked; answers have come; the summary is due.
pub(crate) const START: &str = "start";
pub(crate) const ASK: &str = "ask";
pub(crate) const CHECK: &str = "check";
pub(crate) const DEADLINE: &str = "deadline";

pub(crate) const ROUND: &str = "round";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Round {
    /// When it began, in UNIX seconds: also its number.
    pub(crate) start: i64,
    /// Until then answers are added to the summary.
    pub(crate) until: i64,
    pub(crate) is_posted: bool,
}

impl Round {
    pub(crate) fn of(values: &Values) -> Option<Self> {
        let mut parts = values.get(ROUND)?.split(' ');
        Some(Self {
            start: parts.next()?.parse().ok()?,
            until: parts.next()?.parse().ok()?,
            is_posted: parts.next()? == "posted",
        })
    }

    /// The round in which people can still answer.
    pub(crate) fn open(values: &Values, now: i64) -> Option<Self> {
        Self::of(values).filter(|round| now < round.until)
    }

    /// What [`Self::of`] reads.
    pub(crate) fn value(&self) -> String {
        let state = if self.is_posted { "posted" } else { "open" };
        format!("{} {} {state}", self.start, self.until)
    }
}
