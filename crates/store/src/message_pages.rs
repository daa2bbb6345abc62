//! Many messages in one read: what they have in common is read once, not for each of them.
//!
//! A page has few senders and few conversations. A text costs about as much on its way from the database to a component
//! as SQLite takes to find its row, so a row holds only the columns that differ and the requested texts. A single
//! message is read by [`crate::messages::by_ids`], in one statement. The caller decides who may read what.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use spindle_domain::{ChannelId, ConversationId, MessageId, RealmId, UserId};

use crate::message_sizes::size_of_all;
use crate::messages::{
    MessageRow, attached_lists, channel_name, is_listed, people_in, sender_columns,
};
use crate::{Db, DbError, id_list, params, row_struct, sql};

/// Which texts of messages are read; the others are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texts {
    /// Markdown.
    pub markdown: bool,
    /// HTML.
    pub html: bool,
}

impl Texts {
    /// Both.
    pub const ALL: Self = Self {
        markdown: true,
        html: true,
    };
}

row_struct! {
    /// What of a [`MessageRow`] no other message has.
    struct PageRow {
        id: MessageId,
        sender_id: UserId,
        conversation_id: ConversationId,
        channel_id: Option<ChannelId>,
        topic: String,
        content: Option<String>,
        rendered_content: Option<String>,
        date_sent: i64,
        client: String,
        last_edit_time: Option<i64>,
        last_moved_time: Option<i64>,
        edit_history: Option<String>,
        buttons: Option<String>,
        properties: i64,
        reactions: Option<String>,
        submessages: Option<String>,
        is_incomplete: bool,
        flags: Option<i64>,
    }

    /// What messages show of a sender, or of the conversation that they are in.
    struct PartyRow {
        sender_id: Option<UserId>,
        sender_email: Option<Arc<str>>,
        sender_full_name: Option<Arc<str>>,
        sender_is_bot: Option<bool>,
        sender_realm_str: Option<Arc<str>>,
        avatar_url: Option<Arc<str>>,
        avatar_is_gravatar: Option<bool>,
        conversation_id: Option<ConversationId>,
        display_recipient: Option<Arc<str>>,
    }
}

/// Bytes that all messages of a page may take together, each taking at least `least`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// At most.
    pub bytes: i64,
    /// What a message without text takes.
    pub least: i64,
}

/// As [`crate::messages::by_ids`], for many messages, with the texts that are wanted: two statements. There are no rows when
/// `room` is given and the messages take more.
pub fn by_ids(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    ids: &str,
    texts: Texts,
    room: Option<Room>,
) -> Result<Vec<MessageRow>, DbError> {
    let (most, least) = room.map(|room| (room.bytes, room.least)).unzip();
    let rows: Vec<PageRow> = db
        .query(
            sql!(
                "SELECT m.id, m.sender_id, m.conversation_id, m.channel_id, m.topic, \
                 iif(?4:bigint = 1, m.content, NULL) AS content, \
                 iif(?5:bigint = 1, m.rendered_content, NULL) AS rendered_content, m.date_sent, m.client, \
                 m.last_edit_time, m.last_moved_time, m.edit_history, m.properties, m.buttons, ",
                attached_lists!(),
                ", um.flags FROM messages m \
                 LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?2 \
                 WHERE m.realm_id = ?1 AND ",
                is_listed!("m.id", "?3"),
                " AND (m.channel_id IS NOT NULL OR um.message_id IS NOT NULL) \
                 AND (?6:bigint IS NULL OR (SELECT ",
                size_of_all!("?3", "?7"),
                ") <= ?6) ORDER BY m.id"
            ),
            &params![
                realm_id,
                user_id,
                ids,
                texts.markdown,
                texts.html,
                most,
                least
            ],
        )?
        .all()?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let parties = parties(db, &rows)?;
    rows.into_iter().map(|row| join(row, &parties)).collect()
}

/// Senders and conversations of a page.
#[derive(Default)]
struct Parties {
    senders: HashMap<UserId, Sender>,
    recipients: HashMap<ConversationId, Arc<str>>,
}

struct Sender {
    email: Arc<str>,
    full_name: Arc<str>,
    is_bot: bool,
    realm_str: Arc<str>,
    avatar_url: Arc<str>,
    avatar_is_gravatar: bool,
}

fn parties(db: &dyn Db, rows: &[PageRow]) -> Result<Parties, DbError> {
    let senders: BTreeSet<UserId> = rows.iter().map(|row| row.sender_id).collect();
    let conversations: BTreeSet<ConversationId> =
        rows.iter().map(|row| row.conversation_id).collect();
    let found: Vec<PartyRow> = db
        .query(
            sql!(
                "SELECT u.id AS sender_id, ",
                sender_columns!(),
                ", NULL AS conversation_id, NULL AS display_recipient \
                 FROM users u JOIN realms r ON r.id = u.realm_id WHERE ",
                is_listed!("u.id", "?1"),
                " UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, c.id, coalesce((SELECT ",
                channel_name!(),
                " FROM channels ch WHERE ch.conversation_id = c.id), ",
                people_in!("c.id"),
                ") FROM conversations c WHERE ",
                is_listed!("c.id", "?2")
            ),
            &params![id_list(senders), id_list(conversations)],
        )?
        .all()?;
    let mut parties = Parties::default();
    for row in found {
        if let Some(id) = row.sender_id {
            let sender = Sender {
                email: row.sender_email.ok_or(DbError::NoRow)?,
                full_name: row.sender_full_name.ok_or(DbError::NoRow)?,
                is_bot: row.sender_is_bot == Some(true),
                realm_str: row.sender_realm_str.ok_or(DbError::NoRow)?,
                avatar_url: row.avatar_url.ok_or(DbError::NoRow)?,
                avatar_is_gravatar: row.avatar_is_gravatar == Some(true),
            };
            parties.senders.insert(id, sender);
        } else if let (Some(id), Some(shown)) = (row.conversation_id, row.display_recipient) {
            parties.recipients.insert(id, shown);
        }
    }
    Ok(parties)
}

