//! Puts entries of the audit log into its chain (docs/adr/0069-a-chain-of-the-audit-log.md).

use serde_json::json;
use sha2::{Digest as _, Sha256};
use spindle_domain::RealmId;
use spindle_store::audit::AuditRow;
use spindle_store::{Connection, audit_chain};

use super::prune::Pruned;
use crate::text::hexadecimal;
use crate::{ActionError, change};

/// Entries that one transaction puts into the chain.
const PART: usize = 500;

/// Gives entries that have none their positions and digests, one part of them, at `now` (UNIX seconds). Returns whether
/// nothing is left.
pub fn chain_audit_log(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    if audit_chain::unchained(db, 1)?.is_empty() {
        return Ok(true);
    }
    // On several nodes, two runs conflict over the rows that both have read, and the second one begins again.
    change::locked_if_needed(db, realm_id, now, |tx| {
        let rows = audit_chain::unchained(tx, PART as i64)?;
        let mut end = audit_chain::end(tx)?;
        // All entries of the chain may have been removed; it goes on behind them.
        if end.position == 0
            && let Some(pruned) = Pruned::last(tx, realm_id)?
        {
            (end.position, end.digest) = (pruned.position, pruned.digest);
        }
        for row in &rows {
            end.position += 1;
            end.digest = digest(&end.digest, end.position, row);
            audit_chain::set(tx, row.id, end.position, &end.digest)?;
        }
        Ok(change::outcome(rows.len() < PART, []))
    })
}

/// SHA-256 of the digest before, a line break, and the entry as a JSON list.
pub(super) fn digest(before: &str, position: i64, row: &AuditRow) -> String {
    let entry = json!([
        position,
        row.id,
        row.time,
        row.acting_user_id,
        row.modified_user_id,
        row.event_type,
        row.data,
    ]);
    hexadecimal(&Sha256::digest(format!("{before}\n{entry}")))
}
