//! Removes the beginning of the audit log, for the operator.

use serde::{Deserialize, Serialize};
use spindle_domain::RealmId;
use spindle_store::{Connection, Db, Freeing, SilentReason, audit, audit_chain};

use crate::{ActionError, change};

/// Entries that one transaction removes.
const PART: i64 = 1000;

/// The data of the entry about a removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pruned {
    /// UNIX seconds.
    before: i64,
    /// The last position that was removed.
    pub(super) position: i64,
    /// Its digest, with which the chain begins from then on.
    pub(super) digest: String,
}

impl Pruned {
    /// The last removal, if there was one.
    pub(super) fn last(db: &dyn Db, realm_id: RealmId) -> Result<Option<Self>, ActionError> {
        let recorded = audit_chain::prunings(db, realm_id)?.into_iter();
        let recorded = recorded.filter_map(|data| serde_json::from_str::<Self>(&data).ok());
        Ok(recorded.max_by_key(|pruned| pruned.position))
    }
}

/// Removes entries that are older than `before` (UNIX seconds) at `now`: those of the chain up to its first one that is
/// not. Another entry records it. Returns how many were removed.
pub fn prune_audit_log(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    before: i64,
) -> Result<usize, ActionError> {
    let db = &Freeing(db);
    let why = SilentReason::Housekeeping;
    // Recorded first: after an interruption the chain begins later than recorded at most, and the next call goes on.
    let last = change::silently(db, why, |tx| {
        let Some(last) = audit_chain::last_before(tx, before)? else {
            return Ok(None);
        };
        let pruned = Pruned {
            before,
            position: last.position,
            digest: last.digest,
        };
        let data = serde_json::to_string(&pruned)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        audit::append(tx, realm_id, now, None, None, "audit_pruned", &data)?;
        Ok(Some(pruned.position))
    })?;
    let Some(last) = last else {
        return Ok(0);
    };
    let mut removed = 0;
    loop {
        let part = change::silently(db, why, |tx| Ok(audit_chain::remove(tx, last, PART)?))?;
        removed += part;
        if (part as i64) < PART {
            return Ok(removed);
        }
    }
}
