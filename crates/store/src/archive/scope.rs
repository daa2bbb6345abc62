//! What an export holds: whose private data, which messages, which conversations
//! (docs/protocol/archive.md#types).

use spindle_domain::{ChannelId, RealmId};

use crate::{Connection, Db, DbError, Dialect, Statement, either, params, sql, statement};

/// Whose data an export holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What all users may see.
    Public,
    /// The same, and the private data of users who consent.
    Consented,
    /// Everything.
    Everything,
}

impl Scope {
    const fn number(self) -> i64 {
        match self {
            Self::Public => 0,
            Self::Consented => 1,
            Self::Everything => 2,
        }
    }
}

/// Messages that one statement reads: less than a second of work, also where it looks for who has received each.
const MESSAGES_OF_A_PART: i64 = 20_000;

/// Makes the temporary tables of this connection. Before the snapshot: PostgreSQL makes no table in a transaction that only
/// reads. There, it also lifts the time limits of the connection, since files are packed between two statements, and lets the server
/// find out within two minutes that this program is gone.
pub fn make_tables(connection: &dyn Connection) -> Result<(), DbError> {
    for sql in TABLES {
        connection.execute(sql, &[])?;
    }
    if connection.dialect() == Dialect::Postgres {
        for sql in LIMITS {
            connection.execute(sql, &[])?;
        }
    }
    Ok(())
}

/// Notes in the temporary tables of this connection, for the organization:
/// `archive_people` (accounts whose private data leaves), `archive_messages`,
/// `archive_conversations` (direct conversations that leave), `archive_channels`, `archive_facts`
/// (one row: the scope and the offset between ids of accounts and of their recipients), and
/// `archive_clients`.
pub fn prepare(
    connection: &dyn Connection,
    realm_id: RealmId,
    scope: Scope,
) -> Result<(), DbError> {
    prepare_in_parts(connection, realm_id, scope, MESSAGES_OF_A_PART)
}

/// As [`prepare`]. No statement reads more messages than this: a connection to a server limits the time of each.
pub(super) fn prepare_in_parts(
    connection: &dyn Connection,
    realm_id: RealmId,
    scope: Scope,
    messages: i64,
) -> Result<(), DbError> {
    let arguments = params![realm_id, scope.number()];
    for sql in [FACTS, PEOPLE, CHANNELS, CONVERSATIONS] {
        connection.execute(sql, &arguments)?;
    }
    let mut after = i64::MIN;
    while let Some(last) = last_of_part(connection, after, messages)? {
        let part = params![realm_id, scope.number(), after, last];
        connection.execute(MESSAGES, &part)?;
        connection.execute(WRITTEN_WITH, &params![after, last])?;
        after = last;
    }
    connection.execute(CLIENTS, &params![realm_id])?;
    Ok(())
}

/// The last of the messages after this one, up to `most` of them.
fn last_of_part(db: &dyn Db, after: i64, most: i64) -> Result<Option<i64>, DbError> {
    let last = sql!(
        "SELECT max(id) FROM (SELECT id FROM messages WHERE id > ?1 ORDER BY id LIMIT ?2) AS part"
    );
    db.query(last, &params![after, most])?.one_value()
}

/// Ids of the channels that leave, ascending.
pub fn channels(db: &dyn Db) -> Result<Vec<ChannelId>, DbError> {
    db.query(sql!("SELECT id FROM archive_channels ORDER BY id"), &[])?
        .values()
}

const LIMITS: [Statement; 5] = [
    statement!(either!("", "SET idle_in_transaction_session_timeout = 0")),
    statement!(either!("", "SET statement_timeout = 0")),
    statement!(either!("", "SET tcp_keepalives_idle = 60")),
    statement!(either!("", "SET tcp_keepalives_interval = 15")),
    statement!(either!("", "SET tcp_keepalives_count = 4")),
];

