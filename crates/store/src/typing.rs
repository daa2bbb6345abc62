//! Users who receive typing notifications.
//!
//! Reads subscriptions and the setting `receives_typing_notifications`. Who may receive them at all is
//! decided by the caller.

use spindle_domain::{ChannelId, UserId};

use crate::{Db, DbError, params, sql};

macro_rules! receives_typing {
    () => {
        "u.is_active = 1 AND coalesce(u.settings -> 'receives_typing_notifications', 'true') = 'true'"
    };
}

/// Those of the users in a JSON list of ids who receive typing notifications, ascending.
pub fn listeners_among(db: &dyn Db, user_ids: &str) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT u.id FROM users u WHERE u.id IN (SELECT value FROM json_ids(?1)) AND ",
            receives_typing!(),
            " ORDER BY u.id"
        ),
        &params![user_ids],
    )?
    .values()
}

/// The subscribers of a channel who receive typing notifications, ascending; none when more than
/// `limit` active accounts are subscribed.
pub fn listeners_in(
    db: &dyn Db,
    channel_id: ChannelId,
    limit: i64,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT u.id FROM subscriptions s JOIN users u ON u.id = s.user_id \
             WHERE (SELECT subscriber_count FROM channels WHERE id = ?1) <= ?2 \
             AND s.channel_id = ?1 AND s.active = 1 AND ",
            receives_typing!(),
            " ORDER BY u.id"
        ),
        &params![channel_id, limit],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn listeners_are_active_and_wish_it_and_are_not_too_many() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (1, 1, 1, 'Pub', 'pub', 5)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let users: Vec<UserId> = ["a@x", "b@x", "c@x"]
            .map(|email| testing::user(&tx, email))
            .into();
        let set = "UPDATE users SET settings = ?2 WHERE id = ?1";
        tx.execute(
            set,
            &params![users[1], r#"{"receives_typing_notifications":false}"#],
        )
        .unwrap();
        tx.execute(
            set,
            &params![users[2], r#"{"receives_typing_notifications":true}"#],
        )
        .unwrap();
        for user in &users {
            let sql =
                "INSERT INTO subscriptions (user_id, channel_id, color) VALUES (?1, 1, '#000000')";
            tx.execute(sql, &params![*user]).unwrap();
        }
        let all = crate::id_list(users.iter().copied());
        assert_eq!(listeners_among(&tx, &all), Ok(vec![users[0], users[2]]));
        assert_eq!(
            listeners_in(&tx, ChannelId(1), 3),
            Ok(vec![users[0], users[2]])
        );
        assert_eq!(listeners_in(&tx, ChannelId(1), 2), Ok(vec![]));
    }
}
