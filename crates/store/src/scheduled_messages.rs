//! Messages that are sent at a later time.
//!
//! Statements for a user's request name the user, so that a message of another account is like one
//! that does not exist. Delivery reads the messages that are due, and deletes one in the transaction
//! that sends it.

use spindle_domain::{ChannelId, RealmId, ScheduledMessageId, UserId};

use crate::{Db, DbError, Value, WriteTx, params, row_struct, sql, statement};

/// A scheduled message as the wire has it (docs/protocol/scheduled.md#scheduled-message).
macro_rules! scheduled_object {
    () => {
        "iif(channel_id IS NULL, \
            json_object('scheduled_message_id', id, 'type', 'private', 'to', json(recipients), \
                'content', content, 'rendered_content', rendered_content, \
                'scheduled_delivery_timestamp', deliver_at, \
                'failed', json(iif(failure IS NULL, 'false', 'true'))), \
            json_object('scheduled_message_id', id, 'type', 'stream', 'to', channel_id, \
                'topic', topic, 'content', content, 'rendered_content', rendered_content, \
                'scheduled_delivery_timestamp', deliver_at, \
                'failed', json(iif(failure IS NULL, 'false', 'true'))))"
    };
}

row_struct! {
/// The stored columns of a scheduled message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledRow {
    /// None for a direct message.
    pub channel_id: Option<ChannelId>,
    /// JSON list of ids of a direct message: the other people, or the own id alone.
    pub recipients: Option<String>,
    /// Empty for a direct message.
    pub topic: String,
    /// Markdown.
    pub content: String,
    /// HTML.
    pub rendered_content: String,
    /// UNIX seconds.
    pub deliver_at: i64,
    /// Whether the sender has read it once it is sent.
    pub read_by_sender: bool,
    /// Name of the client.
    pub client: String,
    /// Base URL of the organization, as the client that wrote it knows it.
    pub realm_url: String,
    /// Whether the last delivery failed.
    pub failed: bool,
}
}

row_struct! {
    /// A message that is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DueRow {
        /// The scheduled message.
        pub id: ScheduledMessageId,
        /// The account that sends it.
        pub user_id: UserId,
        /// UNIX seconds.
        pub deliver_at: i64,
    }
}

row_struct! {
    /// A message as it was stored.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct StoredRow {
        pub id: ScheduledMessageId,
        /// Its wire form as JSON (docs/protocol/scheduled.md#scheduled-message).
        pub object: String,
    }
}

/// The scheduled messages of a user as a JSON list, the one that is sent first coming first.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json(",
            scheduled_object!(),
            ") ORDER BY deliver_at, id) FROM scheduled_messages WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .one_value()
}

/// Stores a message.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
    message: &ScheduledRow,
) -> Result<StoredRow, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO scheduled_messages (realm_id, user_id, channel_id, recipients, topic, \
             content, rendered_content, deliver_at, read_by_sender, client, realm_url) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id, ",
            scheduled_object!(),
            " AS object"
        ),
        &values(realm_id, user_id, message),
    )?
    .one()
}

/// Two ids, and then the stored columns of a message.
fn values(
    first_id: impl Into<Value>,
    second_id: impl Into<Value>,
    message: &ScheduledRow,
) -> [Value; 11] {
    params![
        first_id.into(),
        second_id.into(),
        message.channel_id,
        message.recipients.as_deref(),
        message.topic.as_str(),
        message.content.as_str(),
        message.rendered_content.as_str(),
        message.deliver_at,
        message.read_by_sender,
        message.client.as_str(),
        message.realm_url.as_str()
    ]
}

/// A message of a user, if they have it.
pub fn find(
    db: &dyn Db,
    user_id: UserId,
    scheduled_message_id: ScheduledMessageId,
) -> Result<Option<ScheduledRow>, DbError> {
    db.query(
        sql!(
            "SELECT channel_id, recipients, topic, content, rendered_content, deliver_at, \
             read_by_sender, client, realm_url, failure IS NOT NULL AS failed FROM scheduled_messages \
             WHERE id = ?2 AND user_id = ?1"
        ),
        &params![user_id, scheduled_message_id],
    )?
    .first()
}

/// Replaces a message, so that its delivery is tried again; returns its object as JSON.
///
/// # Errors
/// [`DbError::NoRow`] when there is no such message.
pub fn replace(
    tx: &WriteTx<'_>,
    user_id: UserId,
    scheduled_message_id: ScheduledMessageId,
    message: &ScheduledRow,
) -> Result<String, DbError> {
    tx.execute(
        statement!(
            "UPDATE scheduled_messages SET channel_id = ?3, recipients = ?4, topic = ?5, \
             content = ?6, rendered_content = ?7, deliver_at = ?8, read_by_sender = ?9, \
             client = ?10, realm_url = ?11, failure = NULL WHERE id = ?2 AND user_id = ?1 RETURNING ",
            scheduled_object!()
        ),
        &values(user_id, scheduled_message_id, message),
    )?
    .one_value()
}

