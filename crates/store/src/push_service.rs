//! Whether a push service is configured, what it has reported about this organization, and up to
//! where the event log was searched for messages to push.
//!
//! The host creates and deletes the row at its start; components find in it whether registrations
//! can be passed on.

use spindle_domain::{MessageId, RealmId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// The state of the push service.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PushServiceRow {
        /// The position in the event log up to which it was searched.
        pub log_position: i64,
        /// Whether it sends for this organization, as far as it has reported.
        pub can_push: bool,
        /// UNIX seconds at which it will stop; `None` when it has announced no end.
        pub end_timestamp: Option<i64>,
    }
}

/// Reads the row; `None` when no push service is configured.
pub fn state(db: &dyn Db, realm_id: RealmId) -> Result<Option<PushServiceRow>, DbError> {
    db.query(
        sql!("SELECT log_position, can_push, end_timestamp FROM push_service WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .first()
}

/// Notes that a push service is configured: the log is searched from `log_position` on. Changes
/// nothing when there was one before, so that nothing is missed over a restart.
pub fn configure(tx: &WriteTx<'_>, realm_id: RealmId, log_position: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO push_service (realm_id, log_position) VALUES (?1, ?2) ON CONFLICT DO NOTHING"),
        &params![realm_id, log_position],
    )?;
    Ok(())
}

/// Notes that no push service is configured.
pub fn forget(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM push_service WHERE realm_id = ?1"),
        &params![realm_id],
    )?;
    Ok(())
}

/// Notes that the log was searched from `from` to `to`; false when another worker has done so
/// already.
pub fn advance(tx: &WriteTx<'_>, realm_id: RealmId, from: i64, to: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE push_service SET log_position = ?3 WHERE realm_id = ?1 AND log_position = ?2 \
         RETURNING 1"
        ),
        &params![realm_id, from, to],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Stores what the service reports about this organization.
pub fn set_standing(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    can_push: bool,
    end_timestamp: Option<i64>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE push_service SET can_push = ?2, end_timestamp = ?3 WHERE realm_id = ?1"),
        &params![realm_id, can_push, end_timestamp],
    )?;
    Ok(())
}

row_struct! {
    /// One row of the event log that may matter.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LoggedChange {
        /// Position.
        pub seq: i64,
        /// Wire type.
        pub event_type: String,
        /// The new message, in `message`.
        pub message_id: Option<MessageId>,
        /// The audience as JSON; only where a message was read or deleted.
        pub audience: Option<String>,
    }
}

/// The rows of the log behind `position`, at most `limit`.
pub fn changes_after(db: &dyn Db, position: i64, limit: i64) -> Result<Vec<LoggedChange>, DbError> {
    db.query(
        sql!(
            "SELECT seq, type AS event_type, \
                 iif(type = 'message', CAST(body -> 'message' ->> 'id' AS BIGINT), NULL) AS message_id, \
                 iif(type IN ('update_message_flags', 'delete_message'), audience, NULL) AS audience \
             FROM event_log WHERE seq > ?1 ORDER BY seq LIMIT ?2"
        ),
        &params![position, limit],
    )?
    .all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn a_service_is_configured_once_and_forgotten() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(state(&tx, RealmId::ONLY), Ok(None));
        configure(&tx, RealmId::ONLY, 7).unwrap();
        configure(&tx, RealmId::ONLY, 9).unwrap();
        assert_eq!(advance(&tx, RealmId::ONLY, 9, 10), Ok(false));
        assert_eq!(advance(&tx, RealmId::ONLY, 7, 10), Ok(true));
        set_standing(&tx, RealmId::ONLY, false, Some(99)).unwrap();
        let expected = PushServiceRow {
            log_position: 10,
            can_push: false,
            end_timestamp: Some(99),
        };
        assert_eq!(state(&tx, RealmId::ONLY), Ok(Some(expected)));
        forget(&tx, RealmId::ONLY).unwrap();
        assert_eq!(state(&tx, RealmId::ONLY), Ok(None));
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
            [
                (1, Some(MessageId(5)), false),
                (2, None, true),
                (3, None, false)
            ]
        );
        assert_eq!(changes_after(&tx, 2, 10).unwrap().len(), 1);
        assert_eq!(changes_after(&tx, 0, 2).unwrap().len(), 2);
    }
}
