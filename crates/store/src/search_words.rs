//! The words that the full-text index of messages holds.
//!
//! A word may occur in a million messages, so the statement jumps through the index from word to word instead of
//! reading it.

use crate::{Db, DbError, either, params, sql};

/// At most `limit` of the words that start with `beginning`, in their order. `beginning` is folded as the words of
/// the index are.
pub fn beginning_with(db: &dyn Db, beginning: &str, limit: i64) -> Result<Vec<String>, DbError> {
    // A word that starts so sorts before `beginning` followed by the last of all characters; the next
    // word is at least the current one followed by the first of all characters.
    db.query(
        sql!(
            // PostgreSQL searches for beginnings of words itself.
            either!(
                "WITH RECURSIVE words(word) AS ( \
                 SELECT (SELECT term FROM message_search_words \
                     WHERE term >= ?1 AND term < ?1 || char(1114111) ORDER BY term LIMIT 1) \
                 UNION ALL SELECT (SELECT term FROM message_search_words \
                     WHERE term >= words.word || char(1) AND term < ?1 || char(1114111) \
                     ORDER BY term LIMIT 1) \
                 FROM words WHERE words.word IS NOT NULL LIMIT ?2) \
             SELECT word FROM words WHERE word IS NOT NULL",
                ""
            )
        ),
        &params![beginning, limit],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn words_of_messages_are_listed_from_a_beginning_on() {
        let database = TestDatabase::with_realm();
        database
            .open_another()
            .execute_batch(
                "INSERT INTO message_search (rowid, topic, content, scope) VALUES \
                 (1, 'Deploy', 'deployed depl\u{f6}y', 'c1'), (2, 'x', 'deployed deplo', 'c1'), \
                 (3, 'x', 'deplete, deplp deplo\u{3b2}', 'c1');",
            )
            .unwrap();
        let found = |beginning, limit| beginning_with(&database.db(), beginning, limit).unwrap();
        let all = ["deplo", "deploy", "deployed", "deplo\u{3b2}"];
        assert_eq!(found("deplo", 10), all);
        assert_eq!(found("deplo", 2), all[..2]);
        assert_eq!(found("deployed", 10), ["deployed"]);
        assert_eq!(found("nothing", 10), [""; 0]);
    }
}
