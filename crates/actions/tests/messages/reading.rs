//! Pages of messages, by ids, anchors and narrows.

use super::*;

#[test]
fn a_page_is_read_in_few_statements() {
    let world = World::new();
    let people = ["Ann", "Bob"].map(|name| world.person(name, Role::Member));
    for topic in ["lunch", "tea", "lunch"] {
        for person in &people {
            send(&world, person, &to_general(topic, "x")).unwrap();
        }
    }
    send(&world, &people[1], &to_people(&[&people[0]], "y")).unwrap();
    let page = Selection::Around {
        anchor: Anchor::Newest,
        include_anchor: true,
        num_before: 100,
        num_after: 0,
        narrow: Vec::new(),
    };
    let db = Counting::new(world.db());
    let fetched = fetch_messages(&db, &people[0], &page, &FORM).unwrap();
    // BEGIN, channels that may not be read, ids; messages, unless they are too large; senders and conversations; COMMIT.
    assert_eq!(db.count.get(), 6);
    let last = &objects(&fetched)[6];
    assert_eq!(last["display_recipient"][1]["full_name"], "Bob Person");
    assert_eq!(last["sender_full_name"], "Bob Person");
    assert_eq!(
        (&last["content"], &last["reactions"]),
        (&json!("<p>y</p>"), &json!([]))
    );
}

#[test]
fn windows_tell_where_they_lie() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    let sent: Vec<i64> = (0..6)
        .map(|index| {
            send(&world, &ann, &to_general("t", &format!("{index}")))
                .unwrap()
                .get()
        })
        .collect();
    let look = |anchor, include_anchor, num_before, num_after| {
        let selection = Selection::Around {
            anchor,
            include_anchor,
            num_before,
            num_after,
            narrow: Vec::new(),
        };
        let fetched = fetch_messages(&world.db(), &bob, &selection, &FORM).unwrap();
        let ids: Vec<i64> = objects(&fetched)
            .iter()
            .map(|message| message["id"].as_i64().unwrap())
            .collect();
        let window = fetched.window.unwrap();
        (
            ids,
            window.found_anchor,
            window.found_oldest,
            window.found_newest,
        )
    };
    let middle = Anchor::Id(MessageId(sent[2]));
    assert_eq!(
        look(middle, true, 1, 1),
        (sent[1..4].to_vec(), true, false, false)
    );
    assert_eq!(look(middle, true, 2, 3), (sent.clone(), true, true, true));
    assert_eq!(
        look(middle, false, 0, 2),
        (sent[3..5].to_vec(), false, false, false)
    );
    assert_eq!(
        look(middle, false, 9, 0),
        (sent[..2].to_vec(), false, true, false)
    );
    assert_eq!(
        look(Anchor::Newest, true, 2, 0),
        (sent[4..].to_vec(), false, false, true)
    );
    assert_eq!(
        look(Anchor::Oldest, true, 0, 2),
        (sent[..2].to_vec(), false, true, false)
    );
    assert_eq!(
        look(Anchor::FirstUnread, true, 0, 1),
        (sent[..2].to_vec(), true, false, false)
    );
    assert_eq!(
        look(Anchor::Date(START), true, 0, 0),
        (sent[..1].to_vec(), true, false, false)
    );
    assert_eq!(
        look(Anchor::Date(START + 99), true, 1, 1),
        (sent[5..].to_vec(), false, false, true)
    );
    let sum = Selection::Around {
        anchor: Anchor::Newest,
        include_anchor: true,
        num_before: 3000,
        num_after: 3000,
        narrow: Vec::new(),
    };
    assert!(fetch_messages(&world.db(), &bob, &sum, &FORM).is_err());
}

#[test]
fn a_channel_narrow_reaches_history_and_a_hidden_channel_does_not() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let id = send(&world, &ann, &to_general("Topic", "before Bob came")).unwrap();
    let bob = world.person("Bob", Role::Member);
    let general = || NarrowFilter::Channel(ChannelReference::Id(ChannelId(1)));
    assert_eq!(ids(&world, &bob, Vec::new()), [0; 0]);
    assert_eq!(ids(&world, &bob, vec![general()]), [id.get()]);
    let topic = NarrowFilter::Topic("tOPIC".into());
    assert_eq!(ids(&world, &bob, vec![general(), topic]), [id.get()]);
    let sender = NarrowFilter::Sender(UserReference::Email("ann@x.org".into()));
    assert_eq!(ids(&world, &bob, vec![general(), sender]), [id.get()]);
    let read = by_ids(vec![id, MessageId(99)]);
    let fetched = fetch_messages(&world.db(), &bob, &read, &FORM).unwrap();
    let messages = objects(&fetched);
    assert_eq!(messages[0]["flags"], json!(["read", "historical"]));
    assert_eq!(messages.len(), 1);
    // The channel becomes private and Bob leaves: it is as if it had never been.
    world.run("UPDATE channels SET invite_only = 1 WHERE id = 1", []);
    let unread = send(&world, &ann, &to_general("Topic", "x")).unwrap();
    assert_eq!(ids(&world, &bob, Vec::new()), [unread.get()]);
    world.run(
        "UPDATE subscriptions SET active = 0 WHERE user_id = ?1",
        [bob.user_id.get()],
    );
    assert_eq!(ids(&world, &bob, Vec::new()), [0; 0]);
    assert_eq!(
        ids(&world, &bob, vec![NarrowFilter::Is(MessageState::Unread)]),
        [0; 0]
    );
    assert!(get_message(&world.db(), &bob, unread, &FORM).is_err());
    let read = by_ids(vec![id, unread]);
    let fetched = fetch_messages(&world.db(), &bob, &read, &FORM).unwrap();
    assert!(objects(&fetched).is_empty());
    assert!(matches!(
        send(&world, &bob, &to_general("Topic", "x")),
        Err(ActionError::Client(ClientError::StreamDoesNotExist { .. }))
    ));
    let selection = Selection::Around {
        anchor: Anchor::Newest,
        include_anchor: true,
        num_before: 1,
        num_after: 0,
        narrow: vec![NarrowTerm {
            filter: general(),
            negated: false,
        }],
    };
    assert!(matches!(
        fetch_messages(&world.db(), &bob, &selection, &FORM),
        Err(ActionError::Client(ClientError::BadNarrow { .. }))
    ));
}
