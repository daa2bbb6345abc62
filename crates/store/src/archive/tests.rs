//! Every statement against the real schema, and what each kind of export contains.

use super::*;
use crate::testing::{self, TestDatabase};
use crate::{RusqliteDb, WriteTx};
use spindle_domain::{ChannelId, ConversationId, MessageId, RealmId, UserId};

mod both;

const SCOPES: [Scope; 3] = [Scope::Public, Scope::Consented, Scope::Everything];

#[test]
fn every_statement_runs() {
    let database = TestDatabase::with_realm();
    let connection = database.open_another();
    let db = RusqliteDb::new(&connection);
    testing::write(&db, |tx| {
        let ann = testing::user(tx, "ann@x.org");
        let channel = testing::add_channel(tx, "open", false);
        testing::subscribe(tx, ann, channel, "#ffffff");
    });
    for scope in SCOPES {
        make_tables(&db).unwrap();
        prepare(&db, RealmId::ONLY, scope).unwrap();
        for table in ORGANIZATION.iter().chain(PEOPLE).chain([&ATTACHMENTS]) {
            let mut last = 0;
            let seen = each_row::<DbError>(&connection, RealmId::ONLY, table, |row| {
                let row: serde_json::Value = serde_json::from_str(row).unwrap();
                let key = if table.name == "zerver_namedusergroup" {
                    "usergroup_ptr"
                } else {
                    "id"
                };
                let id = row[key].as_i64().unwrap();
                assert!(id > last, "{}: {row}", table.name);
                last = id;
                Ok(())
            });
            seen.unwrap_or_else(|error| panic!("{}: {error}", table.name));
        }
        people(&db, RealmId::ONLY).unwrap();
        consenting(&db).unwrap();
        files(&db, RealmId::ONLY).unwrap();
        avatars(&db, RealmId::ONLY).unwrap();
        emoji(&db, RealmId::ONLY).unwrap();
        let ids = message_ids(&db, MessageId(0), 10).unwrap();
        messages(&db, &ids).unwrap();
        each_receipt::<DbError>(&connection, &ids, |_| Ok(())).unwrap();
    }
}

/// A message of a conversation that these people have received.
fn send(
    tx: &WriteTx<'_>,
    sender: UserId,
    conversation: ConversationId,
    channel: Option<ChannelId>,
    to: &[UserId],
) -> MessageId {
    let sql = "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content, \
        rendered_content, date_sent, client) VALUES (1, ?1, ?2, ?3, '', '', 0, 'test') \
        RETURNING id";
    let values = crate::params![sender, conversation, channel];
    let id = tx.execute(sql, &values).unwrap();
    let id = id.one_value().unwrap();
    for user in to {
        let sql = "INSERT INTO user_messages (user_id, message_id) VALUES (?1, ?2)";
        tx.execute(sql, &crate::params![*user, id]).unwrap();
    }
    id
}

fn conversation_of(tx: &WriteTx<'_>, channel: ChannelId) -> ConversationId {
    let sql = "SELECT conversation_id FROM channels WHERE id = ?1";
    let rows = tx.execute(sql, &crate::params![channel]).unwrap();
    rows.one_value().unwrap()
}

