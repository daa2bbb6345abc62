//! Subscriptions of many users in one request: the log grows in proportion to the number of users.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use spindle_actions::channels::{
    AddSubscriptionsInput, ChannelRequest, NewChannelInput, RemoveSubscriptionsInput,
    add_subscriptions, create_channel, remove_subscriptions,
};
use spindle_domain::Role;
use spindle_domain::narrow::UserReference;
use support::{START, World};

/// Members who joined long ago, made by SQL because there are many.
fn people(world: &World, count: usize) -> Vec<UserReference> {
    (0..count)
        .map(|number| {
            let name = format!("crowd{number}@x.org");
            let id: i64 = world.row(
                "INSERT INTO users (realm_id, email, email_folded, delivery_email, \
                 delivery_email_folded, full_name, full_name_folded, role, date_joined) \
                 VALUES (1, ?1, ?1, ?1, ?1, ?1, ?1, 400, 0) RETURNING id",
                [name],
                |row| row.get(0),
            );
            UserReference::Id(id.into())
        })
        .collect()
}

fn logged(world: &World) -> (i64, i64) {
    let sql = "SELECT count(*), coalesce(sum(length(body) + length(audience)), 0) FROM event_log";
    world.row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

#[test]
fn a_crowd_comes_in_few_events_and_leaves_in_one_each() {
    let world = World::new();
    let admin = world.person("Ada", Role::Administrator);
    let crowd = people(&world, 1000);
    let before = logged(&world);
    let input = AddSubscriptionsInput {
        subscriptions: vec![ChannelRequest {
            name: "crowded".into(),
            ..ChannelRequest::default()
        }],
        principals: crowd.clone(),
        authorization_errors_fatal: true,
        ..AddSubscriptionsInput::default()
    };
    let added = add_subscriptions(&world.db(), &admin, START, &input).unwrap();
    assert_eq!(added.subscribed.len(), 1000);
    let joined = logged(&world);
    // The channel, one record for all, one event for the others, and two of the channel's first message.
    assert_eq!(joined.0 - before.0, 5);
    assert!(joined.1 - before.1 < 40_000, "{joined:?}");
    let input = RemoveSubscriptionsInput {
        subscriptions: vec!["Crowded".into()],
        principals: crowd,
    };
    let removed = remove_subscriptions(&world.db(), &admin, START, &input).unwrap();
    assert_eq!((removed.removed.len(), removed.not_removed.len()), (1, 0));
    let left = logged(&world);
    // Everyone leaves a channel with one unread message, which is read then.
    assert_eq!(left.0 - joined.0, 2001);
    assert!(left.1 - joined.1 < 700_000, "{left:?}");
}

#[test]
fn too_many_changes_are_refused() {
    let world = World::new();
    let admin = world.person("Ada", Role::Administrator);
    let crowd = people(&world, 501);
    let wish = |number| ChannelRequest {
        name: format!("channel {number}"),
        ..ChannelRequest::default()
    };
    let input = AddSubscriptionsInput {
        subscriptions: (0..100).map(wish).collect(),
        principals: crowd,
        authorization_errors_fatal: true,
        ..AddSubscriptionsInput::default()
    };
    let before = logged(&world);
    assert!(add_subscriptions(&world.db(), &admin, START, &input).is_err());
    assert_eq!(logged(&world), before);
}

#[test]
fn a_channel_is_created_with_its_first_subscribers_or_not_at_all() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let bob = world.person("Bob", Role::Guest);
    let mut input = NewChannelInput {
        name: "  A place ".into(),
        description: "for *us*".into(),
        subscribers: vec![UserReference::Id(bob.user_id)],
        ..NewChannelInput::default()
    };
    let id = create_channel(&world.db(), &ann, START, &input).unwrap();
    let row: (String, String, String) = world.row(
        "SELECT name, rendered_description, (SELECT group_concat(user_id) FROM subscriptions \
         WHERE channel_id = channels.id) FROM channels WHERE id = ?1",
        [id.get()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    );
    let html = "<p>for <em>us</em></p>";
    assert_eq!(
        row,
        ("A place".into(), html.into(), bob.user_id.to_string())
    );
    let before = logged(&world);
    // The name is taken whatever its case, and guests may not ask for it at all.
    input.name = "a PLACE".into();
    assert!(create_channel(&world.db(), &ann, START, &input).is_err());
    input.name = "elsewhere".into();
    assert!(create_channel(&world.db(), &bob, START, &input).is_err());
    input.subscribers = vec![UserReference::Id(999.into())];
    assert!(create_channel(&world.db(), &ann, START, &input).is_err());
    // No user is subscribed without being named.
    input.subscribers = Vec::new();
    create_channel(&world.db(), &ann, START, &input).unwrap();
    // The channel, and two events of its first message.
    assert_eq!(logged(&world).0 - before.0, 3);
}
