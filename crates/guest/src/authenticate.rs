//! Authentication: finds the account of the Authorization header, or of the cookie of a session.
//!
//! Owns when credentials are required, the answer to refused ones on ordinary
//! operations (always 401 UNAUTHORIZED), and which cookies count, since browsers
//! also send them with requests of other origins ([ADR 0041](../../../docs/adr/0041-sessions.md)). The
//! comparison itself is an action; keys and tokens must not be kept or logged here.

use crate::error::Failure;
use crate::{Connect, Guard, Operation};
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};
use spindle_actions::account::{Authenticated, authenticate, authenticate_session};
use spindle_actions::{ActionError, Actor};
use spindle_domain::errors::ClientError;
use spindle_wire::internal::Account;
use spindle_wire::{ApiError, Request, basic_auth, session_cookie};

/// `bot_type` of bots that may only send messages.
const INCOMING_WEBHOOK: i64 = 2;

/// The cookie of a request, as far as it counts.
enum Cookie<'r> {
    /// Its token opens every operation.
    OfOwnClient(&'r str),
    /// Its token gives access to files that pages show. An invalid one is ignored, since browsers
    /// send it with every request.
    Alone(&'r str),
    /// There is none that counts.
    None,
}

impl<'r> Cookie<'r> {
    fn of(operation: &Operation, request: &'r Request, external_url: &str) -> Self {
        let is_secure = session_cookie::is_secure(request, external_url);
        let Some(token) = session_cookie::token(request.headers(), is_secure) else {
            return Self::None;
        };
        if !session_cookie::is_same_origin(request, external_url) {
            return Self::None;
        }
        if session_cookie::is_of_own_client(request.headers()) {
            Self::OfOwnClient(token)
        } else if operation.by_cookie_alone && operation.method == Method::GET {
            Self::Alone(token)
        } else {
            Self::None
        }
    }
}

/// The caller of `operation`, or `None` where it needs none.
///
/// # Errors
/// What [`basic_auth`] refuses; 401 for credentials that are no active account's.
pub(crate) fn caller(
    operation: &Operation,
    request: &Request,
    external_url: &str,
    connect: &dyn Connect,
    now: i64,
) -> Result<Option<Authenticated>, Failure> {
    let is_optional = match operation.guard {
        Guard::Anonymous => return Ok(None),
        guard => guard == Guard::OptionalAuth,
    };
    let headers = request.headers();
    if let Some(credentials) = basic_auth::parse_optional(headers)? {
        let db = connect.db()?;
        let found = authenticate(db, &credentials.user, &credentials.key, now).map_err(refusal)?;
        check_webhook(operation, &found.actor)?;
        return Ok(Some(found));
    }
    match Cookie::of(operation, request, external_url) {
        Cookie::OfOwnClient(token) => {
            let found = authenticate_session(connect.db()?, token, now).map_err(refusal)?;
            Ok(Some(found))
        }
        Cookie::Alone(token) => match authenticate_session(connect.db()?, token, now) {
            Ok(found) => Ok(Some(Authenticated {
                actor: found.actor,
                is_renewal_due: false,
            })),
            Err(
                ActionError::WrongCredentials
                | ActionError::Client(ClientError::UserDeactivated | ClientError::RealmDeactivated),
            ) if is_optional => Ok(None),
            Err(error) => Err(refusal(error)),
        },
        Cookie::None if is_optional => Ok(None),
        Cookie::None => Err(ApiError::missing_credentials().into()),
    }
}

/// The account of a caller, as the host counts it.
pub(crate) fn account_of(actor: &Actor) -> Account {
    Account {
        user_id: actor.user_id.get(),
        owner_id: actor
            .bot_owner_id
            .filter(|_| actor.is_bot)
            .map(|owner_id| owner_id.get()),
        requests_per_minute: actor
            .requests_per_minute
            .and_then(|rate| u32::try_from(rate).ok()),
    }
}

/// Whether a request has credentials; if its caller is unknown, they were refused, perhaps as a
/// guess.
pub(crate) fn brings_credentials(headers: &HeaderMap) -> bool {
    headers.contains_key(AUTHORIZATION) || session_cookie::token(headers, false).is_some()
}

fn check_webhook(operation: &Operation, actor: &Actor) -> Result<(), ApiError> {
    if actor.bot_type == Some(INCOMING_WEBHOOK) && operation.guard != Guard::UserOrWebhook {
        return Err(ApiError::unauthorized(
            "An incoming webhook can only send messages",
        ));
    }
    Ok(())
}

/// All errors of credentials have one code; the text says why a right key is refused.
fn refusal(error: ActionError) -> Failure {
    match error {
        ActionError::Client(
            refusal @ (ClientError::UserDeactivated | ClientError::RealmDeactivated),
        ) => ApiError::unauthorized(refusal.text()).into(),
        other => other.into(),
    }
}
