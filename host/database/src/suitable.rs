//! Whether a node can work with a database of a server: whether their clocks agree, and whether a connection is a session.
//!
//! Checked before a server starts, and by `spindle config check` and `spindle doctor`. Changes nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use spindle_store::{Connection, DbError, ReadTx, nodes};

/// Seconds by which the clocks of this machine and of the database may differ. Calls of bots and of the push service
/// are claimed for longer.
const TOLERANCE: i64 = 30;

/// Checks the clock of the database against this machine's.
pub(super) fn clocks_agree(db: &dyn Connection) -> Result<(), DbError> {
    let own = SystemTime::now().duration_since(UNIX_EPOCH);
    let own = own.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
    judge(own - nodes::clock(db)?)
}

fn judge(ahead: i64) -> Result<(), DbError> {
    if ahead.abs() <= TOLERANCE {
        return Ok(());
    }
    let (seconds, which) = (ahead.abs(), if ahead > 0 { "ahead" } else { "behind" });
    Err(DbError::Failed(format!(
        "the clock of this machine is {seconds} seconds {which} of the database's: keep both right by NTP \
         (timedatectl set-ntp true)"
    )))
}

/// Checks that each connection keeps its session: locks and settings belong to one. A pooler that gives connections another
/// session for each transaction gives `two` the one that `one` has just used.
pub(super) fn connections_are_sessions(
    one: &dyn Connection,
    two: &dyn Connection,
) -> Result<(), DbError> {
    let used = nodes::session(one)?;
    let snapshot = ReadTx::begin(two)?;
    if nodes::session(&snapshot)? != used {
        return Ok(());
    }
    Err(DbError::Failed(
        "a pooler gives connections another session for each transaction: set its pool_mode to session, or connect to \
         the server itself"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_may_differ_by_seconds() {
        for ahead in [-30, 0, 30] {
            assert_eq!(judge(ahead), Ok(()));
        }
        let ahead = judge(3600).unwrap_err().reason();
        assert!(ahead.contains("3600 seconds ahead"), "{ahead}");
        let behind = judge(-31).unwrap_err().reason();
        assert!(behind.contains("31 seconds behind"), "{behind}");
    }
}
