//! Words whose users want to know of messages that hold them.
//!
//! Owns the rows and a rough selection by content; which words really stand in a message is
//! decided by `spindle-markup`.

use crate::{Db, DbError, params};

/// The words of a user as a JSON list, in the order in which they were added.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, user_id: i64) -> Result<String, DbError> {
    db.execute(
        "SELECT json_group_array(word ORDER BY position) FROM alert_words WHERE user_id = ?1",
        &params![user_id],
    )?
    .read_one(|row| row.text())
}

/// Adds words: a JSON list of pairs of the word in lower case and the word. Returns how many
/// were not there before.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(db: &dyn Db, user_id: i64, words: &str) -> Result<usize, DbError> {
    let rows = db.execute(
        "INSERT INTO alert_words (user_id, word_folded, word, position) \
         SELECT ?1, value ->> 0, value ->> 1, key + (SELECT coalesce(max(position) + 1, 0) \
             FROM alert_words WHERE user_id = ?1) FROM json_each(?2) WHERE true \
         ON CONFLICT DO NOTHING RETURNING 1",
        &params![user_id, words],
    )?;
    Ok(rows.rows.len())
}

/// Removes words: a JSON list of them in lower case. Returns how many there were.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(db: &dyn Db, user_id: i64, words: &str) -> Result<usize, DbError> {
    let rows = db.execute(
        "DELETE FROM alert_words WHERE user_id = ?1 \
         AND word_folded IN (SELECT value FROM json_each(?2)) RETURNING 1",
        &params![user_id, words],
    )?;
    Ok(rows.rows.len())
}

/// Words that occur anywhere in a content in lower case, each with the ids of its users.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn occurring(db: &dyn Db, content_folded: &str) -> Result<Vec<(String, Vec<i64>)>, DbError> {
    db.execute(
        "SELECT word_folded, json_group_array(user_id) FROM alert_words \
         INDEXED BY alert_words_by_word WHERE instr(?1, word_folded) > 0 GROUP BY word_folded",
        &params![content_folded],
    )?
    .read_all(|row| Ok((row.text()?, row.json()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn words_keep_their_order_and_are_there_once() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let ann = testing::add_user(&db, "ann@x.org");
        let bob = testing::add_user(&db, "bob@x.org");
        assert_eq!(
            insert(&db, ann, r#"[["on fire","On fire"],["a","a"]]"#),
            Ok(2)
        );
        assert_eq!(insert(&db, ann, r#"[["a","A"],["zebra","zebra"]]"#), Ok(1));
        assert_eq!(insert(&db, bob, r#"[["a","A"]]"#), Ok(1));
        assert_eq!(records(&db, ann).unwrap(), r#"["On fire","a","zebra"]"#);
        assert_eq!(
            occurring(&db, "it is on fire").unwrap(),
            [("on fire".to_owned(), vec![ann])]
        );
        assert_eq!(
            occurring(&db, "banana").unwrap(),
            [("a".to_owned(), vec![ann, bob])]
        );
        assert_eq!(delete(&db, ann, r#"["a","none"]"#), Ok(1));
        assert_eq!(records(&db, ann).unwrap(), r#"["On fire","zebra"]"#);
    }
}
