//! Emoji reactions to messages.
//!
//! Type and code identify an emoji, whatever name it was given; types are passed as JSON lists
//! because one of them has two spellings. The message object lists reactions in the order of
//! adding, see [`crate::messages`].

use spindle_domain::{MessageId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// One emoji of one user on a message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReactionRow {
        /// The user who has reacted.
        pub user_id: UserId,
        /// As the first user to react with it named it.
        pub emoji_name: String,
        /// Code within the type.
        pub emoji_code: String,
        /// As the first user to react with it spelt it.
        pub reaction_type: String,
    }

    /// An emoji that is on a message already.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Present {
        /// Name as stored.
        pub emoji_name: String,
        /// Type as stored.
        pub reaction_type: String,
        /// Whether the given user has reacted with it.
        pub is_own: bool,
    }
}

/// Looks for an emoji on a message; `types` is a JSON list of spellings of its type.
pub fn find(
    db: &dyn Db,
    message_id: MessageId,
    emoji_code: &str,
    types: &str,
    user_id: UserId,
) -> Result<Option<Present>, DbError> {
    db.query(
        sql!(
            "SELECT emoji_name, reaction_type, EXISTS (SELECT 1 FROM reactions o \
                 WHERE o.message_id = ?1 AND o.emoji_code = ?2 AND o.user_id = ?4 \
                 AND o.reaction_type IN (SELECT value FROM json_texts(?3))) AS is_own \
             FROM reactions WHERE message_id = ?1 AND emoji_code = ?2 \
             AND reaction_type IN (SELECT value FROM json_texts(?3)) ORDER BY id LIMIT 1"
        ),
        &params![message_id, emoji_code, types, user_id],
    )?
    .first()
}

/// The reactions of one user to a message, in the order of adding.
pub fn of_user(
    db: &dyn Db,
    message_id: MessageId,
    user_id: UserId,
) -> Result<Vec<ReactionRow>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, emoji_name, emoji_code, reaction_type FROM reactions \
             INDEXED BY reactions_by_user WHERE user_id = ?2 AND message_id = ?1 ORDER BY id"
        ),
        &params![message_id, user_id],
    )?
    .all()
}

/// Adds a reaction to a message.
///
/// # Errors
/// [`DbError::NotUnique`] when the user has reacted with it already.
pub fn insert(tx: &WriteTx<'_>, message_id: MessageId, new: &ReactionRow) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) \
         VALUES (?1, ?2, ?3, ?4, ?5)"
        ),
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

/// Removes exactly this reaction of one user from a message.
pub fn delete(tx: &WriteTx<'_>, message_id: MessageId, old: &ReactionRow) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM reactions WHERE message_id = ?1 AND user_id = ?2 AND reaction_type = ?3 \
         AND emoji_code = ?4"
        ),
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

    const MESSAGE: MessageId = MessageId(5);
    const UNICODE: &str = "[\"unicode_emoji\"]";

    #[test]
    fn an_emoji_is_there_once_from_each_person() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, bob]: [UserId; 2] =
            ["a@x", "b@x"].map(|email| testing::add_user(&tx, email).into());
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
        insert(&tx, MESSAGE, &heart).unwrap();
        assert!(matches!(
            insert(&tx, MESSAGE, &heart),
            Err(DbError::NotUnique(_))
        ));
        insert(&tx, MESSAGE, &row(bob, "love", "2764", "unicode_emoji")).unwrap();
        // A custom emoji may have the same code.
        insert(&tx, MESSAGE, &row(ann, "party", "2764", "realm_emoji")).unwrap();
        let found = |user_id, types| find(&tx, MESSAGE, "2764", types, user_id).unwrap();
        let first = found(bob, UNICODE).unwrap();
        assert_eq!((first.emoji_name.as_str(), first.is_own), ("heart", true));
        assert!(!found(bob, "[\"realm_emoji\"]").unwrap().is_own);
        assert_eq!(found(bob, "[\"zulip_extra_emoji\"]"), None);
        assert_eq!(of_user(&tx, MESSAGE, ann).unwrap().len(), 2);
        delete(&tx, MESSAGE, &heart).unwrap();
        assert!(!found(ann, UNICODE).unwrap().is_own);
        tx.execute("DELETE FROM messages", &[]).unwrap();
        assert_eq!(found(bob, UNICODE), None);
    }
}
