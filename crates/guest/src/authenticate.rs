//! Who calls: from the Authorization header to the account behind it.
//!
//! Owns when credentials are asked for and what a refused one looks like on ordinary
//! operations: always 401 UNAUTHORIZED (protocol-facts 1.4). The comparison itself is an
//! action; the key must not be kept or logged here.

use crate::error::Failure;
use crate::{Connect, Guard, Operation};
use http::HeaderMap;
use spindle_actions::{ActionError, Actor, authenticate};
use spindle_wire::{ApiError, basic_auth};

/// `bot_type` of bots that may only send messages.
const INCOMING_WEBHOOK: i64 = 2;

/// The caller of `operation`, or `None` where it needs none.
///
/// # Errors
/// What [`basic_auth`] refuses; 401 for credentials that are no active account's.
pub(crate) fn caller(
    operation: &Operation,
    headers: &HeaderMap,
    connect: &dyn Connect,
    now: i64,
) -> Result<Option<Actor>, Failure> {
    let credentials = match operation.guard {
        Guard::Anonymous | Guard::Internal => return Ok(None),
        Guard::OptionalAuth => match basic_auth::parse_optional(headers)? {
            Some(credentials) => credentials,
            None => return Ok(None),
        },
        _ => basic_auth::parse(headers)?,
    };
    let db = connect.db()?;
    let actor = authenticate(db, &credentials.user, &credentials.key, now).map_err(refusal)?;
    if actor.bot_type == Some(INCOMING_WEBHOOK) && operation.guard != Guard::UserOrWebhook {
        return Err(ApiError::unauthorized("An incoming webhook can only send messages").into());
    }
    Ok(Some(actor))
}

/// Errors of credentials have one code, whatever is wrong; the text tells a holder of the
/// right key why it is refused.
fn refusal(error: ActionError) -> Failure {
    match error {
        ActionError::UserDeactivated => {
            ApiError::unauthorized("This account has been deactivated").into()
        }
        ActionError::RealmDeactivated => {
            ApiError::unauthorized("This organization has been deactivated").into()
        }
        other => other.into(),
    }
}
