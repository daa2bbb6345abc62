//! The audit log for the operator: entries, the check of its chain, and the removal of old entries.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use spindle_actions::audit::{AuditFilter, Verified, prune_audit_log, verify_audit_log};
use spindle_domain::audit::Acting;
use spindle_domain::{AuditEntryId, UserId};
use spindle_store::audit::{self, AuditRow};

use super::{REALM, Session, explain, now};

/// Entries that one statement reads.
const PART: i64 = 1000;

/// An entry; the form of `--output json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditEntry {
    pub id: AuditEntryId,
    /// UNIX seconds.
    pub time: i64,
    /// `user`, `operator` or `server`.
    pub acting: &'static str,
    pub acting_user_id: Option<UserId>,
    pub modified_user_id: Option<UserId>,
    pub event_type: String,
    pub data: Value,
    /// Place in the chain; none until a job has put the entry there.
    pub position: Option<i64>,
    pub digest: Option<String>,
}

impl AuditEntry {
    fn of(row: AuditRow) -> Result<Self> {
        let acting = Acting::of(row.acting_user_id.is_some(), &row.event_type);
        Ok(Self {
            id: row.id,
            time: row.time,
            acting: acting.name(),
            acting_user_id: row.acting_user_id,
            modified_user_id: row.modified_user_id,
            event_type: row.event_type,
            data: serde_json::from_str(&row.data)?,
            position: row.position,
            digest: row.digest,
        })
    }
}

impl Session {
    /// Hands the matching entries to `each`, the oldest first. `email` selects changes by or of one account.
    ///
    /// # Errors
    /// There is no such account, or `each` fails.
    pub fn audit_entries(
        &self,
        filter: AuditFilter,
        email: Option<&str>,
        mut each: impl FnMut(AuditEntry) -> Result<()>,
    ) -> Result<()> {
        let user = email.map(|email| self.find(email)).transpose()?;
        let filter = AuditFilter {
            user_id: user.map(|user| user.user_id),
            ..filter
        };
        let mut last = AuditEntryId(0);
        loop {
            let rows = audit::list_after(self.db(), REALM, &filter, last, PART)?;
            match rows.last() {
                Some(row) => last = row.id,
                None => return Ok(()),
            }
            for row in rows {
                each(AuditEntry::of(row)?)?;
            }
        }
    }

    /// Checks the chain.
    ///
    /// # Errors
    /// There is no organization.
    pub fn verify_audit_log(&self) -> Result<Verified> {
        self.require_realm()?;
        verify_audit_log(self.db(), REALM).map_err(explain)
    }

    /// Removes entries older than `before` (UNIX seconds); returns how many.
    ///
    /// # Errors
    /// There is no organization.
    pub fn prune_audit_log(&self, before: i64) -> Result<usize> {
        self.require_realm()?;
        prune_audit_log(self.db(), REALM, now()?, before).map_err(explain)
    }
}
