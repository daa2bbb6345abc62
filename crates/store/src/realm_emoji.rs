//! Custom emoji of the organization. Deactivated ones stay, because messages, reactions and
//! statuses refer to them; only active ones can be used.

use spindle_domain::{CustomEmojiId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// A custom emoji that is being added.
#[derive(Debug, Clone, Copy)]
pub struct NewEmoji<'a> {
    pub realm_id: RealmId,
    /// Name between colons.
    pub name: &'a str,
    /// The user who adds it.
    pub author_id: UserId,
    /// Last segment of its address.
    pub file_name: &'a str,
    /// The same for the still form of one that moves.
    pub still_file_name: Option<&'a str>,
    /// UNIX seconds.
    pub date_created: i64,
}

row_struct! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EmojiRow {
        /// The emoji.
        pub id: CustomEmojiId,
        /// Name between colons.
        pub name: String,
        /// The user who added it; `None` when it is not known.
        pub author_id: Option<UserId>,
        /// Path of the image.
        pub source_url: String,
    }
}

macro_rules! emoji_url {
    ($column:literal) => {
        concat!("'/user_avatars/' || realm_id || '/emoji/' || ", $column)
    };
}

/// The record of the wire (docs/protocol/register.md#sections).
macro_rules! emoji_record {
    () => {
        concat!(
            "json_object('id', CAST(id AS TEXT), 'name', name, 'source_url', ",
            emoji_url!("file_name"),
            ", 'still_url', ",
            emoji_url!("still_file_name"),
            ", 'deactivated', json(iif(deactivated, 'true', 'false')), 'author_id', author_id)"
        )
    };
}

/// Adds an emoji; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when an active one has the name.
pub fn insert(tx: &WriteTx<'_>, new: &NewEmoji<'_>) -> Result<CustomEmojiId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO realm_emoji (realm_id, name, author_id, file_name, still_file_name, \
         date_created) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id"
        ),
        &params![
            new.realm_id,
            new.name,
            new.author_id,
            new.file_name,
            new.still_file_name,
            new.date_created,
        ],
    )?
    .one_value()
}

/// All emoji as a JSON object of records by id, deactivated ones included.
pub fn object(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT coalesce(json_group_object(id, json(record)), '{}') FROM (SELECT id, ",
            emoji_record!(),
            " AS record FROM realm_emoji WHERE realm_id = ?1 ORDER BY id) AS records"
        ),
        &params![realm_id],
    )?
    .one_value()
}

/// The active emoji among `names` (a JSON list).
pub fn active(db: &dyn Db, realm_id: RealmId, names: &str) -> Result<Vec<EmojiRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, name, author_id, ",
            emoji_url!("file_name"),
            " AS source_url FROM realm_emoji WHERE realm_id = ?1 AND deactivated = 0 \
             AND name IN (SELECT value FROM json_texts(?2))"
        ),
        &params![realm_id, names],
    )?
    .all()
}

/// Ends the use of an emoji.
pub fn deactivate(tx: &WriteTx<'_>, id: CustomEmojiId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realm_emoji SET deactivated = 1 WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn a_name_is_free_again_once_its_emoji_is_deactivated() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "a@x");
        let new = NewEmoji {
            realm_id: RealmId::ONLY,
            name: "party",
            author_id: ann,
            file_name: "x.gif",
            still_file_name: Some("x-still.png"),
            date_created: 5,
        };
        let first = insert(&tx, &new).unwrap();
        assert!(matches!(insert(&tx, &new), Err(DbError::NotUnique(_))));
        let found = active(&tx, RealmId::ONLY, r#"["party","other"]"#).unwrap();
        assert_eq!(found[0].id, first);
        assert_eq!(found[0].source_url, "/user_avatars/1/emoji/x.gif");
        deactivate(&tx, first).unwrap();
        assert_eq!(active(&tx, RealmId::ONLY, r#"["party"]"#), Ok(Vec::new()));
        let second = insert(
            &tx,
            &NewEmoji {
                still_file_name: None,
                ..new
            },
        )
        .unwrap();
        let object: serde_json::Value =
            serde_json::from_str(&object(&tx, RealmId::ONLY).unwrap()).unwrap();
        let record = |id: CustomEmojiId| object[id.to_string()].clone();
        assert_eq!(
            record(first),
            serde_json::json!({"id": first.to_string(), "name": "party", "deactivated": true,
                "source_url": "/user_avatars/1/emoji/x.gif",
                "still_url": "/user_avatars/1/emoji/x-still.png", "author_id": ann})
        );
        assert_eq!(record(second)["still_url"], serde_json::Value::Null);
    }
}
