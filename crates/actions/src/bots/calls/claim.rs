//! Claims calls that are due and builds their requests. Embedded bots answer right here.

use spindle_domain::{BotCallId, RealmId, UserId};
use spindle_store::bot_calls::{self, BotCallRow, Share};
use spindle_store::{Connection, Db};

use super::{Service, Subject, payload};
use crate::bots::embedded;
use crate::{ActionError, change};

/// Calls that one claim takes at most.
const CLAIMED_AT_ONCE: i64 = 64;
/// Calls of one bot that may be claimed at any time.
const CLAIMED_PER_BOT: i64 = 8;
/// Calls of all bots of one owner that may be claimed at any time.
const CLAIMED_PER_OWNER: i64 = 16;
/// Seconds after which a call without a reported outcome is made again.
const CLAIM_SECS: i64 = 60;

/// A call to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedCall {
    pub id: BotCallId,
    /// The number of the attempt, from 1; to be reported with the outcome.
    pub attempt: i64,
    /// The bot's owner; the bot itself without one.
    pub owner_id: UserId,
    /// Where to POST.
    pub url: String,
    /// Type of the body.
    pub content_type: &'static str,
    pub body: String,
}

/// Claims calls that are due at `now` (UNIX seconds), at most as many as the caller has `room` for;
/// `realm_url` has no slash at its end.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn claim_bot_calls(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    room: i64,
    realm_url: &str,
) -> Result<Vec<ClaimedCall>, ActionError> {
    // Most claims find nothing, and need not wait for the write lock.
    if !bot_calls::is_any_due(db, now)? {
        return Ok(Vec::new());
    }
    change::if_needed(db, realm_id, now, |tx| {
        let (mut claimed, mut events) = (Vec::new(), Vec::new());
        let share = Share {
            limit: room.clamp(0, CLAIMED_AT_ONCE),
            per_bot: CLAIMED_PER_BOT,
            per_owner: CLAIMED_PER_OWNER,
        };
        for row in bot_calls::claim(tx, now, now + CLAIM_SECS, share)? {
            let Some(subject) = Subject::read(tx, row.bot_id, row.message_id)? else {
                bot_calls::delete(tx, row.id)?;
                continue;
            };
            match outgoing(tx, &row, &subject)? {
                Some(call) => claimed.push(call),
                None => {
                    bot_calls::delete(tx, row.id)?;
                    if let Some(text) = embedded_answer(&subject) {
                        // Where the bot may not write, it stays silent.
                        events.extend(
                            subject
                                .answer(tx, now, text, realm_url)?
                                .into_iter()
                                .flatten(),
                        );
                    }
                }
            }
        }
        Ok(change::outcome(claimed, events))
    })
}

fn outgoing(
    db: &dyn Db,
    row: &BotCallRow,
    subject: &Subject,
) -> Result<Option<ClaimedCall>, ActionError> {
    let Service::Outgoing {
        base_url,
        interface,
        token,
    } = &subject.service
    else {
        return Ok(None);
    };
    let (content_type, body) = payload::of(db, subject, &row.reason, *interface, token)?;
    Ok(Some(ClaimedCall {
        id: row.id,
        attempt: row.attempts,
        owner_id: row.owner_id,
        url: base_url.clone(),
        content_type,
        body,
    }))
}

fn embedded_answer(subject: &Subject) -> Option<String> {
    let Service::Embedded {
        service_name,
        config_data,
    } = &subject.service
    else {
        return None;
    };
    let (name, id) = (&subject.bot.full_name, subject.bot.user_id);
    let mut text = subject.message.content.clone();
    for mention in [format!("@**{name}**"), format!("@**{name}|{id}**")] {
        text = text.replace(&mention, " ");
    }
    embedded::answer(service_name, &text, config_data)
}
