//! What came of a call to a service outside, as the component is told that had asked for it.

use crate::services::{Answer, Failure};

/// What came of one attempt.
pub(super) struct Outcome {
    pub(super) id: i64,
    pub(super) attempt: i64,
    /// 0: there was no answer.
    pub(super) status: u16,
    /// Of the answer, or why there is none.
    pub(super) body: String,
}

impl Outcome {
    pub(super) fn of(id: i64, attempt: i64, answer: Result<Answer, Failure>) -> Self {
        match answer {
            Ok(answer) => Self {
                id,
                attempt,
                status: answer.status,
                body: answer.body,
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

    /// The form that the route `finish` reads, which takes no NUL.
    pub(super) fn form(&self) -> String {
        let body = self.body.replace('\0', "\u{fffd}");
        form_urlencoded::Serializer::new(String::new())
            .append_pair("id", &self.id.to_string())
            .append_pair("attempt", &self.attempt.to_string())
            .append_pair("status", &self.status.to_string())
            .append_pair("body", &body)
            .finish()
    }
}
