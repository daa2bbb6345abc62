//! What services have delivered to incoming webhooks, by their own ids.
//!
//! A delivery that is repeated is recognized by it (docs/adr/0054-repeated-sends.md). A trigger keeps the newest 200 of
//! each bot.

use spindle_domain::{MessageId, UserId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// The message that this delivery has made already; it may have been deleted since.
pub fn find(db: &dyn Db, bot_id: UserId, delivery: &str) -> Result<Option<MessageId>, DbError> {
    db.query(
        sql!("SELECT message_id FROM webhook_deliveries WHERE bot_id = ?1 AND delivery = ?2"),
        &params![bot_id, delivery],
    )?
    .value()
}

/// When the message that this delivery has made was sent, in UNIX seconds; none if it was deleted.
pub fn sent_at(db: &dyn Db, bot_id: UserId, delivery: &str) -> Result<Option<i64>, DbError> {
    db.query(
        sql!(
            "SELECT m.date_sent FROM webhook_deliveries d JOIN messages m ON m.id = d.message_id \
             WHERE d.bot_id = ?1 AND d.delivery = ?2"
        ),
        &params![bot_id, delivery],
    )?
    .value()
}

/// Notes which message the delivery has made, in place of an earlier one.
pub fn store(
    tx: &WriteTx<'_>,
    bot_id: UserId,
    delivery: &str,
    message_id: MessageId,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO webhook_deliveries (bot_id, delivery, message_id) VALUES (?1, ?2, ?3) \
             ON CONFLICT (bot_id, delivery) DO UPDATE SET message_id = excluded.message_id"
        ),
        &params![bot_id, delivery, message_id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn the_newest_two_hundred_of_each_bot_are_known() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (one, other) = (
            testing::user(&tx, "one-bot@x.org"),
            testing::user(&tx, "other-bot@x.org"),
        );
        store(&tx, other, "1", MessageId(1)).unwrap();
        for number in 1..=201 {
            store(&tx, one, &number.to_string(), MessageId(number)).unwrap();
        }
        assert_eq!(find(&tx, one, "1"), Ok(None), "the oldest is gone");
        assert_eq!(find(&tx, one, "2"), Ok(Some(MessageId(2))));
        assert_eq!(find(&tx, other, "1"), Ok(Some(MessageId(1))));
        assert_eq!(find(&tx, other, "2"), Ok(None));
    }
}
