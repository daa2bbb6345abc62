//! Sizes of messages, so that a page reads only as many as fit into an answer.

use spindle_domain::MessageId;

use crate::{Db, DbError, params, row_struct, sql};

/// Bytes of the message `m`, at least `$least`.
macro_rules! message_size {
    ($least:literal) => {
        concat!(
            $least,
            ":bigint + octet_length(m.content) + octet_length(m.rendered_content) \
             + coalesce(octet_length(m.edit_history), 0) + coalesce(octet_length(m.buttons), 0)"
        )
    };
}

/// Total bytes of the messages in the JSON list `$ids`, each at least `$least`. A reaction counts 100, and so do the
/// fields of a submessage.
macro_rules! size_of_all {
    ($ids:literal, $least:literal) => {
        concat!(
            "CAST((SELECT coalesce(sum(",
            $crate::message_sizes::message_size!($least),
            "), 0) FROM messages m WHERE ",
            $crate::messages::is_listed!("m.id", $ids),
            ") + (SELECT coalesce(sum(octet_length(s.content) + 100), 0) FROM submessages s WHERE ",
            $crate::messages::is_listed!("s.message_id", $ids),
            ") + (SELECT 100 * count(*) FROM reactions x WHERE ",
            $crate::messages::is_listed!("x.message_id", $ids),
            ") AS BIGINT)"
        )
    };
}
pub(crate) use {message_size, size_of_all};

/// Total bytes of the messages in a JSON list of ids, each at least `least`.
pub fn size_of(db: &dyn Db, ids: &str, least: i64) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT ", size_of_all!("?1", "?2")),
        &params![ids, least],
    )?
    .one_value()
}

row_struct! {
    /// The size of a message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SizeRow {
        pub id: MessageId,
        /// Bytes that it takes when it is read.
        pub bytes: i64,
    }
}

/// As [`size_of`], for each message, ascending.
pub fn sizes(db: &dyn Db, ids: &str, least: i64) -> Result<Vec<SizeRow>, DbError> {
    db.query(
        sql!(
            "SELECT m.id, ",
            message_size!("?2"),
            " + CAST(coalesce((SELECT sum(iif(s.bytes > 1000000, 1000000, s.bytes)) FROM (SELECT \
                 sum(octet_length(s.content) + 100) AS bytes FROM submessages s WHERE s.message_id = m.id) s), 0) \
             + 100 * (SELECT iif(count(*) > 10000, 10000, count(*)) FROM reactions x WHERE x.message_id = m.id) AS BIGINT) \
             AS bytes FROM messages m \
             WHERE m.id IN (SELECT value FROM json_ids(?1)) ORDER BY m.id"
        ),
        &params![ids, least],
    )?
    .all()
}
