//! The ways through the tables, each with the same conditions.
//!
//! A way names the index it walks where SQLite could choose another, and joins in its own order (CROSS JOIN), so that a
//! window costs what it holds and never a sort of everything. PostgreSQL takes no such hints: there, a subquery that it
//! cannot flatten (OFFSET 0) looks up the joined rows for each row, and unused conditions disappear when it plans.

use super::Side;
use crate::{Query, either, sql};

/// Which messages are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// What was delivered to the reader.
    Received,
    /// Direct messages that the reader received or sent.
    Direct,
    /// What the reader has starred.
    Starred,
    /// What mentions the reader.
    Mentioned,
    /// What holds an alert word of the reader.
    Alerted,
    /// What the reader has not read.
    Unread,
    /// What mentions the one user of the filter's `mentions`.
    Mentions,
    /// The filter's channel.
    Channel,
    /// The filter's topic of that channel.
    Topic,
    /// The one conversation of the filter.
    Conversation,
    /// The one sender of the filter.
    Sender,
    /// Messages with an uploaded file.
    WithAttachment,
    /// Messages with an image.
    WithImage,
    /// Messages in resolved topics.
    Resolved,
    /// What the full-text index finds.
    Search,
    /// The messages that the filter lists.
    Ids,
    /// Every message.
    All,
}

/// Whether the message of a row of the full-text index is found by the expression `$search`.
macro_rules! found {
    ($row:literal, $search:literal) => {
        either!(
            concat!($row, ".message_search MATCH ", $search),
            concat!($row, ".words @@ ", $search, ":text::tsquery")
        )
    };
}

/// The message `m` with the id `$id`.
macro_rules! message {
    ($id:literal) => {
        either!(
            concat!(" CROSS JOIN messages m ON m.id = ", $id),
            concat!(
                " JOIN LATERAL (SELECT id, sender_id, conversation_id, channel_id, topic, topic_folded, properties \
                 FROM messages WHERE id = ",
                $id,
                " OFFSET 0) m ON true"
            )
        )
    };
}

/// The delivery `um` of the message `m` to the reader, if there is one.
macro_rules! delivery {
    () => {
        either!(
            " LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?1",
            " LEFT JOIN LATERAL (SELECT user_id, flags FROM user_messages \
                 WHERE message_id = m.id AND user_id = ?1 OFFSET 0) um ON true"
        )
    };
}

/// ?1 reader, ?2 bound, ?3 limit, then the conditions in the order of `Filter::params`. A
/// message that was never delivered counts as read and historical (1025).
///
/// Most lists are empty, and text is compared in a hundredth of the time that it takes to read a list: the two that
/// are about mentions would be read again for each message.
///
/// The last condition is for the planner of PostgreSQL, and always true. For unknown values it estimates a thousand
/// million rows here, and so plans each window again, instead of keeping one plan with all conditions, which walks all
/// messages of the reader.
macro_rules! conditions {
    () => {
        concat!(
            " AND (?4:bigint = 0 OR (coalesce(um.flags, 1025) & ?4) = ?4) \
         AND (?5:bigint = 0 OR (coalesce(um.flags, 1025) & ?5) = 0) \
         AND (?6:bigint = 0 OR (coalesce(um.flags, 1025) & ?6) <> 0) \
         AND (?7:bigint = 0 OR (m.properties & ?7) = ?7) AND (?8:bigint = 0 OR (m.properties & ?8) = 0) \
         AND (?9:bigint IS NULL OR m.channel_id = ?9) \
         AND (?10:text IS NULL OR m.channel_id IN (SELECT value FROM json_ids(?10))) \
         AND (?11 = '[]' OR m.channel_id IS NULL OR m.channel_id NOT IN (SELECT value FROM json_ids(?11))) \
         AND (?12:text IS NULL OR m.channel_id IS NOT NULL AND m.topic_folded = ?12) \
         AND (?13 = '[]' OR m.channel_id IS NULL OR m.topic_folded NOT IN (SELECT value FROM json_texts(?13))) \
         AND (?14:text IS NULL OR m.conversation_id IN (SELECT value FROM json_ids(?14))) \
         AND (?15 = '[]' OR m.conversation_id NOT IN (SELECT value FROM json_ids(?15))) \
         AND (?16:text IS NULL OR m.sender_id IN (SELECT value FROM json_ids(?16))) \
         AND (?17 = '[]' OR m.sender_id NOT IN (SELECT value FROM json_ids(?17))) \
         AND (?18:text IS NULL OR m.id IN (SELECT value FROM json_ids(?18))) \
         AND (?19 = '[]' OR m.id NOT IN (SELECT value FROM json_ids(?19))) \
         AND (?20:bigint IS NULL OR (m.channel_id IS NULL) = (?20 = 1)) \
         AND (?21:bigint IS NULL OR (m.channel_id IS NOT NULL AND substr(m.topic, 1, 2) = '\u{2714} ') = (?21 = 1)) \
         AND (?22 = '[]' OR NOT EXISTS (SELECT 1 FROM json_ids(?22) w WHERE NOT EXISTS (SELECT 1 \
             FROM user_messages o WHERE o.user_id = w.value AND o.message_id = m.id AND o.flags & 72 <> 0))) \
         AND (?23 = '[]' OR NOT EXISTS (SELECT 1 FROM json_ids(?23) w JOIN user_messages o \
             ON o.user_id = w.value AND o.message_id = m.id WHERE o.flags & 72 <> 0)) \
         AND (?24:bigint = 0 OR um.user_id IS NOT NULL) \
         AND (?25:text IS NULL OR ?26:bigint = 1 OR EXISTS (SELECT 1 FROM message_search f WHERE ",
            found!("f", "?25"),
            " AND f.rowid = m.id)) \
         AND (?27:text IS NULL OR NOT EXISTS (SELECT 1 FROM message_search f WHERE ",
            found!("f", "?27"),
            " AND f.rowid = m.id)) \
         AND (?28:bigint IS NULL OR EXISTS (SELECT 1 FROM reactions r WHERE r.message_id = m.id) = (?28 = 1)) \
         AND (?29:bigint IS NULL OR EXISTS (SELECT 1 FROM user_topics t WHERE t.user_id = ?1 \
             AND t.channel_id = m.channel_id AND t.topic_folded = m.topic_folded \
             AND t.visibility_policy = 3) = (?29 = 1)) \
         AND (?30:bigint IS NULL OR coalesce( \
             (SELECT t.visibility_policy = 1 FROM user_topics t WHERE t.user_id = ?1 \
                 AND t.channel_id = m.channel_id AND t.topic_folded = m.topic_folded), \
             EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = ?1 \
                 AND s.channel_id = m.channel_id AND s.active = 1 AND s.is_muted = 1)) = (?30 = 1)) ",
            either!(
                "",
                "AND (?3:bigint > 0 OR (SELECT count(*) FROM generate_series(1, ?3:bigint) a, \
                     generate_series(1, ?3:bigint) b, generate_series(1, ?3:bigint) c) > 0) "
            )
        )
    };
}

