//! Many messages at once: what they have in common is read once, not for each of them.
//!
//! A page has few senders and few conversations. A text costs about as much on its way from the database to a component
//! as SQLite takes to find its row, so a row holds what differs and no text that is not wanted. A single message is read by
//! [`crate::messages::by_ids`], in one statement. Must not decide who may read what.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use spindle_domain::{ChannelId, ConversationId, MessageId, RealmId, UserId};

use crate::messages::{MessageRow, attached_lists, channel_name, people_in, sender_columns};
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
        properties: i64,
        reactions: Option<String>,
        submessages: Option<String>,
        flags: Option<i64>,
    }

    /// What messages show of their sender.
    struct SenderRow {
        id: UserId,
        sender_email: Arc<str>,
        sender_full_name: Arc<str>,
        sender_realm_str: Arc<str>,
        avatar_url: Arc<str>,
        avatar_is_gravatar: bool,
    }

    /// What messages show of the conversation they are in.
    struct RecipientRow {
        id: ConversationId,
        display_recipient: Arc<str>,
    }
}

/// As [`crate::messages::by_ids`], for many messages, with the texts that are wanted: three statements.
pub fn by_ids(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    ids: &str,
    texts: Texts,
) -> Result<Vec<MessageRow>, DbError> {
    let rows: Vec<PageRow> = db
        .query(
            sql!(
                "SELECT m.id, m.sender_id, m.conversation_id, m.channel_id, m.topic, \
                 iif(?4:bigint = 1, m.content, NULL) AS content, \
                 iif(?5:bigint = 1, m.rendered_content, NULL) AS rendered_content, m.date_sent, m.client, \
                 m.last_edit_time, m.last_moved_time, m.edit_history, m.properties, ",
                attached_lists!(),
                ", um.flags FROM messages m \
                 LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?2 \
                 WHERE m.realm_id = ?1 AND m.id IN (SELECT value FROM json_ids(?3)) \
                 AND (m.channel_id IS NOT NULL OR um.message_id IS NOT NULL) ORDER BY m.id"
            ),
            &params![realm_id, user_id, ids, texts.markdown, texts.html],
        )?
        .all()?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let senders = senders(db, &rows)?;
    let recipients = recipients(db, &rows)?;
    let whole = |row: PageRow| {
        // Both are there as long as their messages are.
        let sender = senders.get(&row.sender_id).ok_or(DbError::NoRow)?;
        let recipient = recipients.get(&row.conversation_id).ok_or(DbError::NoRow)?;
        Ok(join(row, sender, recipient))
    };
    rows.into_iter().map(whole).collect()
}

fn senders(db: &dyn Db, rows: &[PageRow]) -> Result<HashMap<UserId, SenderRow>, DbError> {
    let ids: BTreeSet<UserId> = rows.iter().map(|row| row.sender_id).collect();
    let senders: Vec<SenderRow> = db
        .query(
            sql!(
                "SELECT u.id, ",
                sender_columns!(),
                " FROM users u JOIN realms r ON r.id = u.realm_id \
                 WHERE u.id IN (SELECT value FROM json_ids(?1))"
            ),
            &params![id_list(ids)],
        )?
        .all()?;
    Ok(senders.into_iter().map(|row| (row.id, row)).collect())
}

fn recipients(db: &dyn Db, rows: &[PageRow]) -> Result<HashMap<ConversationId, Arc<str>>, DbError> {
    let ids: BTreeSet<ConversationId> = rows.iter().map(|row| row.conversation_id).collect();
    let recipients: Vec<RecipientRow> = db
        .query(
            sql!(
                "SELECT c.id, coalesce((SELECT ",
                channel_name!(),
                " FROM channels ch WHERE ch.conversation_id = c.id), ",
                people_in!("c.id"),
                ") AS display_recipient FROM conversations c \
                 WHERE c.id IN (SELECT value FROM json_ids(?1))"
            ),
            &params![id_list(ids)],
        )?
        .all()?;
    let by_id = |row: RecipientRow| (row.id, row.display_recipient);
    Ok(recipients.into_iter().map(by_id).collect())
}

fn join(row: PageRow, sender: &SenderRow, recipient: &Arc<str>) -> MessageRow {
    MessageRow {
        id: row.id,
        sender_id: row.sender_id,
        sender_email: Arc::clone(&sender.sender_email),
        sender_full_name: Arc::clone(&sender.sender_full_name),
        sender_realm_str: Arc::clone(&sender.sender_realm_str),
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
        properties: row.properties,
        reactions: row.reactions,
        submessages: row.submessages,
        flags: row.flags,
    }
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
        let all = by_ids(&tx, realm, people[0], ids, Texts::ALL).unwrap();
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
        let page = by_ids(&tx, realm, people[0], ids, html).unwrap();
        let texts = (page[0].content.as_str(), page[0].rendered_content.as_str());
        assert_eq!(texts, ("", "<p><em>x</em></p>"));
        assert_eq!(by_ids(&tx, realm, people[0], "[]", html), Ok(Vec::new()));
    }
}
