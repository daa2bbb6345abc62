//! Whether a push service is configured, what it has said about this organization, and how far
//! the event log was looked through for messages to push.
//!
//! The row is made and taken away by the host at its start; components find in it whether
//! registrations have anywhere to go.

use crate::{Db, DbError, WriteTx, params, sql};

/// The push service as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushServiceRow {
    /// Rows of the event log up to here were looked at.
    pub log_position: i64,
    /// Whether it sends for this organization, as far as it has said.
    pub can_push: bool,
    /// UNIX seconds at which it will stop, when it has said so.
    pub end_timestamp: Option<i64>,
}

/// Reads the row; none when no push service is configured.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn state(db: &dyn Db, realm_id: i64) -> Result<Option<PushServiceRow>, DbError> {
    db.query(
        sql!("SELECT log_position, can_push, end_timestamp FROM push_service WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .read_first(|row| {
        Ok(PushServiceRow {
            log_position: row.integer()?,
            can_push: row.flag()?,
            end_timestamp: row.optional_integer()?,
        })
    })
}

/// A push service is configured: the log is looked through from `log_position` on. Changes
/// nothing when there was one before, so that nothing is missed over a restart.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn configure(tx: &WriteTx<'_>, realm_id: i64, log_position: i64) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO push_service (realm_id, log_position) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        &params![realm_id, log_position],
    )?;
    Ok(())
}

/// No push service is configured any more.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn forget(tx: &WriteTx<'_>, realm_id: i64) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM push_service WHERE realm_id = ?1",
        &params![realm_id],
    )?;
    Ok(())
}

/// The log was looked through from `from` to `to`; false when somebody else has done so already.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn advance(tx: &WriteTx<'_>, realm_id: i64, from: i64, to: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        "UPDATE push_service SET log_position = ?3 WHERE realm_id = ?1 AND log_position = ?2 \
         RETURNING 1",
        &params![realm_id, from, to],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Stores what the service says about this organization.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_standing(
    tx: &WriteTx<'_>,
    realm_id: i64,
    can_push: bool,
    end_timestamp: Option<i64>,
) -> Result<(), DbError> {
    tx.execute(
        "UPDATE push_service SET can_push = ?2, end_timestamp = ?3 WHERE realm_id = ?1",
        &params![realm_id, can_push, end_timestamp],
    )?;
    Ok(())
}

/// One row of the event log that may matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedChange {
    /// Position.
    pub seq: i64,
    /// Wire type.
    pub event_type: String,
    /// The new message, in `message`.
    pub message_id: Option<i64>,
    /// Who was told, as JSON; only where a message was read or deleted.
    pub audience: Option<String>,
}

/// The rows of the log behind `position`, at most `limit`.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn changes_after(db: &dyn Db, position: i64, limit: i64) -> Result<Vec<LoggedChange>, DbError> {
    db.query(
        sql!(
            "SELECT seq, type, iif(type = 'message', body ->> '$.message.id', NULL), \
                 iif(type IN ('update_message_flags', 'delete_message'), audience, NULL) \
             FROM event_log WHERE seq > ?1 ORDER BY seq LIMIT ?2"
        ),
        &params![position, limit],
    )?
    .read_all(|row| {
        Ok(LoggedChange {
            seq: row.integer()?,
            event_type: row.text()?,
            message_id: row.optional_integer()?,
            audience: row.optional_text()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn a_service_is_configured_once_and_forgotten() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(state(&tx, 1), Ok(None));
        configure(&tx, 1, 7).unwrap();
        configure(&tx, 1, 9).unwrap();
        assert_eq!(advance(&tx, 1, 9, 10), Ok(false));
        assert_eq!(advance(&tx, 1, 7, 10), Ok(true));
        set_standing(&tx, 1, false, Some(99)).unwrap();
        let expected = PushServiceRow {
            log_position: 10,
            can_push: false,
            end_timestamp: Some(99),
        };
        assert_eq!(state(&tx, 1), Ok(Some(expected)));
        forget(&tx, 1).unwrap();
        assert_eq!(state(&tx, 1), Ok(None));
    }

    #[test]
    fn the_log_shows_what_may_matter() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for (event_type, body) in [
            ("message", r#"{"message":{"id":5}}"#),
            ("update_message_flags", r#"{"messages":[5]}"#),
            ("presence", "{}"),
        ] {
            tx.execute(
                "INSERT INTO event_log (realm_id, time, type, body, audience) \
                 VALUES (1, 0, ?1, ?2, '{\"users\":[3]}')",
                &params![event_type, body],
            )
            .unwrap();
        }
        let found = changes_after(&tx, 0, 10).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|change| (change.seq, change.message_id, change.audience.is_some()))
            .collect();
        assert_eq!(
            shown,
            [(1, Some(5), false), (2, None, true), (3, None, false)]
        );
        assert_eq!(changes_after(&tx, 2, 10).unwrap().len(), 1);
        assert_eq!(changes_after(&tx, 0, 2).unwrap().len(), 2);
    }
}
