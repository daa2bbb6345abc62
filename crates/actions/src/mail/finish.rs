//! The outcome of an attempt at sending a mail: it was taken, it never will be, or it is tried again.

use spindle_domain::text::first_chars;
use spindle_domain::{MailId, MailKind};
use spindle_store::mails::{self, MailEnd};
use spindle_store::{Connection, SilentReason};

use crate::{ActionError, change};

/// Characters of an answer that are kept.
const MAX_ANSWER: usize = 500;

/// How an attempt has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailOutcome {
    /// The mail server has taken it.
    Sent,
    /// The mail server will never take it.
    Refused,
    /// It may be taken later.
    Later,
}

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedMail {
    pub id: MailId,
    /// The number of the attempt; the outcome of one that was given up is ignored.
    pub attempt: i64,
    pub outcome: MailOutcome,
    /// The mail server's answer, or why there is none.
    pub answer: String,
}

/// Records the outcome of an attempt at `now` (UNIX seconds). An outcome that comes too late or twice changes nothing.
pub fn finish_mail(
    db: &dyn Connection,
    now: i64,
    finished: &FinishedMail,
) -> Result<(), ActionError> {
    change::silently(db, SilentReason::Calls, |tx| {
        let Some(row) = mails::by_attempt(tx, finished.id, finished.attempt)? else {
            return Ok(());
        };
        let answer = first_chars(&finished.answer, MAX_ANSWER);
        let pause = MailKind::by_name(&row.kind).and_then(|kind| kind.pause(row.attempts));
        let end = match (finished.outcome, pause) {
            (MailOutcome::Later, Some(pause)) => {
                return Ok(mails::postpone(tx, row.id, now + pause, answer)?);
            }
            (MailOutcome::Later, None) => MailEnd::Expired,
            (MailOutcome::Sent, _) => MailEnd::Sent,
            (MailOutcome::Refused, _) => MailEnd::Refused,
        };
        Ok(mails::end(tx, row.id, now, end, Some(answer))?)
    })
}
