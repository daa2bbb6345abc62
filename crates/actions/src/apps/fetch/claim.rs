//! Claims requests that are due, with their secrets.

use sha2::{Digest as _, Sha256};
use spindle_domain::apps::{Effect, Entry};
use spindle_domain::{AppFetchId, AppId, RealmId};
use spindle_store::apps::{self, fetches, secrets};
use spindle_store::{Connection, SilentReason, WriteTx, realms};

use super::check::{check_fetch, is_named, secret_for};
use super::finish::note_answer;
use crate::app_events::Installed;
use crate::text::hexadecimal;
use crate::{ActionError, change};

/// Seconds after which a request without a reported outcome is made again.
const CLAIM_SECS: i64 = 60;
/// Requests that one claim takes at most.
const CLAIMED_AT_ONCE: i64 = 16;
/// Requests of one app that may be claimed at any time.
const CLAIMED_PER_APP: i64 = 4;

/// A request to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedFetch {
    pub id: AppFetchId,
    pub app_id: AppId,
    /// The number of the attempt, from 1; to be reported with the outcome.
    pub attempt: i64,
    pub request: FetchRequest,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    pub method: String,
    pub url: String,
    /// With the secret and an `Idempotency-Key`.
    pub headers: Vec<Entry>,
    pub body: String,
    /// Whether it goes to public addresses only, not to networks that the operator has allowed.
    pub is_public: bool,
}

/// Claims requests that are due at `now` (UNIX seconds), at most as many as the caller has `room` for. One that is no longer
/// allowed is answered with a failure.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn claim_app_fetches(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    room: i64,
) -> Result<Vec<ClaimedFetch>, ActionError> {
    let is_off = || -> Result<bool, ActionError> {
        Ok(realms::by_id(db, realm_id)?.is_none_or(|realm| realm.deactivated))
    };
    if !fetches::is_any_due(db, now)? || is_off()? {
        return Ok(Vec::new());
    }
    change::silently(db, SilentReason::Apps, |tx| {
        let most = room.clamp(0, CLAIMED_AT_ONCE);
        let mut claimed = Vec::new();
        for row in fetches::claim(tx, now, now + CLAIM_SECS, most, CLAIMED_PER_APP)? {
            let Some(app) = apps::by_id(tx, realm_id, row.app_id)? else {
                continue;
            };
            let app = Installed::of(app)?;
            match request(tx, &app, &row) {
                Ok(request) => claimed.push(ClaimedFetch {
                    id: row.id,
                    app_id: row.app_id,
                    attempt: row.attempts,
                    request,
                }),
                Err(ActionError::BadRequest(why)) => {
                    fetches::delete(tx, row.id)?;
                    note_answer(tx, now, &app, &row, Err(why))?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(claimed)
    })
}

fn request(
    tx: &WriteTx<'_>,
    app: &Installed,
    row: &fetches::FetchRow,
) -> Result<FetchRequest, ActionError> {
    let effect: Effect = serde_json::from_str(&row.body)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    check_fetch(app, &effect)?;
    let Effect::Fetch {
        method,
        url,
        mut headers,
        body,
        secret,
        ..
    } = effect
    else {
        return Err(ActionError::Internal("a fetch of another kind".to_owned()));
    };
    if let Some(named) = secret {
        let value = match secret_for(app, &named.secret, &url) {
            Some(secret) => secrets::value(tx, app.row.id, &secret.name)?,
            None => None,
        };
        let value = value.ok_or_else(|| {
            ActionError::BadRequest(format!("the secret {:?} is not set", named.secret))
        })?;
        headers.push(Entry {
            key: named.header,
            value: format!("{}{value}", named.prefix),
        });
    }
    // No other server that calls the same service has the key of this webhook.
    let key = apps::webhook_key(tx, app.row.id)?.unwrap_or_default();
    let digest = Sha256::digest(format!("{key} {}", row.id).as_bytes());
    headers.push(Entry {
        key: "Idempotency-Key".to_owned(),
        value: hexadecimal(digest.get(..16).unwrap_or_default()),
    });
    Ok(FetchRequest {
        is_public: !is_named(app, &url),
        method,
        url,
        headers,
        body,
    })
}
