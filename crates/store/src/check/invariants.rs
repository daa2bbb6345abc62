//! Invariants that no constraint of the schema can hold, as statements that find violations.
//!
//! A new invariant is a row of [`CHECKS`], and a case in the tests of `check`.

use crate::{Query, Statement, either, sql, statement};

/// The name of the one that reads the full-text index.
pub(super) const SEARCHES: &str = "searches";

/// Checks that return a row with a text for each problem, and no row when all is well.
pub(super) const CHECKS: &[(&str, Query)] = &[
    (
        "closure",
        sql!(
            "WITH RECURSIVE reach (supergroup_id, subgroup_id) AS ( \
             SELECT id, id FROM user_groups \
             UNION \
             SELECT reach.supergroup_id, nested.subgroup_id FROM reach \
             JOIN user_group_subgroups AS nested ON nested.supergroup_id = reach.subgroup_id) \
         SELECT 'group ' || supergroup_id || ' should contain group ' || subgroup_id FROM ( \
             SELECT * FROM reach EXCEPT SELECT supergroup_id, subgroup_id FROM user_group_closure) AS missing \
         UNION ALL \
         SELECT 'group ' || supergroup_id || ' should not contain group ' || subgroup_id FROM ( \
             SELECT supergroup_id, subgroup_id FROM user_group_closure EXCEPT SELECT * FROM reach) AS superfluous",
        ),
    ),
    (
        "key hashes",
        sql!(
            "SELECT 'a key of user ' || user_id || ' is not stored as a SHA-256 hash' \
         FROM api_keys WHERE length(hash) <> 32",
        ),
    ),
    (
        "password hashes",
        sql!(
            "SELECT 'the password of user ' || id || ' is not stored as an argon2id hash' \
         FROM users WHERE password_hash NOT LIKE '$argon2id$%'",
        ),
    ),
    (
        "owners",
        sql!(
            "SELECT 'organization ' || id || ' has no active owner' FROM realms WHERE id <> 0 AND NOT EXISTS ( \
             SELECT 1 FROM users WHERE realm_id = realms.id AND role = 100 AND is_active = 1 AND is_bot = 0)",
        ),
    ),
    (
        "subscriber counts",
        sql!(
            "SELECT 'channel ' || id || ' counts ' || subscriber_count || ' subscribers' FROM channels \
         WHERE subscriber_count <> (SELECT count(*) FROM subscriptions s \
             JOIN users u ON u.id = s.user_id \
             WHERE s.channel_id = channels.id AND s.active = 1 AND u.is_active = 1)",
        ),
    ),
    (
        "channel folders",
        sql!(
            "SELECT 'channel ' || id || ' is in a folder that does not exist' FROM channels \
         WHERE folder_id IS NOT NULL AND NOT EXISTS ( \
             SELECT 1 FROM channel_folders f WHERE f.id = channels.folder_id)",
        ),
    ),
    (
        "event queues",
        sql!(
            "SELECT 'queue ' || id || ' begins after the end of the event log' FROM event_queues \
         WHERE base_seq > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event_log'), 0)",
        ),
    ),
    (
        SEARCHES,
        sql!(either!(
            "WITH indexed AS (SELECT term, doc FROM temp.message_search_terms \
             WHERE col = 'scope' AND term >= 'c' AND term < 'd' \
             UNION ALL SELECT term, doc FROM temp.message_search_terms \
             WHERE col = 'scope' AND term >= 's' AND term < 't' \
             UNION ALL SELECT term, doc FROM temp.message_search_terms \
             WHERE col = 'scope' AND term = 'dm'), \
         expected (term, doc) AS (SELECT 'c' || conversation_id, id FROM messages \
             UNION ALL SELECT 's' || sender_id, id FROM messages \
             UNION ALL SELECT 'dm', id FROM messages WHERE channel_id IS NULL) \
         SELECT DISTINCT 'message ' || doc || ' is not where searches look for it' FROM ( \
             SELECT * FROM expected EXCEPT SELECT * FROM indexed) \
         UNION ALL \
         SELECT DISTINCT 'searches find message ' || doc || ' where it is not' FROM ( \
             SELECT * FROM indexed EXCEPT SELECT * FROM expected)",
            // Rows of the index go with their messages.
            "SELECT 'message ' || m.id || ' is not where searches look for it' FROM messages m \
                 WHERE NOT EXISTS (SELECT 1 FROM message_search s WHERE s.rowid = m.id AND s.words @@ CAST( \
                     ''':c' || m.conversation_id || ''' & '':s' || m.sender_id \
                     || iif(m.channel_id IS NULL, ''' & '':dm''', '''') AS TSQUERY))"
        )),
    ),
];

/// Makes the words of the index of messages readable as a table, until the connection is closed.
pub(super) const SEARCH_TERMS: Statement = statement!(either!(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.message_search_terms \
     USING fts5vocab('main', 'message_search', 'instance')",
    "SELECT 1"
));