/// A statement over `$from`, in the order of `$id`, of the messages that pass `$condition` and those of the filter, among those
/// whose columns have the values.
macro_rules! walk {
    ($from:expr, $columns:tt, $condition:expr, $id:literal, $side:expr) => {
        ordered!(
            $from,
            $columns,
            concat!($condition, conditions!()),
            $id,
            $side
        )
    };
}

/// A statement over `$from`, in the order of `$id`, of the messages that pass `$condition` among those whose columns have
/// the values.
///
/// PostgreSQL assumes that values are spread evenly, and would walk all ids in search of one that is frequent but has not
/// occurred lately. Compared as a row, columns are a part of the order, and only their index has that order.
macro_rules! ordered {
    ($from:expr, [$($column:literal = $value:literal),*], $condition:expr, $id:literal, $side:expr) => {
        match $side {
            Side::Before => ordered!(
                @ $from, [$($column = $value),*], $condition, $id, " <= ", " >= ", " DESC"
            ),
            Side::After => ordered!(
                @ $from, [$($column = $value),*], $condition, $id, " >= ", " <= ", ""
            ),
        }
    };
    (@ $from:expr, [], $condition:expr, $id:literal, $until:literal, $since:literal, $order:literal) => {
        sql!(
            "SELECT ", $id, " AS id FROM ", $from, " WHERE ", $id, $until, "?2 AND ", $condition,
            " ORDER BY ", $id, $order, " LIMIT ?3"
        )
    };
    (
        @ $from:expr, [$first:literal = $is:literal $(, $column:literal = $value:literal)*],
        $condition:expr, $id:literal, $until:literal, $since:literal, $order:literal
    ) => {
        sql!(
            "SELECT ", $id, " AS id FROM ", $from, " WHERE ",
            either!(
                concat!($first, " = ", $is, $(" AND ", $column, " = ", $value,)* " AND ", $id, $until, "?2"),
                concat!(
                    "(", $first, $(", ", $column,)* ", ", $id, ")", $until, "(", $is, $(", ", $value,)* ", ?2) AND (",
                    $first, $(", ", $column,)* ")", $since, "(", $is, $(", ", $value,)* ")"
                )
            ),
            " AND ", $condition, " ORDER BY ",
            either!("", concat!($first, $order, ", ", $($column, $order, ", ",)*)),
            $id, $order, " LIMIT ?3"
        )
    };
}

/// Walks deliveries to the reader that pass `$flags`, by their `$index`.
macro_rules! delivered {
    ($index:literal, $flags:literal, $side:expr) => {
        walk!(
            concat!(
                "user_messages um INDEXED BY ",
                $index,
                message!("um.message_id")
            ),
            ["um.user_id" = "?1"],
            $flags,
            "um.message_id",
            $side
        )
    };
}

