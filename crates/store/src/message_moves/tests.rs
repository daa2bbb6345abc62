//! Which messages go in a part, and the record of a move.

use super::*;
use crate::testing::{self, TestDatabase};
use crate::{WriteTx, id_list, message_changes};

const LIGHT: Burden = Burden {
    changes_deliveries: false,
    given_to: None,
};

/// A channel with a topic of this many messages; returns the sender.
fn filled(tx: &WriteTx<'_>, messages: i64, content: &str) -> UserId {
    let ann: UserId = testing::add_user(tx, "a@x").into();
    let channel: ChannelId = testing::add_channel(tx, "c", false);
    tx.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3) \
         INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) \
         SELECT 1, ?1, (SELECT conversation_id FROM channels WHERE id = ?2), ?2, 'T', 't', ?4, \
             '', i, '' FROM n",
        &params![ann, channel, messages, content],
    )
    .unwrap();
    ann
}

fn topic(first_id: i64, last_id: i64, only_received_by: Option<UserId>) -> TopicPart<'static> {
    TopicPart {
        channel_id: ChannelId(1),
        topic_folded: "t",
        first_id: MessageId(first_id),
        last_id: MessageId(last_id),
        only_received_by,
    }
}

/// Message ids from integers.
fn ids(numbers: impl IntoIterator<Item = i64>) -> Vec<MessageId> {
    numbers.into_iter().map(MessageId).collect()
}

fn next(tx: &WriteTx<'_>, part: &TopicPart<'_>, burden: Burden) -> NextPart {
    let target = NewTopic {
        channel_id: ChannelId(1),
        topic_folded: "u",
    };
    next_part(tx, part, target, burden, 3).unwrap()
}

#[test]
fn a_small_topic_goes_at_once() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    filled(&tx, 4, "x");
    let whole = next(&tx, &topic(0, i64::MAX, None), LIGHT);
    assert_eq!(whole.message_ids, ids([1, 2, 3, 4]));
    assert_eq!(whole.young, ids([3, 4]));
    assert_eq!((whole.rest, whole.contested_by), (None, None));
    let part = next(&tx, &topic(2, 3, None), LIGHT);
    assert_eq!(part.message_ids, ids([2, 3]));
    let ages = ages(&tx, &topic(0, 3, None), 3).unwrap();
    assert_eq!((ages.total, ages.young), (3, 1));
    assert_eq!(ages.first_young, Some(MessageId(3)));
}

#[test]
fn a_large_topic_goes_in_parts_the_newest_first() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    filled(&tx, 1000, "x");
    let (mut last_id, mut seen, mut parts) = (i64::MAX, Vec::new(), 0);
    loop {
        let part = next(&tx, &topic(0, last_id, None), LIGHT);
        assert!(part.message_ids.is_sorted() && part.message_ids.len() < 500);
        seen.extend(part.message_ids.into_iter().rev());
        parts += 1;
        match part.rest {
            Some(rest) => last_id = rest.get(),
            None => break,
        }
    }
    assert!(parts > 1);
    assert_eq!(seen, ids((1..=1000).rev()));
}

#[test]
fn work_bounds_a_part_and_one_message_always_goes() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = filled(&tx, 300, &"x".repeat(10_000));
    let all = topic(0, i64::MAX, None);
    let long = next(&tx, &all, LIGHT);
    assert!(long.message_ids.len() < 100, "{}", long.message_ids.len());
    let rest = 300 - long.message_ids.len() as i64;
    assert_eq!(long.rest, Some(MessageId(rest)));
    tx.execute(
        "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) \
         INSERT INTO users (id, realm_id, email, email_folded, delivery_email, \
             delivery_email_folded, full_name, full_name_folded, role, date_joined) \
         SELECT i, 1, i, i, i, i, i, i, 400, 0 FROM n",
        &[],
    )
    .unwrap();
    tx.execute(
        "INSERT INTO user_messages (user_id, message_id) SELECT id, 300 FROM users \
         UNION ALL SELECT ?1, 7",
        &params![ann],
    )
    .unwrap();
    let burden = Burden {
        changes_deliveries: true,
        given_to: None,
    };
    let heavy = next(&tx, &all, burden);
    assert_eq!(
        (heavy.message_ids, heavy.rest),
        (ids([300]), Some(MessageId(299)))
    );
    // Messages that were not delivered to the mover are skipped.
    let received = next(&tx, &topic(0, i64::MAX, Some(ann)), LIGHT);
    assert_eq!((received.message_ids, received.rest), (ids([7, 300]), None));
}

/// A topic that is renamed again and again makes the histories of its messages long.
#[test]
fn histories_are_work_and_have_a_maximum_length() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    filled(&tx, 300, "x");
    let entry = format!(r#"{{"topic":"{}"}}"#, "x".repeat(5_000));
    let all = id_list(ids(1..=300));
    for _ in 0..3 {
        message_changes::remember(&tx, &all, &entry).unwrap();
    }
    let part = next(&tx, &topic(0, i64::MAX, None), LIGHT);
    assert!(part.message_ids.len() < 100, "{}", part.message_ids.len());
    message_changes::shorten_history(&tx, &all, 12_000).unwrap();
    let lengths = tx
        .query(
            sql!("SELECT DISTINCT json_array_length(edit_history) FROM messages"),
            &[],
        )
        .unwrap();
    assert_eq!(lengths.values::<i64>(), Ok(vec![2]));
}

#[test]
fn a_move_is_remembered_until_it_is_complete() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = filled(&tx, 3, "x");
    let mut row = MoveRow {
        realm_id: RealmId::ONLY,
        user_id: ann,
        started: 5,
        message_id: MessageId(1),
        sender_id: ann,
        content_changed: false,
        propagate_mode: "change_all".to_owned(),
        notify_old: false,
        notify_new: true,
        from_channel_id: ChannelId(1),
        from_topic: "T".to_owned(),
        from_topic_folded: "t".to_owned(),
        to_channel_id: ChannelId(1),
        to_topic: "U".to_owned(),
        to_topic_folded: "u".to_owned(),
        to_topic_existed: false,
        only_received: true,
        first_id: MessageId(0),
        last_id: MessageId(2),
        newest_id: MessageId(3),
        moved: 1,
    };
    let id = insert(&tx, &row).unwrap();
    assert_eq!(find(&tx, id).unwrap().as_ref(), Some(&row));
    assert_eq!(first(&tx, RealmId::ONLY), Ok(Some(id)));
    let contested = next(&tx, &topic(0, i64::MAX, None), LIGHT).contested_by;
    assert_eq!(contested, Some(id));
    advance(&tx, id, MessageId(1), 2).unwrap();
    (row.last_id, row.moved) = (MessageId(1), 2);
    assert_eq!(find(&tx, id), Ok(Some(row)));
    finish(&tx, id).unwrap();
    assert_eq!(first(&tx, RealmId::ONLY), Ok(None));
}

/// The plan must not walk over the messages of other topics.
#[test]
fn a_part_is_found_by_the_index_of_topics() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let plan = tx
        .execute(
            "EXPLAIN QUERY PLAN SELECT (SELECT max(n.id) FROM messages n \
             WHERE n.channel_id = ?1 AND n.topic_folded = ?2 AND n.id >= ?3 AND n.id < ?4)",
            &params![1, "t", 0, 9],
        )
        .unwrap();
    let text = format!("{:?}", plan.rows);
    let index = "messages_by_topic (channel_id=? AND topic_folded=? AND id>? AND id<?)";
    assert!(text.contains(index), "{text}");
}
