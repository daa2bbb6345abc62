//! Marks on many messages: which are processed, which change, and in how many statements.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use spindle_actions::messages::{
    Anchor, FlagChange, NarrowSelection, change_flags, change_flags_in_narrow, mark_all_as_read,
};
use spindle_actions::{ActionError, Actor};
use spindle_domain::message_flag::EditableFlag;
use spindle_domain::narrow::{NarrowFilter, NarrowTerm};
use spindle_domain::{MessageId, Role};
use support::{Counting, START, World};

const READ: FlagChange = FlagChange {
    flag: EditableFlag::Read,
    add: true,
};

/// Unread messages of the first channel, in the topics `even` and `odd`, with ids from 1000 on.
fn scene(number: i64) -> (World, Actor) {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    for sql in [
        "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) \
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) \
         SELECT 1000 + i, 1, (SELECT min(id) FROM users), ch.conversation_id, ch.id, \
             iif(i % 2, 'odd', 'even'), iif(i % 2, 'odd', 'even'), 'x', '<p>x</p>', 1, 'test' \
         FROM n, (SELECT * FROM channels ORDER BY id LIMIT 1) ch",
        "INSERT INTO user_messages (user_id, message_id, flags) \
         SELECT u.id, m.id, 0 FROM users u, messages m \
         WHERE u.full_name = 'Ann Person' AND m.id >= 1000 AND ?1 > 0",
    ] {
        world.run(sql, [number]);
    }
    (world, ann)
}

fn selection(num_after: i64) -> NarrowSelection {
    NarrowSelection {
        anchor: Anchor::Id(MessageId(1000)),
        include_anchor: true,
        num_before: 0,
        num_after,
        narrow: vec![NarrowTerm {
            filter: NarrowFilter::Topic("EVEN".into()),
            negated: false,
        }],
    }
}

#[test]
fn a_narrow_is_marked_in_parts_and_clamped() {
    let (world, ann) = scene(9_000);
    let seq = world.position();
    let mark = |num_after, change| {
        let selection = selection(num_after);
        change_flags_in_narrow(&world.db(), &ann, START, &selection, change).unwrap()
    };
    let done = mark(1, &READ);
    assert_eq!((done.processed, done.updated), (2, 2));
    assert_eq!(
        done.first_and_last,
        Some((MessageId(1000), MessageId(1002)))
    );
    assert!(!done.window.found_newest);
    let done = mark(99_999, &READ);
    assert_eq!((done.processed, done.updated), (4_500, 4_498));
    assert_eq!(
        done.first_and_last,
        Some((MessageId(1000), MessageId(9_998)))
    );
    assert!(done.window.found_newest);
    // Every part reports what it has changed.
    let events = world.events_since(seq);
    let parts: Vec<usize> = events
        .iter()
        .map(|(body, _)| body["messages"].as_array().unwrap().len())
        .collect();
    assert_eq!(parts, [2, 1_998, 2_000, 500]);
    let nothing = change_flags_in_narrow(
        &world.db(),
        &ann,
        START,
        &NarrowSelection {
            anchor: Anchor::Newest,
            num_after: 5,
            ..selection(0)
        },
        &READ,
    );
    assert_eq!(nothing.unwrap().first_and_last, None);
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let (world, ann) = scene(3);
    for (num_before, num_after, include_anchor) in [(-1, 0, true), (0, -1, true), (1, 1, false)] {
        let selection = NarrowSelection {
            num_before,
            num_after,
            include_anchor,
            ..selection(0)
        };
        let refused = change_flags_in_narrow(&world.db(), &ann, START, &selection, &READ);
        assert!(matches!(refused, Err(ActionError::BadRequest(_))));
    }
}

#[test]
fn everything_is_read_in_parts_and_the_last_says_so() {
    let (world, ann) = scene(4_500);
    let seq = world.position();
    assert!(mark_all_as_read(&world.db(), &ann, START).unwrap());
    let events = world.events_since(seq);
    let said: Vec<(usize, bool)> = events
        .iter()
        .map(|(body, _)| {
            let messages = body["messages"].as_array().unwrap();
            (messages.len(), body["all"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(said, [(2_000, false), (2_000, false), (0, true)]);
}

/// BEGIN, the messages, their channels, the change, the event, COMMIT: the same number for any
/// number of messages.
#[test]
fn a_thousand_marks_are_six_statements() {
    let (world, ann) = scene(1_000);
    let ids: Vec<MessageId> = (1_000..2_000).map(MessageId).collect();
    let db = Counting::new(world.db());
    change_flags(&db, &ann, START, &ids, &READ).unwrap();
    assert_eq!(db.count.get(), 6);
}
