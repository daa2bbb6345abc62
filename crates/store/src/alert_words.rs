//! Alert words: users are notified of messages that hold one of theirs.
//!
//! Owns the rows of `alert_words`. Which texts are looked up, and which words are in a message, is
//! decided by `spindle-markup`. No statement may read more words than it is given: the table holds
//! those of all users.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// No text that is stored has it or a greater one.
const LAST_CHARACTER: &str = "\u{10ffff}";

/// The words of user `?1`.
macro_rules! alert_words_query {
    () => {
        "SELECT json_group_array(word ORDER BY position) FROM alert_words WHERE user_id = ?1"
    };
}
pub(crate) use alert_words_query;

/// The words of a user as a JSON list, in the order in which they were added.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(sql!(alert_words_query!()), &params![user_id])?
        .one_value()
}

/// Adds words: a JSON list of pairs of the word in lower case and the word. Returns how many
/// were not there before.
pub fn insert(tx: &WriteTx<'_>, user_id: UserId, words: &str) -> Result<usize, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO alert_words (user_id, word_folded, word, position) \
         SELECT ?1, value ->> 0, value ->> 1, key + (SELECT coalesce(max(position) + 1, 0) \
             FROM alert_words WHERE user_id = ?1) FROM json_texts(?2) WHERE true \
         ON CONFLICT DO NOTHING RETURNING 1"
        ),
        &params![user_id, words],
    )?;
    Ok(rows.rows.len())
}

/// Removes words: a JSON list of them in lower case. Returns how many there were.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, words: &str) -> Result<usize, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM alert_words WHERE user_id = ?1 \
         AND word_folded IN (SELECT value FROM json_texts(?2)) RETURNING 1"
        ),
        &params![user_id, words],
    )?;
    Ok(rows.rows.len())
}

/// Those of some texts (in lower case) that are a word, or with which a word of several parts begins: one whose next
/// character sorts before `a`, as blanks and signs do, or not before another one. Takes a JSON list of pairs of the
/// text and that other character.
pub fn begun(db: &dyn Db, heads: &str) -> Result<Vec<String>, DbError> {
    db.query(
        sql!(
            "SELECT h.value ->> 0 FROM json_texts(?1) h WHERE EXISTS (SELECT 1 FROM alert_words w \
             INDEXED BY alert_words_by_word WHERE w.word_folded >= h.value ->> 0 \
             AND w.word_folded < (h.value ->> 0) || 'a') \
             OR EXISTS (SELECT 1 FROM alert_words w \
             INDEXED BY alert_words_by_word WHERE w.word_folded >= (h.value ->> 0) || (h.value ->> 1) \
             AND w.word_folded < (h.value ->> 0) || ?2:text)"
        ),
        &params![heads, LAST_CHARACTER],
    )?
    .values()
}

/// For each of a JSON list of texts, the greatest word in lower case that is not greater.
pub fn nearest(db: &dyn Db, texts: &str) -> Result<Vec<Option<String>>, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT w.word_folded FROM alert_words w INDEXED BY alert_words_by_word \
                 WHERE w.word_folded <= t.value ORDER BY w.word_folded DESC LIMIT 1) \
             FROM json_texts(?1) t ORDER BY t.key"
        ),
        &params![texts],
    )?
    .values()
}

/// Ids of the active users who have one of a JSON list of words in lower case, ascending.
pub fn users_of(db: &dyn Db, words: &str) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT DISTINCT w.user_id FROM json_texts(?1) l CROSS JOIN alert_words w \
             INDEXED BY alert_words_by_word ON w.word_folded = l.value \
             CROSS JOIN users u ON u.id = w.user_id WHERE u.is_active = 1 ORDER BY 1"
        ),
        &params![words],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn words_keep_their_order_and_are_there_once() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        let bob = testing::user(&tx, "bob@x.org");
        assert_eq!(
            insert(&tx, ann, r#"[["on fire","On fire"],["a","a"]]"#),
            Ok(2)
        );
        assert_eq!(insert(&tx, ann, r#"[["a","A"],["zebra","zebra"]]"#), Ok(1));
        assert_eq!(insert(&tx, bob, r#"[["a","A"]]"#), Ok(1));
        assert_eq!(records(&tx, ann).unwrap(), r#"["On fire","a","zebra"]"#);
        assert_eq!(
            begun(
                &tx,
                r#"[["on","ก"],["o","ก"],["o","a"],["zebra","ก"],["a","ก"],["b","ก"]]"#
            )
            .unwrap(),
            ["on", "o", "zebra", "a"]
        );
        let nearest = nearest(&tx, r#"["on fire!","b","","Z"]"#).unwrap();
        let nearest: Vec<Option<&str>> = nearest.iter().map(Option::as_deref).collect();
        assert_eq!(nearest, [Some("on fire"), Some("a"), None, None]);
        assert_eq!(users_of(&tx, r#"["a","on fire"]"#), Ok(vec![ann, bob]));
        assert_eq!(users_of(&tx, r#"["on fire","none"]"#), Ok(vec![ann]));
        let deactivate = "UPDATE users SET is_active = 0 WHERE id = ?1";
        tx.execute(deactivate, &params![bob]).unwrap();
        assert_eq!(users_of(&tx, r#"["a","on fire"]"#), Ok(vec![ann]));
        assert_eq!(delete(&tx, ann, r#"["a","none"]"#), Ok(1));
        assert_eq!(records(&tx, ann).unwrap(), r#"["On fire","zebra"]"#);
    }
}
