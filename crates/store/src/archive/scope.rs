//! What an export holds: whose private data, which messages, which conversations
//! (docs/protocol/archive.md#types).

use spindle_domain::{ChannelId, RealmId};

use crate::{Connection, Db, DbError, Statement, params, sql, statement};

/// Whose data an export holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What all users may see.
    Public,
    /// That, and private data of those who agree.
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

/// Notes in temporary tables of this connection, for the organization:
/// `archive_people` (accounts whose private data leaves), `archive_messages`,
/// `archive_conversations` (direct conversations that leave), `archive_channels`, `archive_facts`
/// (one row: the scope and the offset between ids of accounts and of their recipients), and
/// `archive_clients`.
pub fn prepare(
    connection: &dyn Connection,
    realm_id: RealmId,
    scope: Scope,
) -> Result<(), DbError> {
    for sql in TABLES {
        connection.execute(sql, &[])?;
    }
    let arguments = params![realm_id, scope.number()];
    for sql in [FACTS, PEOPLE, CHANNELS, CONVERSATIONS, MESSAGES] {
        connection.execute(sql, &arguments)?;
    }
    connection.execute(CLIENTS, &params![realm_id])?;
    Ok(())
}

/// Ids of the channels that leave.
pub fn channels(db: &dyn Db) -> Result<Vec<ChannelId>, DbError> {
    db.query(sql!("SELECT id FROM archive_channels"), &[])?
        .values()
}

const TABLES: [Statement; 12] = [
    statement!("DROP TABLE IF EXISTS temp.archive_channels"),
    statement!("CREATE TEMP TABLE archive_channels (id INTEGER PRIMARY KEY) STRICT"),
    statement!("DROP TABLE IF EXISTS temp.archive_facts"),
    statement!("DROP TABLE IF EXISTS temp.archive_people"),
    statement!("DROP TABLE IF EXISTS temp.archive_conversations"),
    statement!("DROP TABLE IF EXISTS temp.archive_messages"),
    statement!(
        "CREATE TEMP TABLE archive_facts (scope INTEGER NOT NULL, offset INTEGER NOT NULL) STRICT"
    ),
    statement!("CREATE TEMP TABLE archive_people (id INTEGER PRIMARY KEY) STRICT"),
    statement!(
        "CREATE TEMP TABLE archive_conversations (id INTEGER PRIMARY KEY, people INTEGER NOT NULL) STRICT"
    ),
    statement!("CREATE TEMP TABLE archive_messages (id INTEGER PRIMARY KEY) STRICT"),
    statement!("DROP TABLE IF EXISTS temp.archive_clients"),
    statement!(
        "CREATE TEMP TABLE archive_clients (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT"
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
    WHERE u.realm_id = ?1 AND (?2 = 2 OR (?2 = 1 AND (u.is_imported_stub \
        OR coalesce(u.settings ->> 'allow_private_data_export', 0) \
        OR coalesce(o.settings ->> 'allow_private_data_export', 0))))"
);

/// Channels that are not private, and private ones with a subscriber among these people.
const CHANNELS: Statement = statement!(
    "INSERT INTO archive_channels \
    SELECT c.id FROM channels c WHERE c.realm_id = ?1 AND (?2 = 2 OR c.invite_only = 0 OR EXISTS \
        (SELECT 1 FROM subscriptions s JOIN archive_people p ON p.id = s.user_id \
         WHERE s.channel_id = c.id AND s.active = 1))"
);

/// Direct conversations with a member among these people.
const CONVERSATIONS: Statement = statement!(
    "INSERT INTO archive_conversations \
    SELECT c.id, (SELECT count(*) FROM conversation_members n WHERE n.conversation_id = c.id) \
    FROM conversations c WHERE c.realm_id = ?1 AND c.kind = 'direct' AND (?2 = 2 OR EXISTS \
        (SELECT 1 FROM conversation_members n JOIN archive_people p ON p.id = n.user_id \
         WHERE n.conversation_id = c.id))"
);

/// Messages of public channels; of private ones whose past is shared, if one of these
/// people is subscribed; where the past is hidden, what one of them has received; direct ones of
/// the conversations above.
const MESSAGES: Statement = statement!(
    "INSERT INTO archive_messages \
    SELECT m.id FROM messages m LEFT JOIN channels c ON c.id = m.channel_id \
    WHERE m.realm_id = ?1 AND (?2 = 2 OR c.invite_only = 0 \
        OR (m.channel_id IS NULL AND m.conversation_id IN (SELECT id FROM archive_conversations)) \
        OR (c.id IN (SELECT id FROM archive_channels) AND (c.history_public_to_subscribers = 1 \
            OR EXISTS (SELECT 1 FROM user_messages um JOIN archive_people p ON p.id = um.user_id \
                WHERE um.message_id = m.id))))"
);

/// Names of what messages were written with; the first is the server itself.
const CLIENTS: Statement = statement!(
    "INSERT INTO archive_clients (name) \
    SELECT 'internal' UNION ALL SELECT name FROM ( \
        SELECT m.client AS name FROM archive_messages a JOIN messages m ON m.id = a.id \
        UNION SELECT s.client FROM scheduled_messages s WHERE s.realm_id = ?1 \
            AND s.user_id IN (SELECT id FROM archive_people)) WHERE name <> 'internal'"
);