#[test]
fn what_leaves_depends_on_who_agrees() {
    let database = TestDatabase::with_realm();
    let connection = database.open_another();
    let db = RusqliteDb::new(&connection);
    let tx = WriteTx::begin(&db).unwrap();
    let [ann, bob, cem] =
        ["ann@x.org", "bob@x.org", "cem@x.org"].map(|email| testing::user(&tx, email));
    let agree = "UPDATE users SET settings = '{\"allow_private_data_export\":true}' WHERE id = ?1";
    tx.execute(agree, &crate::params![ann]).unwrap();
    let channels = [
        ("open", false),
        ("shared", true),
        ("hidden", true),
        ("left", true),
    ]
    .map(|(name, private)| testing::add_channel(&tx, name, private));
    let [open, shared, hidden, left] = channels;
    let protect = "UPDATE channels SET history_public_to_subscribers = 0 WHERE id = ?1";
    tx.execute(protect, &crate::params![hidden]).unwrap();
    for (user, channel) in [
        (ann, shared),
        (bob, shared),
        (ann, hidden),
        (bob, hidden),
        (bob, left),
    ] {
        testing::subscribe(&tx, user, channel, "#ffffff");
    }
    let of = |channel| conversation_of(&tx, channel);
    let public = send(&tx, bob, of(open), Some(open), &[]);
    let past = send(&tx, bob, of(shared), Some(shared), &[bob]);
    let received = send(&tx, bob, of(hidden), Some(hidden), &[ann, bob]);
    let missed = send(&tx, bob, of(hidden), Some(hidden), &[bob]);
    // Ann was there once.
    let elsewhere = send(&tx, bob, of(left), Some(left), &[ann, bob]);
    let direct = |people: [UserId; 2]| {
        let sql = "INSERT INTO conversations (realm_id, kind, members_key) \
            VALUES (1, 'direct', ?1) RETURNING id";
        let key = format!("{},{}", people[0], people[1]);
        let id = tx.execute(sql, &crate::params![key]).unwrap();
        let id = id.one_value().unwrap();
        for user in people {
            let sql = "INSERT INTO conversation_members (user_id, conversation_id) VALUES (?1, ?2)";
            tx.execute(sql, &crate::params![user, id]).unwrap();
        }
        send(&tx, people[1], id, None, &people)
    };
    let with_ann = direct([ann, bob]);
    let without = direct([bob, cem]);
    let all = [public, past, received, missed, elsewhere, with_ann, without];
    tx.commit().unwrap();
    for (scope, expected) in SCOPES.into_iter().zip([
        vec![public],
        vec![public, past, received, with_ann],
        all.to_vec(),
    ]) {
        make_tables(&db).unwrap();
        // Several parts, the last of which is not full.
        scope::prepare_in_parts(&db, RealmId::ONLY, scope, 2).unwrap();
        let ids = message_ids(&db, MessageId(0), 100).unwrap();
        assert_eq!(
            serde_json::from_str::<Vec<MessageId>>(&ids).unwrap(),
            expected,
            "{scope:?}"
        );
        let mut receipts = Vec::new();
        each_receipt::<DbError>(&connection, &ids, |receipt| {
            receipts.push(receipt.user_id);
            Ok(())
        })
        .unwrap();
        assert_eq!(receipts.contains(&bob), scope == Scope::Everything);
        let rows = messages(&db, &ids).unwrap();
        assert!(
            rows.iter()
                .all(|row| row.row.contains("\"sending_client\":2"))
        );
    }
}

/// Where a message was, and what was said there, is for exports that hold that channel.
#[test]
fn a_history_leaves_with_the_channel_it_tells_of() {
    let database = TestDatabase::with_realm();
    let connection = database.open_another();
    let db = RusqliteDb::new(&connection);
    let tx = WriteTx::begin(&db).unwrap();
    let ann = testing::user(&tx, "ann@x.org");
    let open = testing::add_channel(&tx, "open", false);
    let hidden = testing::add_channel(&tx, "hidden", true);
    let write = |id: MessageId, entry: serde_json::Value| {
        let sql = "UPDATE messages SET edit_history = ?2 WHERE id = ?1";
        let history = serde_json::json!([entry]).to_string();
        tx.execute(sql, &crate::params![id, history]).unwrap();
    };
    let [moved, edited] = [(); 2].map(|()| {
        let conversation = conversation_of(&tx, open);
        send(&tx, ann, conversation, Some(open), &[])
    });
    write(
        moved,
        serde_json::json!({"prev_stream": hidden, "prev_topic": "secret"}),
    );
    write(edited, serde_json::json!({"prev_topic": "known"}));
    tx.commit().unwrap();
    for (scope, tells) in SCOPES.into_iter().zip([false, false, true]) {
        make_tables(&db).unwrap();
        prepare(&db, RealmId::ONLY, scope).unwrap();
        let ids = message_ids(&db, MessageId(0), 10).unwrap();
        let rows = messages(&db, &ids).unwrap();
        assert_eq!(rows[0].row.contains("secret"), tells);
        assert!(rows[1].row.contains("known"));
    }
}
