//! The outcome of a call: the bot answers, the call is made again, or the bot's owner is notified of
//! the failure.

use serde_json::json;
use spindle_domain::{BotCallId, RealmId, UserId};
use spindle_events::Event;
use spindle_store::{Connection, WriteTx, audit, bot_calls};

use super::answer::{Outcome, outcome};
use super::{Service, Subject};
use crate::messages::{self, literal};
use crate::{ActionError, change};

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedCall {
    pub id: BotCallId,
    /// The number of the attempt; the outcome of one that was given up is ignored.
    pub attempt: i64,
    /// HTTP status; 0: there was no answer.
    pub status: i64,
    /// Body of the answer, or why there is none.
    pub body: String,
}

/// An attempt that has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The bot whose service was called.
    pub bot_id: UserId,
    /// Why, for the operator.
    pub reason: String,
    /// Whether the call is made again.
    pub is_repeated: bool,
}

/// Records the outcome of an attempt at `now` (UNIX seconds); `realm_url` has no slash at its
/// end. Returns the failure, if it is one. An outcome that comes too late or twice changes nothing.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn finish_bot_call(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    realm_url: &str,
    finished: &FinishedCall,
) -> Result<Option<FailedCall>, ActionError> {
    change::if_needed(db, realm_id, now, |tx| {
        let Some(row) = bot_calls::by_attempt(tx, finished.id, finished.attempt)? else {
            return Ok(change::outcome(None, []));
        };
        let subject = Subject::read(tx, row.bot_id, row.message_id)?;
        let (failed, events) = match subject {
            Some(subject) => {
                let step = step(&subject, finished);
                let failed = failed(row.bot_id, &step);
                let events = act(tx, now, realm_url, finished.id, &subject, step)?;
                (failed, events)
            }
            None => {
                bot_calls::delete(tx, row.id)?;
                (None, Vec::new())
            }
        };
        Ok(change::outcome(failed, events))
    })
}

fn step(subject: &Subject, finished: &FinishedCall) -> Outcome {
    match &subject.service {
        Service::Outgoing { interface, .. } => outcome(
            *interface,
            finished.attempt,
            finished.status,
            &finished.body,
        ),
        // The account has become another bot since the call was claimed.
        Service::Embedded { .. } => Outcome::Nothing,
    }
}

fn failed(bot_id: UserId, outcome: &Outcome) -> Option<FailedCall> {
    let (reason, is_repeated) = match outcome {
        Outcome::Again(_, why) => (why, true),
        Outcome::Failed(why) => (why, false),
        Outcome::Reply(_) | Outcome::Nothing => return None,
    };
    Some(FailedCall {
        bot_id,
        reason: reason.clone(),
        is_repeated,
    })
}

fn act(
    tx: &WriteTx<'_>,
    now: i64,
    realm_url: &str,
    call_id: BotCallId,
    subject: &Subject,
    outcome: Outcome,
) -> Result<Vec<Event>, ActionError> {
    match outcome {
        Outcome::Again(pause, _) => {
            bot_calls::postpone(tx, call_id, now + pause)?;
            Ok(Vec::new())
        }
        Outcome::Nothing => {
            bot_calls::delete(tx, call_id)?;
            Ok(Vec::new())
        }
        Outcome::Failed(why) => {
            bot_calls::delete(tx, call_id)?;
            notify_owner(tx, now, subject, &why)
        }
        Outcome::Reply(text) => {
            bot_calls::delete(tx, call_id)?;
            match subject.answer(tx, now, text, realm_url)? {
                Some(events) => Ok(events),
                None => notify_owner(tx, now, subject, "its answer could not be sent there"),
            }
        }
    }
}

/// Sends the owner of a bot a notice that its service was not called for a message, and why.
pub(super) fn notify_owner(
    tx: &WriteTx<'_>,
    now: i64,
    subject: &Subject,
    why: &str,
) -> Result<Vec<Event>, ActionError> {
    let bot = &subject.bot;
    let realm_id = bot.realm_id;
    let data = json!({"message_id": subject.message_id(), "why": why}).to_string();
    let kind = "bot_call_failed";
    let bot_id = Some(bot.user_id);
    audit::append(tx, realm_id, now, None, bot_id, kind, &data)?;
    let Some(owner_id) = bot.bot_owner_id else {
        return Ok(Vec::new());
    };
    let text = format!(
        "The service of your bot {} could not be asked about message {}.",
        literal(&bot.full_name),
        subject.message.id
    );
    messages::notify_owner(tx, realm_id, now, owner_id, text, why)
}