/// Walks messages, delivered or not.
macro_rules! messages {
    ($table:literal, [$($column:literal = $value:literal),*], $condition:expr, $side:expr) => {
        walk!(
            concat!($table, delivery!()),
            [$($column = $value),*],
            $condition,
            "m.id",
            $side
        )
    };
}

#[rustfmt::skip]
pub(super) const fn statement(source: Source, side: Side) -> Query {
    match source {
        Source::Received => walk!(
            concat!("user_messages um", message!("um.message_id")),
            ["um.user_id" = "?1"],
            "true",
            "um.message_id",
            side
        ),
        Source::Direct => delivered!("user_messages_private", "um.flags & 2048 <> 0", side),
        Source::Starred => delivered!("user_messages_starred", "um.flags & 2 <> 0", side),
        Source::Mentioned => delivered!("user_messages_mentioned", "um.flags & 120 <> 0", side),
        Source::Alerted => delivered!("user_messages_alerted", "um.flags & 512 <> 0", side),
        Source::Unread => delivered!("user_messages_unread", "um.flags & 1 = 0", side),
        Source::Mentions => walk!(
            concat!("user_messages o INDEXED BY user_messages_mentioned", message!("o.message_id"), delivery!()),
            ["o.user_id" = "(SELECT value FROM json_ids(?22))"],
            "o.flags & 120 <> 0",
            "o.message_id",
            side
        ),
        Source::Channel => messages!(
            "messages m INDEXED BY messages_by_conversation",
            ["m.conversation_id" = "(SELECT conversation_id FROM channels WHERE id = ?9)"],
            "true",
            side
        ),
        Source::Topic => messages!(
            "messages m INDEXED BY messages_by_topic",
            ["m.channel_id" = "?9", "m.topic_folded" = "?12"],
            "true",
            side
        ),
        Source::Conversation => messages!(
            "messages m INDEXED BY messages_by_conversation",
            ["m.conversation_id" = "(SELECT value FROM json_ids(?14))"],
            "true",
            side
        ),
        Source::Sender => messages!(
            "messages m INDEXED BY messages_by_sender",
            ["m.sender_id" = "(SELECT value FROM json_ids(?16))"],
            "true",
            side
        ),
        Source::WithAttachment => messages!(
            "messages m INDEXED BY messages_with_attachment", [], "m.properties & 4 <> 0", side
        ),
        Source::WithImage => messages!(
            "messages m INDEXED BY messages_with_image", [], "m.properties & 2 <> 0", side
        ),
        Source::Resolved => messages!(
            "messages m INDEXED BY messages_resolved", [], "substr(m.topic, 1, 2) = '\u{2714} '", side
        ),
        Source::Search => walk!(
            concat!("message_search s", message!("s.rowid"), delivery!()),
            [],
            found!("s", "?25"),
            "s.rowid",
            side
        ),
        // Listed messages usually lie close together: what is found among them is read once.
        Source::Ids => messages!(
            "(SELECT DISTINCT value FROM json_ids(?18)) l CROSS JOIN messages m ON m.id = l.value",
            [],
            concat!("(?25:text IS NULL OR m.id IN (SELECT s.rowid FROM message_search s WHERE ", found!("s", "?25"), " \
                 AND s.rowid >= (SELECT min(value) FROM json_ids(?18)) \
                 AND s.rowid <= (SELECT max(value) FROM json_ids(?18))))"),
            side
        ),
        Source::All => messages!("messages m", [], "true", side),
    }
}

/// The statement of a way without any condition of a filter, of which an index alone answers: most windows of clients. ?1 reader or
/// channel, ?2 bound, ?3 limit, ?4 topic.
#[rustfmt::skip]
pub(super) const fn bare(source: Source, side: Side) -> Option<Query> {
    let query = match source {
        Source::Received => ordered!(
            "user_messages um", ["um.user_id" = "?1"], "true", "um.message_id", side
        ),
        Source::Unread => ordered!(
            "user_messages um INDEXED BY user_messages_unread",
            ["um.user_id" = "?1"],
            "um.flags & 1 = 0",
            "um.message_id",
            side
        ),
        Source::Channel => ordered!(
            "messages m INDEXED BY messages_by_conversation",
            ["m.conversation_id" = "(SELECT conversation_id FROM channels WHERE id = ?1)"],
            "true",
            "m.id",
            side
        ),
        Source::Topic => ordered!(
            "messages m INDEXED BY messages_by_topic",
            ["m.channel_id" = "?1", "m.topic_folded" = "?4"],
            // The index has no other messages, which PostgreSQL does not see in the comparison of rows.
            "m.channel_id IS NOT NULL",
            "m.id",
            side
        ),
        _ => return None,
    };
    Some(query)
}
