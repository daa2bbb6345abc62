//! Emoji that people have put on messages.
//!
//! An emoji is told by type and code, whatever name it was given; types are passed as JSON lists
//! because one of them has two spellings. The message object lists reactions in the order of
//! adding, see [`crate::messages`].

use crate::{Db, DbError, WriteTx, params, sql};

/// One emoji of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReactionRow {
    /// Who has reacted.
    pub user_id: i64,
    /// As the first to react called it.
    pub emoji_name: String,
    /// Code within the type.
    pub emoji_code: String,
    /// As the first to react spelt it.
    pub reaction_type: String,
}

/// An emoji that is on a message already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// Name as stored.
    pub emoji_name: String,
    /// Type as stored.
    pub reaction_type: String,
    /// Whether the user who was asked about is among those who put it there.
    pub is_own: bool,
}

/// Looks for an emoji on a message; `types` is a JSON list of spellings of its type.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn find(
    db: &dyn Db,
    message_id: i64,
    emoji_code: &str,
    types: &str,
    user_id: i64,
) -> Result<Option<Present>, DbError> {
    db.query(
        sql!(
            "SELECT emoji_name, reaction_type, EXISTS (SELECT 1 FROM reactions o \
                 WHERE o.message_id = ?1 AND o.emoji_code = ?2 AND o.user_id = ?4 \
                 AND o.reaction_type IN (SELECT value FROM json_each(?3))) \
             FROM reactions WHERE message_id = ?1 AND emoji_code = ?2 \
             AND reaction_type IN (SELECT value FROM json_each(?3)) ORDER BY id LIMIT 1"
        ),
        &params![message_id, emoji_code, types, user_id],
    )?
    .read_first(|row| {
        Ok(Present {
            emoji_name: row.text()?,
            reaction_type: row.text()?,
            is_own: row.flag()?,
        })
    })
}

/// What one person has put on a message, in the order of adding.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn of_user(db: &dyn Db, message_id: i64, user_id: i64) -> Result<Vec<ReactionRow>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, emoji_name, emoji_code, reaction_type FROM reactions \
             INDEXED BY reactions_by_user WHERE user_id = ?2 AND message_id = ?1 ORDER BY id"
        ),
        &params![message_id, user_id],
    )?
    .read_all(|row| {
        Ok(ReactionRow {
            user_id: row.integer()?,
            emoji_name: row.text()?,
            emoji_code: row.text()?,
            reaction_type: row.text()?,
        })
    })
}

/// Puts an emoji on a message.
///
/// # Errors
/// [`DbError::NotUnique`] when it is there from this person.
pub fn insert(tx: &WriteTx<'_>, message_id: i64, new: &ReactionRow) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
        &params![
            message_id,
            new.user_id,
            new.reaction_type.as_str(),
            new.emoji_code.as_str(),
            new.emoji_name.as_str(),
        ],
    )?;
    Ok(())
}

/// Takes exactly this emoji of one person off a message.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(tx: &WriteTx<'_>, message_id: i64, old: &ReactionRow) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM reactions WHERE message_id = ?1 AND user_id = ?2 AND reaction_type = ?3 \
         AND emoji_code = ?4",
        &params![
            message_id,
            old.user_id,
            old.reaction_type.as_str(),
            old.emoji_code.as_str(),
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    const UNICODE: &str = "[\"unicode_emoji\"]";

    #[test]
    fn an_emoji_is_there_once_from_each_person() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let (ann, bob) = (testing::add_user(&tx, "a@x"), testing::add_user(&tx, "b@x"));
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind, members_key) VALUES (1, 1, 'direct', '1')",
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, content, \
             rendered_content, date_sent, client) VALUES (5, 1, 1, 1, '', '', 1, '')",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let row = |user_id, name: &str, code: &str, kind: &str| ReactionRow {
            user_id,
            emoji_name: name.to_owned(),
            emoji_code: code.to_owned(),
            reaction_type: kind.to_owned(),
        };
        let heart = row(ann, "heart", "2764", "unicode_emoji");
        insert(&tx, 5, &heart).unwrap();
        assert!(matches!(insert(&tx, 5, &heart), Err(DbError::NotUnique(_))));
        insert(&tx, 5, &row(bob, "love", "2764", "unicode_emoji")).unwrap();
        // A custom emoji may have the same code.
        insert(&tx, 5, &row(ann, "party", "2764", "realm_emoji")).unwrap();
        let found = |user_id, types| find(&tx, 5, "2764", types, user_id).unwrap();
        let first = found(bob, UNICODE).unwrap();
        assert_eq!((first.emoji_name.as_str(), first.is_own), ("heart", true));
        assert!(!found(bob, "[\"realm_emoji\"]").unwrap().is_own);
        assert_eq!(found(bob, "[\"zulip_extra_emoji\"]"), None);
        assert_eq!(of_user(&tx, 5, ann).unwrap().len(), 2);
        delete(&tx, 5, &heart).unwrap();
        assert!(!found(ann, UNICODE).unwrap().is_own);
        tx.execute("DELETE FROM messages", &[]).unwrap();
        assert_eq!(found(bob, UNICODE), None);
    }
}
