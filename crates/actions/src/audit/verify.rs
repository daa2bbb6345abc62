//! Checks the chain of the audit log.

use spindle_domain::RealmId;
use spindle_store::audit_chain::{self, ChainEnd};
use spindle_store::{Connection, ReadTx};

use super::chain::digest;
use super::prune::Pruned;
use crate::ActionError;

/// Entries that one statement reads.
const PART: i64 = 1000;

/// The first entry at which the chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenEntry {
    pub position: i64,
    pub why: &'static str,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Entries whose digest is right.
    pub entries: u64,
    /// The last of them.
    pub end: ChainEnd,
    pub broken: Option<BrokenEntry>,
}

/// Computes all digests again, up to the first one that differs.
pub fn verify_audit_log(db: &dyn Connection, realm_id: RealmId) -> Result<Verified, ActionError> {
    let tx = ReadTx::begin_large(db)?;
    let mut verified = Verified {
        entries: 0,
        end: ChainEnd::default(),
        broken: None,
    };
    let mut rows = audit_chain::after(&tx, 0, PART)?;
    if let Some(first) = rows.first()
        && first.position > Some(1)
    {
        let removed = first.position.unwrap_or_default() - 1;
        match Pruned::last(&tx, realm_id)? {
            Some(pruned) if pruned.position == removed => {
                verified.end = ChainEnd {
                    position: removed,
                    digest: pruned.digest,
                };
            }
            // The removal was interrupted: the digest before this entry is not known.
            Some(pruned) if pruned.position > removed => {
                verified.end = ChainEnd {
                    position: removed + 1,
                    digest: first.digest.clone().unwrap_or_default(),
                };
                rows.remove(0);
            }
            _ => {
                let why = "the entries before it are missing";
                let position = removed + 1;
                verified.broken = Some(BrokenEntry { position, why });
                return Ok(verified);
            }
        }
    }
    loop {
        for row in &rows {
            let expected = verified.end.position + 1;
            let position = row.position.unwrap_or_default();
            let digest = digest(&verified.end.digest, position, row);
            let why = if position != expected {
                "the entry is missing"
            } else if row.digest.as_ref() != Some(&digest) {
                "the entry is not what its digest says, or the one before it was replaced"
            } else {
                verified.entries += 1;
                verified.end = ChainEnd { position, digest };
                continue;
            };
            let position = expected;
            verified.broken = Some(BrokenEntry { position, why });
            return Ok(verified);
        }
        rows = audit_chain::after(&tx, verified.end.position, PART)?;
        if rows.is_empty() {
            return Ok(verified);
        }
    }
}
