//! The outcome of a call to an external service, in the form that actions take.

use spindle_outgoing::{Answer, Failure};

/// The outcome of one attempt.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) id: i64,
    pub(super) attempt: i64,
    /// 0: there was no answer.
    pub(super) status: i64,
    /// Of the answer, or why there is none; without NUL, which texts in the database have not.
    pub(super) body: String,
}

impl Outcome {
    pub(super) fn of(id: i64, attempt: i64, answer: Result<Answer, Failure>) -> Self {
        match answer {
            Ok(answer) => Self {
                id,
                attempt,
                status: answer.status.into(),
                body: answer.body.replace('\0', "\u{fffd}"),
            },
            Err(failure) => Self::silence(id, attempt, failure.to_string()),
        }
    }

    /// Of a call that has no answer, and why.
    pub(super) fn silence(id: i64, attempt: i64, reason: String) -> Self {
        Self {
            id,
            attempt,
            status: 0,
            body: reason,
        }
    }
}