fn join(row: PageRow, parties: &Parties) -> Result<MessageRow, DbError> {
    // Both are there as long as their messages are.
    let sender = parties.senders.get(&row.sender_id).ok_or(DbError::NoRow)?;
    let recipient = parties.recipients.get(&row.conversation_id);
    let recipient = recipient.ok_or(DbError::NoRow)?;
    Ok(MessageRow {
        id: row.id,
        sender_id: row.sender_id,
        sender_email: Arc::clone(&sender.email),
        sender_full_name: Arc::clone(&sender.full_name),
        sender_is_bot: sender.is_bot,
        sender_realm_str: Arc::clone(&sender.realm_str),
        avatar_url: Arc::clone(&sender.avatar_url),
        avatar_is_gravatar: sender.avatar_is_gravatar,
        conversation_id: row.conversation_id,
        channel_id: row.channel_id,
        display_recipient: Arc::clone(recipient),
        topic: row.topic,
        content: row.content.unwrap_or_default(),
        rendered_content: row.rendered_content.unwrap_or_default(),
        date_sent: row.date_sent,
        client: row.client,
        last_edit_time: row.last_edit_time,
        last_moved_time: row.last_moved_time,
        edit_history: row.edit_history,
        buttons: row.buttons,
        properties: row.properties,
        reactions: row.reactions,
        submessages: row.submessages,
        is_incomplete: row.is_incomplete,
        flags: row.flags,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{self, NewMessage};
    use crate::testing::{self, TestDatabase};
    use crate::{WriteTx, conversations};

    fn send(tx: &WriteTx<'_>, sender_id: UserId, conversation_id: i64, channel_id: Option<i64>) {
        let new = NewMessage {
            realm_id: RealmId::ONLY,
            sender_id,
            conversation_id: ConversationId(conversation_id),
            channel_id: channel_id.map(ChannelId),
            topic: if channel_id.is_some() { "tea" } else { "" },
            topic_folded: if channel_id.is_some() { "tea" } else { "" },
            content: "*x*",
            rendered_content: "<p><em>x</em></p>",
            date_sent: 5,
            client: "test",
            properties: 0,
            buttons: None,
        };
        let id = messages::insert(tx, &new).unwrap();
        let sql = "INSERT INTO user_messages (user_id, message_id, flags) VALUES (?1, ?2, 1)";
        tx.execute(sql, &params![sender_id, id]).unwrap();
    }

    #[test]
    fn many_messages_are_read_as_each_alone() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let people = ["a@x", "b@x"].map(|email| UserId(testing::add_user(&tx, email)));
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (7, 1, 1, 'The \"Pub\"', 'the \"pub\"', 5)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let direct = conversations::insert_direct(&tx, RealmId::ONLY, "1,2").unwrap();
        for sender in people {
            send(&tx, sender, 1, Some(7));
            send(&tx, sender, direct.get(), None);
        }
        let sql = "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) \
                   VALUES (2, 1, 'unicode_emoji', '1f6e0', 'tool')";
        tx.execute(sql, &[]).unwrap();
        let realm = RealmId::ONLY;
        let ids = "[1,2,3,4,999]";
        let all = by_ids(&tx, realm, people[0], ids, Texts::ALL, None).unwrap();
        // The other one's direct message was not delivered.
        assert_eq!(
            all.iter().map(|row| row.id.get()).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert_eq!(
            Ok(&all),
            messages::by_ids(&tx, realm, people[0], ids).as_ref()
        );
        assert!(all[1].reactions.is_some() && all[0].reactions.is_none());
        let html = Texts {
            markdown: false,
            html: true,
        };
        let page = by_ids(&tx, realm, people[0], ids, html, None).unwrap();
        let texts = (page[0].content.as_str(), page[0].rendered_content.as_str());
        assert_eq!(texts, ("", "<p><em>x</em></p>"));
        let none = by_ids(&tx, realm, people[0], "[]", html, None);
        assert_eq!(none, Ok(Vec::new()));
        // Each of four has a text of 3 bytes and one of 17, and one has a reaction, which counts 100.
        for (bytes, found) in [(219, 0), (220, 3)] {
            let room = Some(Room { bytes, least: 10 });
            let page = by_ids(&tx, realm, people[0], ids, html, room).unwrap();
            assert_eq!(page.len(), found);
        }
    }
}
