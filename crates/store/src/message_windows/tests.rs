//! Every way through the tables uses its index and sorts nothing; the full-text index follows
//! the messages; ways and conditions agree.

use rusqlite::Connection;
use spindle_domain::{ChannelId, ConversationId, UserId};

use super::statements::{Source, bare, statement};
use super::*;
use crate::messages::{flag, property};
use crate::testing::{TestDatabase, add_user};
use crate::{Rows, Value, sql};

const SOURCES: &[(Source, &str)] = &[
    (
        Source::Received,
        "SEARCH um USING PRIMARY KEY (user_id=? AND message_id",
    ),
    (
        Source::Direct,
        "INDEX user_messages_private (user_id=? AND message_id",
    ),
    (
        Source::Starred,
        "INDEX user_messages_starred (user_id=? AND message_id",
    ),
    (
        Source::Mentioned,
        "INDEX user_messages_mentioned (user_id=? AND message_id",
    ),
    (
        Source::Alerted,
        "INDEX user_messages_alerted (user_id=? AND message_id",
    ),
    (
        Source::Unread,
        "INDEX user_messages_unread (user_id=? AND message_id",
    ),
    (
        Source::Mentions,
        "INDEX user_messages_mentioned (user_id=? AND message_id",
    ),
    (
        Source::Channel,
        "INDEX messages_by_conversation (conversation_id=? AND id",
    ),
    (
        Source::Topic,
        "INDEX messages_by_topic (channel_id=? AND topic_folded=? AND id",
    ),
    (
        Source::Conversation,
        "INDEX messages_by_conversation (conversation_id=? AND id",
    ),
    (
        Source::Sender,
        "INDEX messages_by_sender (sender_id=? AND id",
    ),
    (Source::WithAttachment, "INDEX messages_with_attachment (id"),
    (Source::WithImage, "INDEX messages_with_image (id"),
    (Source::Resolved, "INDEX messages_resolved (id"),
    (Source::Search, "VIRTUAL TABLE INDEX"),
    (Source::Ids, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"),
    (Source::All, "SEARCH m USING INTEGER PRIMARY KEY (rowid"),
];

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap();
    let unbound = rusqlite::params_from_iter(vec![None::<i64>; statement.parameter_count()]);
    let rows = statement.query_map(unbound, |row| row.get(3)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn every_way_walks_its_index_in_order() {
    let database = TestDatabase::with_realm();
    let connection = database.open_another();
    for (source, expected) in SOURCES {
        let of_side = |side| [Some(statement(*source, side)), bare(*source, side)];
        let queries = [Side::Before, Side::After].map(of_side);
        for query in queries.into_iter().flatten().flatten() {
            let plan = plan(&connection, query.text());
            let text = plan.join("\n");
            assert!(
                text.contains(expected),
                "{source:?} {}\n{text}",
                query.text()
            );
            let sorts = text.contains("FOR ORDER BY");
            assert_eq!(sorts, *source == Source::Ids, "{source:?}\n{text}");
            for step in &plan {
                let walks_table = step.starts_with("SCAN") && !step.contains("VIRTUAL TABLE");
                let is_list = *source == Source::Ids && step.starts_with("SCAN l");
                assert!(
                    !walks_table || is_list || step == "SCAN CONSTANT ROW",
                    "{step}\n{text}"
                );
            }
        }
    }
}

/// A member, another, a channel with its conversation.
struct World {
    database: TestDatabase,
    user: UserId,
    other: UserId,
}

impl World {
    fn new() -> Self {
        let database = TestDatabase::with_realm();
        let (user, other) = database.write(|tx| {
            let add = |email| -> UserId { add_user(tx, email).into() };
            (add("user@x"), add("other@x"))
        });
        database
            .open_another()
            .execute_batch(
                "INSERT INTO conversations (id, realm_id, kind, members_key) VALUES \
                 (1, 1, 'channel', NULL), (2, 1, 'direct', '1,2'); \
                 INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
                 VALUES (1, 1, 1, 'c', 'c', 0);",
            )
            .unwrap();
        Self {
            database,
            user,
            other,
        }
    }

    fn message(&self, sender: UserId, topic: &str, content: &str, properties: i64) -> MessageId {
        let channel = (!topic.is_empty()).then_some(ChannelId(1));
        self.run(
            "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client, properties) \
             VALUES (1, ?1, iif(?2 IS NULL, 2, 1), ?2, ?3, lower(?3), ?4, '', 0, '', ?5) RETURNING id",
            &params![sender, channel, topic, content, properties],
        )
        .one_value()
        .unwrap()
    }

    fn deliver(&self, id: MessageId, flags: i64) {
        self.run(
            "INSERT INTO user_messages VALUES (?1, ?2, ?3)",
            &params![self.user, id, flags],
        );
    }

    fn found(&self, search: &str) -> Vec<MessageId> {
        self.database
            .db()
            .query(
                sql!(
                    "SELECT rowid FROM message_search WHERE message_search MATCH ?1 ORDER BY rowid"
                ),
                &params![search],
            )
            .unwrap()
            .values()
            .unwrap()
    }

    fn run(&self, sql: &'static str, params: &[Value]) -> Rows {
        self.database.write(|tx| tx.execute(sql, params).unwrap())
    }
}

#[test]
fn the_full_text_index_follows_the_messages() {
    let world = World::new();
    let first = world.message(world.user, "Lunch", "École, don't stop", 0);
    let second = world.message(world.other, "", "plain", 0);
    assert_eq!(world.found("content : ecole"), [first]);
    assert_eq!(world.found("topic : lunch"), [first]);
    assert_eq!(world.found(r#"content : "don t""#), [first]);
    assert_eq!(world.found("scope : c1"), [first]);
    assert_eq!(world.found("scope : (s2 AND dm AND c2)"), [second]);
    world.run(
        "UPDATE messages SET content = 'other' WHERE id = ?1",
        &params![first],
    );
    assert_eq!(world.found("ecole"), [MessageId(0); 0]);
    assert_eq!(world.found("content : other"), [first]);
    world.run(
        "UPDATE messages SET topic = 'Dinner', topic_folded = 'dinner'",
        &[],
    );
    assert_eq!(world.found("lunch"), [MessageId(0); 0]);
    assert_eq!(world.found("topic : dinner AND content : other"), [first]);
    world.run(
        "UPDATE messages SET conversation_id = 2 WHERE id = ?1",
        &params![first],
    );
    assert_eq!(world.found("scope : c2"), [first, second]);
    world.run("DELETE FROM messages WHERE id = ?1", &params![first]);
    assert_eq!(world.found("scope : c2"), [second]);
}

#[test]
fn scripts_without_spaces_are_cut_into_characters_wherever_they_stand() {
    let world = World::new();
    let mut expected = Vec::new();
    // Texts longer than a piece, with the word before, at and after the seam.
    for padding in [0, 1, 95, 97, 98, 99, 100, 101, 199, 350] {
        let content = format!("{}東京タワーに行く", "x".repeat(padding));
        expected.push(world.message(world.user, "今日 a", &content, 0));
    }
    assert_eq!(world.found(r#""京 タ ワ""#), expected);
    assert_eq!(world.found(r#"topic : "日 a""#), expected);
    assert_eq!(world.found(r#""京 ワ""#), [MessageId(0); 0]);
    for text in [
        "ภาษาไทย",
        "မြန်မာ",
        "ភាសា",
        "ひらがな",
        "カタカナ",
        "한국어",
        "ｶﾀ",
        "𠀀𠀁",
    ] {
        let id = world.message(world.user, "t", &format!("a{text}b"), 0);
        let apart: Vec<String> = text.chars().map(String::from).collect();
        let search = format!("\"a {} b\"", apart.join(" "));
        assert_eq!(world.found(&search), [id], "{text}");
    }
}

/// Whatever way is taken, the same messages pass.
#[test]
fn the_way_does_not_decide_what_passes() {
    let world = World::new();
    for number in 0..60_i64 {
        let sender = if number % 3 == 0 {
            world.user
        } else {
            world.other
        };
        let topic = ["", "a", "\u{2714} b", "a"][(number % 4) as usize];
        let content = if number % 5 == 0 { "needle" } else { "hay" };
        let id = world.message(sender, topic, content, (number % 8) & 6);
        if number % 7 != 0 {
            let private = if topic.is_empty() {
                flag::IS_PRIVATE
            } else {
                0
            };
            world.deliver(
                id,
                private | (number % 32) | if number % 6 == 0 { 512 } else { 0 },
            );
        }
    }
    let base = Filter {
        user_id: world.user,
        ..Filter::default()
    };
    let filters = [
        Filter {
            flags_all: flag::STARRED,
            ..base.clone()
        },
        Filter {
            flags_any: flag::ANY_MENTION,
            ..base.clone()
        },
        Filter {
            flags_all: flag::HAS_ALERT_WORD,
            ..base.clone()
        },
        Filter {
            flags_none: flag::READ,
            ..base.clone()
        },
        Filter {
            mentions: vec![world.user],
            ..base.clone()
        },
        Filter {
            channel_id: Some(ChannelId(1)),
            ..base.clone()
        },
        Filter {
            channel_id: Some(ChannelId(1)),
            topic: Some("a".into()),
            ..base.clone()
        },
        Filter {
            conversations: Some(vec![ConversationId(2)]),
            ..base.clone()
        },
        Filter {
            conversations: Some(vec![ConversationId(2), ConversationId(9)]),
            is_received: true,
            ..base.clone()
        },
        Filter {
            senders: Some(vec![world.user]),
            ..base.clone()
        },
        Filter {
            properties_all: property::HAS_ATTACHMENT,
            ..base.clone()
        },
        Filter {
            properties_all: property::HAS_IMAGE,
            ..base.clone()
        },
        Filter {
            resolved: Some(true),
            ..base.clone()
        },
        Filter {
            direct: Some(true),
            is_received: true,
            ..base.clone()
        },
        Filter {
            search: Some("needle".into()),
            ..base.clone()
        },
        Filter {
            search_not: Some("needle".into()),
            is_received: true,
            ..base.clone()
        },
        Filter {
            ids: Some([1, 6, 11, 12, 13].map(MessageId).to_vec()),
            search: Some("needle".into()),
            ..base.clone()
        },
        Filter {
            ids: Some([3, 9, 9, 1, 400].map(MessageId).to_vec()),
            ..base.clone()
        },
        Filter {
            is_received: true,
            ..base.clone()
        },
    ];
    let db = world.database.db();
    for filter in filters {
        let all = walk(&db, Source::All, &filter, Side::After, MessageId::MIN, 1000).unwrap();
        let found = ids(&db, &filter, Side::After, MessageId::MIN, 1000).unwrap();
        assert_eq!(found, all, "{filter:?}");
        assert!(!found.is_empty(), "{filter:?}");
        let middle = found[found.len() / 2];
        let mut before = ids(&db, &filter, Side::Before, middle, 3).unwrap();
        before.reverse();
        assert!(found[..=found.len() / 2].ends_with(&before), "{filter:?}");
        let after = ids(&db, &filter, Side::After, middle, 3).unwrap();
        assert!(found[found.len() / 2..].starts_with(&after), "{filter:?}");
    }
}