/// Deletes a message; false when the user has no such message.
pub fn delete(
    tx: &WriteTx<'_>,
    user_id: UserId,
    scheduled_message_id: ScheduledMessageId,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM scheduled_messages WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, scheduled_message_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// At most `limit` messages that are due at `now` (UNIX seconds): those of all people in turns, bots with their owners,
/// and of each the oldest first.
pub fn due(db: &dyn Db, now: i64, limit: i64) -> Result<Vec<DueRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, user_id, deliver_at FROM ( \
                 SELECT s.id, s.user_id, s.deliver_at, row_number() OVER ( \
                     PARTITION BY coalesce(u.bot_owner_id, u.id) ORDER BY s.deliver_at, s.id) AS turn \
                 FROM scheduled_messages s JOIN users u ON u.id = s.user_id \
                 WHERE s.failure IS NULL AND s.deliver_at <= ?1) AS waiting \
             ORDER BY turn, deliver_at, id LIMIT ?2"
        ),
        &params![now, limit],
    )?
    .all()
}

/// Stores why a message could not be sent; returns its object as JSON, `None` when it has failed
/// before or is deleted.
pub fn set_failed(
    tx: &WriteTx<'_>,
    scheduled_message_id: ScheduledMessageId,
    failure: &str,
) -> Result<Option<String>, DbError> {
    tx.execute(
        statement!(
            "UPDATE scheduled_messages SET failure = ?2 WHERE id = ?1 AND failure IS NULL RETURNING ",
            scheduled_object!()
        ),
        &params![scheduled_message_id, failure],
    )?
    .value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn note(user_id: UserId, deliver_at: i64) -> ScheduledRow {
        ScheduledRow {
            channel_id: None,
            recipients: Some(format!("[{user_id}]")),
            topic: String::new(),
            content: "c".to_owned(),
            rendered_content: "<p>c</p>".to_owned(),
            deliver_at,
            read_by_sender: true,
            client: "test".to_owned(),
            realm_url: "http://localhost".to_owned(),
            failed: false,
        }
    }

    #[test]
    fn a_message_belongs_to_one_user_and_is_due_until_it_fails() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, bob]: [UserId; 2] =
            ["ann@x.org", "bob@x.org"].map(|email| testing::add_user(&tx, email).into());
        let insert = |at| insert(&tx, RealmId::ONLY, ann, &note(ann, at)).unwrap();
        let late = insert(20).id;
        let StoredRow { id: early, object } = insert(10);
        let expected = format!(
            r#"{{"scheduled_message_id":{early},"type":"private","to":[{ann}],"content":"c","rendered_content":"<p>c</p>","scheduled_delivery_timestamp":10,"failed":false}}"#
        );
        assert_eq!(object, expected);
        assert!(
            records(&tx, ann)
                .unwrap()
                .starts_with(&format!("[{object},"))
        );
        assert_eq!(find(&tx, bob, early), Ok(None));
        assert_eq!(find(&tx, ann, early), Ok(Some(note(ann, 10))));
        let ids = |now| -> Vec<ScheduledMessageId> {
            let due = due(&tx, now, 10).unwrap();
            due.iter().map(|row| row.id).collect()
        };
        assert_eq!(
            (ids(9), ids(10), ids(20)),
            (vec![], vec![early], vec![early, late])
        );
        let failed = set_failed(&tx, early, "no").unwrap().unwrap();
        assert!(failed.ends_with("\"failed\":true}"), "{failed}");
        assert_eq!(set_failed(&tx, early, "again"), Ok(None));
        assert_eq!(ids(20), [late]);
        let again = replace(&tx, ann, early, &note(ann, 15)).unwrap();
        assert!(again.ends_with("\"failed\":false}"), "{again}");
        assert_eq!(ids(20), [early, late]);
        assert_eq!(
            (delete(&tx, bob, late), delete(&tx, ann, late)),
            (Ok(false), Ok(true))
        );
    }

    #[test]
    fn people_take_turns() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, bob]: [UserId; 2] =
            ["ann@x.org", "bob@x.org"].map(|email| testing::add_user(&tx, email).into());
        let add = |user, at| {
            insert(&tx, RealmId::ONLY, user, &note(user, at))
                .unwrap()
                .id
        };
        let [first, second, third] = [1, 2, 3].map(|at| add(ann, at));
        let late = add(bob, 9);
        let due = due(&tx, 10, 3).unwrap();
        let ids: Vec<ScheduledMessageId> = due.iter().map(|row| row.id).collect();
        assert_eq!(ids, [first, late, second]);
        assert!(!ids.contains(&third));
    }
}