const TABLES: [Statement; 14] = [
    statement!("DROP TABLE IF EXISTS archive_channels"),
    statement!(
        "CREATE TEMP TABLE archive_channels (id ",
        either!("INTEGER PRIMARY KEY) STRICT", "BIGINT PRIMARY KEY)")
    ),
    statement!("DROP TABLE IF EXISTS archive_facts"),
    statement!("DROP TABLE IF EXISTS archive_people"),
    statement!("DROP TABLE IF EXISTS archive_conversations"),
    statement!("DROP TABLE IF EXISTS archive_messages"),
    statement!(
        "CREATE TEMP TABLE archive_facts ",
        either!(
            "(scope INTEGER NOT NULL, shift INTEGER NOT NULL) STRICT",
            "(scope BIGINT NOT NULL, shift BIGINT NOT NULL)"
        )
    ),
    statement!(
        "CREATE TEMP TABLE archive_people (id ",
        either!("INTEGER PRIMARY KEY) STRICT", "BIGINT PRIMARY KEY)")
    ),
    statement!(
        "CREATE TEMP TABLE archive_conversations ",
        either!(
            "(id INTEGER PRIMARY KEY, people INTEGER NOT NULL) STRICT",
            "(id BIGINT PRIMARY KEY, people BIGINT NOT NULL)"
        )
    ),
    statement!(
        "CREATE TEMP TABLE archive_messages (id ",
        either!("INTEGER PRIMARY KEY) STRICT", "BIGINT PRIMARY KEY)")
    ),
    statement!("DROP TABLE IF EXISTS archive_written_with"),
    statement!(
        "CREATE TEMP TABLE archive_written_with ",
        either!("(name TEXT PRIMARY KEY) STRICT", "(name TEXT PRIMARY KEY)")
    ),
    statement!("DROP TABLE IF EXISTS archive_clients"),
    statement!(
        "CREATE TEMP TABLE archive_clients ",
        either!(
            "(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
            "(id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE)"
        )
    ),
];

/// An account's own recipient has the id of the account beyond all ids of conversations.
const FACTS: Statement = statement!(
    "INSERT INTO archive_facts \
    SELECT ?2, coalesce(max(id), 0) FROM conversations WHERE realm_id = ?1"
);

/// People who agree, bots that do or whose owner does, and all stubs.
const PEOPLE: Statement = statement!(
    "INSERT INTO archive_people \
    SELECT u.id FROM users u LEFT JOIN users o ON o.id = u.bot_owner_id \
    WHERE u.realm_id = ?1 AND (?2:bigint = 2 OR (?2:bigint = 1 AND (u.is_imported_stub = 1 \
        OR coalesce(u.settings -> 'allow_private_data_export' = 'true', FALSE) \
        OR coalesce(o.settings -> 'allow_private_data_export' = 'true', FALSE))))"
);

/// Channels that are not private, and private ones with a subscriber among these people.
const CHANNELS: Statement = statement!(
    "INSERT INTO archive_channels \
    SELECT c.id FROM channels c WHERE c.realm_id = ?1 AND (?2:bigint = 2 OR c.invite_only = 0 OR EXISTS \
        (SELECT 1 FROM subscriptions s JOIN archive_people p ON p.id = s.user_id \
         WHERE s.channel_id = c.id AND s.active = 1))"
);

/// Direct conversations with a member among these people.
const CONVERSATIONS: Statement = statement!(
    "INSERT INTO archive_conversations \
    SELECT c.id, (SELECT count(*) FROM conversation_members n WHERE n.conversation_id = c.id) \
    FROM conversations c WHERE c.realm_id = ?1 AND c.kind = 'direct' AND (?2:bigint = 2 OR EXISTS \
        (SELECT 1 FROM conversation_members n JOIN archive_people p ON p.id = n.user_id \
         WHERE n.conversation_id = c.id))"
);

/// Messages of public channels; of private ones whose past is shared, if one of these
/// people is subscribed; where the past is hidden, what one of them has received; direct ones of
/// the conversations above. Of those with ids after `?3` and up to `?4`.
const MESSAGES: Statement = statement!(
    "INSERT INTO archive_messages \
    SELECT m.id FROM messages m LEFT JOIN channels c ON c.id = m.channel_id \
    WHERE m.realm_id = ?1 AND m.id > ?3 AND m.id <= ?4 AND (?2:bigint = 2 OR c.invite_only = 0 \
        OR (m.channel_id IS NULL AND m.conversation_id IN (SELECT id FROM archive_conversations)) \
        OR (c.id IN (SELECT id FROM archive_channels) AND (c.history_public_to_subscribers = 1 \
            OR EXISTS (SELECT 1 FROM user_messages um JOIN archive_people p ON p.id = um.user_id \
                WHERE um.message_id = m.id))))"
);

/// Names of what the messages of a part were written with.
const WRITTEN_WITH: Statement = statement!(
    "INSERT INTO archive_written_with (name) \
    SELECT DISTINCT m.client FROM archive_messages a JOIN messages m ON m.id = a.id WHERE a.id > ?1 AND a.id <= ?2 \
    ON CONFLICT DO NOTHING"
);

/// Names of what messages were written with; the first is the server itself. Their order decides on their ids.
const CLIENTS: Statement = statement!(
    "INSERT INTO archive_clients (name) SELECT name FROM ( \
        SELECT 0 AS place, 'internal' AS name UNION ALL SELECT 1, name FROM ( \
            SELECT name FROM archive_written_with \
            UNION SELECT s.client FROM scheduled_messages s WHERE s.realm_id = ?1 \
                AND s.user_id IN (SELECT id FROM archive_people)) AS written \
        WHERE name <> 'internal') AS clients ORDER BY place, name"
);
