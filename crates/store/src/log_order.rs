//! The order of the event log on PostgreSQL (docs/adr/0051-the-order-of-the-log.md).
//!
//! Transactions commit in another order than they draw ids in, so each adds its events to an outbox, which
//! no reader sees. Owns the statement that moves committed events into the log and gives them their
//! positions. One such statement runs at a time, on any node, so positions only grow. On
//! SQLite, where writers are serial, events are written to the log itself, and nothing here is called.

use crate::{Connection, DbError, Statement, either, sql, statement};

/// Waits until no other node puts events in order (the number is this lock's among those of the database), then moves
/// committed events, those with the lowest ids first: an event that was written after another one was committed has a
/// higher id. Each step sees what was committed before it, so the second sees all that the lock protects. It is one
/// statement: a node that vanishes in the middle leaves no transaction that holds the lock.
const MOVE: Statement = statement!(either!(
    "",
    "DO $$ BEGIN \
     PERFORM pg_advisory_xact_lock(5471); \
     WITH moved AS (DELETE FROM event_outbox WHERE id = ANY (ARRAY( \
         SELECT id FROM event_outbox ORDER BY id LIMIT 1000)) \
     RETURNING id, realm_id, time, type, body, audience) \
     INSERT INTO event_log (origin, realm_id, time, type, body, audience) \
     SELECT id, realm_id, time, type, body, audience FROM moved ORDER BY id; \
     END $$"
));

/// Gives every event that was committed before this call its position in the log; returns how often events were moved.
pub fn put_in_order(connection: &dyn Connection) -> Result<i64, DbError> {
    let waits = sql!(either!(
        "SELECT 0 AS waits",
        "SELECT EXISTS (SELECT 1 FROM event_outbox) AS waits"
    ));
    let mut moves = 0;
    while connection.query(waits, &[])?.value()? == Some(true) {
        connection.execute(MOVE, &[])?;
        moves += 1;
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use spindle_domain::RealmId;

    use super::*;
    use crate::testing::TestPostgres;
    use crate::{DbError, NativePg, NewEvent, ReadTx, WriteTx, event_delivery, event_log};

    fn event(body: &str) -> NewEvent {
        NewEvent {
            event_type: "heartbeat",
            body: format!("{{\"text\":\"{body}\"}}"),
            audience: r#"{"realm":true}"#.to_owned(),
        }
    }

    fn append<'d>(db: &'d NativePg, body: &str) -> WriteTx<'d> {
        let tx = WriteTx::begin(db).unwrap();
        tx.append(RealmId::ONLY, 5, [event(body)]).unwrap();
        tx
    }

    fn bodies(db: &NativePg, first: i64) -> Vec<(i64, String)> {
        let rows = event_delivery::log_from(db, first, 100).unwrap();
        let text = |body: &str| body.replace("{\"text\":\"", "").replace("\"}", "");
        rows.iter().map(|row| (row.seq, text(&row.body))).collect()
    }

    /// Connections to a new database with an organization.
    fn with_connections(test: impl FnOnce([NativePg; 3])) {
        let Some(database) = TestPostgres::with_realm() else {
            return;
        };
        test([(); 3].map(|()| database.open()));
    }

    #[test]
    fn a_row_that_is_committed_late_follows_what_was_delivered() {
        with_connections(|[one, two, follower]| {
            let early = append(&one, "first to begin");
            let late = append(&two, "first to commit");
            late.commit().unwrap();
            assert_eq!(put_in_order(&follower), Ok(1));
            let delivered = bodies(&follower, 0);
            assert_eq!(delivered.len(), 1);
            assert_eq!(delivered[0].1, "first to commit");
            early.commit().unwrap();
            assert_eq!(put_in_order(&follower), Ok(1));
            let next = bodies(&follower, delivered[0].0 + 1);
            assert_eq!(next.len(), 1);
            assert_eq!(next[0].1, "first to begin");
            assert_eq!(put_in_order(&follower), Ok(0));
        });
    }

    #[test]
    fn a_snapshot_knows_which_later_rows_it_holds() {
        with_connections(|[one, two, follower]| {
            append(&one, "before").commit().unwrap();
            put_in_order(&follower).unwrap();
            append(&one, "committed").commit().unwrap();
            let open = append(&one, "uncommitted");
            let point = {
                let snapshot = ReadTx::begin(&two).unwrap();
                let point = event_log::point(&snapshot).unwrap();
                open.commit().unwrap();
                assert_eq!(event_log::point(&snapshot).unwrap(), point);
                point
            };
            put_in_order(&follower).unwrap();
            let held =
                event_delivery::positions_of(&follower, point.position, &point.unordered).unwrap();
            let mut later = bodies(&follower, point.position + 1);
            assert_eq!(later.len(), 2);
            later.retain(|(seq, _)| !held.contains(seq));
            assert_eq!(later.len(), 1);
            assert_eq!(later[0].1, "uncommitted");
        });
    }

    #[test]
    fn many_movers_give_each_row_one_place() {
        with_connections(|[one, two, three]| {
            let writing = std::thread::spawn(move || {
                for number in 0..50 {
                    append(&one, &number.to_string()).commit().unwrap();
                }
            });
            let movers = [two, three].map(|db| {
                std::thread::spawn(move || {
                    while bodies(&db, 0).len() < 50 {
                        put_in_order(&db)?;
                    }
                    Ok::<_, DbError>(db)
                })
            });
            writing.join().unwrap();
            let [db, _] = movers.map(|mover| mover.join().unwrap().unwrap());
            let numbers: Vec<String> = bodies(&db, 0).into_iter().map(|(_, body)| body).collect();
            let expected: Vec<String> = (0..50).map(|number| number.to_string()).collect();
            assert_eq!(numbers, expected);
        });
    }
}
