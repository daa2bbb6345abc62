//! What the client of each event queue has sent with a `local_id`.
//!
//! A send that is repeated is recognized by it (docs/adr/0054-repeated-sends.md). Rows go with their queue; a trigger keeps
//! the newest 200 of each. What counts as the same message is the caller's.

use spindle_domain::{MessageId, UserId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// One send as its client has named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalSend<'a> {
    /// The sender. Rows of queues of other users are neither found nor made.
    pub user_id: UserId,
    /// The queue that shows the message as the client's own.
    pub queue_id: &'a str,
    /// The client's id for the message.
    pub local_id: &'a str,
    /// Of the destination and the content, hexadecimal.
    pub digest: &'a str,
}

/// The message that this send has made already; it may have been deleted since.
pub fn find(db: &dyn Db, send: &LocalSend<'_>) -> Result<Option<MessageId>, DbError> {
    db.query(
        sql!(
            "SELECT message_id FROM sent_local_ids JOIN event_queues ON id = queue_id \
             WHERE queue_id = ?2 AND local_id = ?3 AND digest = ?4 AND user_id = ?1"
        ),
        &params![send.user_id, send.queue_id, send.local_id, send.digest],
    )?
    .value()
}

/// Notes which message the send has made; does nothing when the sender has no such queue.
pub fn insert(
    tx: &WriteTx<'_>,
    send: &LocalSend<'_>,
    message_id: MessageId,
) -> Result<(), DbError> {
    // On PostgreSQL the same send may be under way at the same time: then one of the two conflicts and runs again.
    tx.execute(
        statement!(
            "INSERT INTO sent_local_ids (queue_id, local_id, digest, message_id) \
             SELECT id, ?3, ?4, ?5 FROM event_queues WHERE id = ?2 AND user_id = ?1 \
             ON CONFLICT DO NOTHING"
        ),
        &params![
            send.user_id,
            send.queue_id,
            send.local_id,
            send.digest,
            message_id
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use spindle_domain::RealmId;

    use super::*;
    use crate::event_log::LogPoint;
    use crate::queues::{self, NewQueue};
    use crate::testing::{self, TestDatabase};

    fn queue(tx: &WriteTx<'_>, user_id: UserId) {
        let base = LogPoint {
            position: 0,
            unordered: "[]".to_owned(),
        };
        let new = NewQueue {
            id: "q",
            realm_id: RealmId::ONLY,
            user_id,
            base: &base,
            created: 0,
            idle_timeout_secs: 600,
            registration: "{}",
            accept_version: 1,
        };
        assert!(queues::insert(tx, &new, false).unwrap().is_some());
    }

    fn send<'a>(user_id: UserId, local_id: &'a str, digest: &'a str) -> LocalSend<'a> {
        LocalSend {
            user_id,
            queue_id: "q",
            local_id,
            digest,
        }
    }

    #[test]
    fn a_send_is_known_while_its_owners_queue_lives() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        let first = send(ann, "1.01", "d");
        insert(&tx, &first, MessageId(5)).unwrap();
        assert_eq!(find(&tx, &first), Ok(None), "the queue does not exist yet");
        queue(&tx, ann);
        insert(&tx, &send(bob, "1.01", "d"), MessageId(4)).unwrap();
        assert_eq!(find(&tx, &first), Ok(None), "the queue is another user's");
        insert(&tx, &first, MessageId(5)).unwrap();
        assert_eq!(find(&tx, &first), Ok(Some(MessageId(5))));
        for other in [
            send(ann, "1.02", "d"),
            send(ann, "1.01", "e"),
            send(bob, "1.01", "d"),
        ] {
            assert_eq!(find(&tx, &other), Ok(None), "{other:?}");
        }
        assert!(queues::delete(&tx, "q", ann).unwrap());
        queue(&tx, ann);
        assert_eq!(find(&tx, &first), Ok(None), "the queue has ended");
    }

    #[test]
    fn the_oldest_of_more_than_two_hundred_goes() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        queue(&tx, ann);
        for number in 1..=201 {
            let local_id = number.to_string();
            insert(&tx, &send(ann, &local_id, "d"), MessageId(number)).unwrap();
        }
        assert_eq!(find(&tx, &send(ann, "1", "d")), Ok(None));
        assert_eq!(find(&tx, &send(ann, "2", "d")), Ok(Some(MessageId(2))));
        assert_eq!(find(&tx, &send(ann, "201", "d")), Ok(Some(MessageId(201))));
    }
}
