//! Claims calls to the push service that are due and builds their requests.

use spindle_domain::{PushCallId, RealmId, UserId};
use spindle_store::push_calls::{self, PushCallRow};
use spindle_store::realms::RealmRow;
use spindle_store::{
    Connection, DbError, SilentReason, WriteTx, push_recipients, push_service, realms,
};

use super::payload::{self, Origin};
use super::request;
use crate::{ActionError, change};

/// Calls that one claim takes at most.
const CLAIMED_AT_ONCE: i64 = 20;
/// Seconds after which a call without a reported outcome is made again.
const CLAIM_SECS: i64 = 60;

/// A call to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedPush {
    pub id: PushCallId,
    /// The owner of the phones: calls for the same user are made one by one.
    pub user_id: UserId,
    /// The number of the attempt, from 1; it is reported with the outcome.
    pub attempt: i64,
    /// Where to POST, below the address of the push service.
    pub path: &'static str,
    /// Type of the body.
    pub content_type: &'static str,
    pub body: String,
    /// The same for each attempt at a call, and for no other call of any server.
    pub idempotency_key: String,
}

/// Claims the calls that are due at `now` (UNIX seconds); `realm_url` has no slash at its end.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn claim_push_calls(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    realm_url: &str,
) -> Result<Vec<ClaimedPush>, ActionError> {
    // Most claims find nothing, and need not wait for the write lock.
    if !push_calls::is_any_due(db, now)? || push_service::state(db, realm_id)?.is_none() {
        return Ok(Vec::new());
    }
    change::silently(db, SilentReason::Calls, |tx| {
        let realm = realms::by_id(tx, realm_id)?.ok_or(DbError::NoRow)?;
        let origin = Origin {
            realm: &realm,
            realm_url,
            now,
        };
        let mut claimed = Vec::new();
        for row in push_calls::claim(tx, now, now + CLAIM_SECS, CLAIMED_AT_ONCE)? {
            match call(tx, &origin, &row)? {
                Some((path, content_type, body)) => claimed.push(ClaimedPush {
                    id: row.id,
                    user_id: row.user_id,
                    attempt: row.attempts,
                    path,
                    content_type,
                    body,
                    idempotency_key: idempotency_key(&realm, &row),
                }),
                None => push_calls::delete(tx, row.id)?,
            }
        }
        Ok(claimed)
    })
}

fn idempotency_key(realm: &RealmRow, row: &PushCallRow) -> String {
    format!("{}-{}", realm.uuid, row.id)
}

type Sent = (&'static str, &'static str, String);

/// Path, type and text of a request; `None` when it is out of date. A message counts as pushed from
/// now on, whatever the outcome of the call is.
fn call(
    tx: &WriteTx<'_>,
    origin: &Origin<'_>,
    row: &PushCallRow,
) -> Result<Option<Sent>, ActionError> {
    let uuid = &origin.realm.uuid;
    if row.kind == "register" {
        let form = request::registration(uuid, row)?;
        let sent = (request::REGISTER, "application/x-www-form-urlencoded", form);
        return Ok(Some(sent));
    }
    let phones = push_recipients::phones(tx, row.user_id, &row.form, row.target)?;
    let Some(fields) = payload::of(tx, origin, row)? else {
        return Ok(None);
    };
    let body = request::notification(uuid, &row.kind, &row.form, &phones, &fields)?;
    if let (Some(_), Some(message_id)) = (&body, row.message_id) {
        push_calls::note_pushed(tx, row.user_id, message_id)?;
    }
    Ok(body.map(|body| (request::NOTIFY, "application/json", body)))
}
