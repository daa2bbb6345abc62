//! Changes of a user's view by a change of their role: private channels with their subscribers,
//! bots, system groups (docs/protocol/users.md#update_user-events).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Server, User};

use crate::support::{server, settle};

const TYPES: &str =
    "[\"stream\", \"subscription\", \"realm_bot\", \"user_group\", \"user_status\"]";

fn set_role(user: &User, role: &str) {
    server().admin(&["user", "set-role", "--email", &user.email, "--role", role]);
}

fn queue(user: &User, include_subscribers: &str) -> Queue {
    let pairs = [
        ("event_types", TYPES),
        ("fetch_event_types", "[]"),
        ("include_subscribers", include_subscribers),
    ];
    Queue::open(user, &pairs)
}

fn find<'a>(events: &'a [Value], kind: &str, op: &str, list: &str, id: i64) -> Option<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind && event["op"] == op)
        .find(|event| {
            let items = event[list].as_array().into_iter().flatten();
            items
                .into_iter()
                .any(|item| *item == id || item["stream_id"] == id)
        })
}

/// Administrators can see private channels; an account that becomes one counts their subscribers
/// too.
#[test]
fn private_channels_appear_with_their_subscribers() {
    let (user, inside) = (server().user("member"), server().user("member"));
    let second = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&inside, &second]);
    let id = channel.stream_id;
    let mut queues = [queue(&user, "true"), queue(&user, "false")];
    set_role(&user, "administrator");
    let mut subscribers = [inside.user_id, second.user_id];
    subscribers.sort_unstable();
    for queue in &mut queues {
        let events = settle(queue);
        let record = find(&events, "stream", "create", "streams", id).expect("it appears");
        let record = record["streams"].as_array().unwrap().iter();
        let record = record.clone().find(|one| one["stream_id"] == id).unwrap();
        assert_eq!(record["subscriber_count"], 2);
        assert_eq!(record.get("subscribers"), None);
        let peers = find(&events, "subscription", "peer_add", "stream_ids", id).expect("listed");
        assert_eq!(peers["user_ids"], json!(subscribers));
    }
    set_role(&user, "member");
    for queue in &mut queues {
        let events = settle(queue);
        assert!(find(&events, "stream", "delete", "stream_ids", id).is_some());
    }
}

/// Administrators manage all bots, others only their own, as in the section `realm_bots`.
#[test]
fn bots_of_others_appear_and_vanish() {
    let (user, bot) = (server().user("member"), server().bot());
    let about = |events: &[Value]| -> Vec<Value> {
        let own =
            |event: &&Value| event["type"] == "realm_bot" && event["bot"]["user_id"] == bot.user_id;
        events.iter().filter(own).cloned().collect()
    };
    let mut queue = queue(&user, "false");
    set_role(&user, "administrator");
    let events = about(&settle(&mut queue));
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["op"], "add");
    let pairs = [("fetch_event_types", "[\"realm_bot\"]")];
    let state = user.post("/register", &pairs).ok();
    let listed = state["realm_bots"].as_array().unwrap();
    assert!(listed.contains(&events[0]["bot"]), "as in the snapshot");
    set_role(&user, "moderator");
    let events = about(&settle(&mut queue));
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["op"], "delete");
    assert_eq!(events[0]["bot"], json!({"user_id": bot.user_id}));
}

/// All users receive events about system groups, from which clients derive permissions.
#[test]
fn system_groups_follow_a_changed_role() {
    let (user, watcher) = (server().user("member"), server().user("guest"));
    let mut queue = queue(&watcher, "false");
    set_role(&user, "moderator");
    let events = settle(&mut queue);
    let ops: Vec<&str> = events
        .iter()
        .filter(|event| event["user_ids"] == json!([user.user_id]))
        .map(|event| event["op"].as_str().unwrap())
        .collect();
    assert!(
        ops.contains(&"remove_members") && ops.contains(&"add_members"),
        "{events:?}"
    );
}

/// The members of all permissions of all channels are more than a request can hold twice.
#[test]
fn roles_change_in_an_organization_with_many_permissions() {
    let server = Server::own(Options::default());
    let [owner, user] = ["owner", "member"].map(|role| server.user(role));
    let pairs = [("name", "the first of many"), ("subscribers", "[]")];
    let first = owner.post("/channels/create", &pairs).ok()["id"].to_string();
    let sql = format!(
        "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
            full_name_folded, role, date_joined) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 57) \
         SELECT 1, 'p' || i, 'p' || i, 'p' || i, 'p' || i, 'Person ' || i, 'person ' || i, 400, 1 FROM n; \
         INSERT INTO conversations (realm_id, kind) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4900) \
         SELECT 1, 'channel' FROM n; \
         INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created) \
         SELECT 1, id, 'many ' || id, 'many ' || id, 1 FROM conversations c \
         WHERE kind = 'channel' AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id); \
         INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id) \
         SELECT 1, 'channel', c.id, s.name, s.group_id FROM group_settings s CROSS JOIN channels c \
         WHERE s.owner_type = 'channel' AND s.owner_id = {first} AND c.name LIKE 'many %'; \
         INSERT INTO user_groups (id, realm_id, name) SELECT 1000000 + id, 1, NULL FROM channels WHERE name LIKE 'many %'; \
         INSERT INTO user_group_closure (supergroup_id, subgroup_id) SELECT id, id FROM user_groups WHERE id > 1000000; \
         UPDATE group_settings SET group_id = 1000000 + owner_id WHERE owner_type = 'channel' \
             AND name = 'can_resolve_topics_group' AND owner_id IN (SELECT id FROM channels WHERE name LIKE 'many %'); \
         INSERT INTO user_group_members (group_id, user_id) SELECT g.id, u.id FROM user_groups g CROSS JOIN users u \
         WHERE g.id > 1000000 AND u.full_name LIKE 'Person %';"
    );
    server.database().execute_batch(&sql).expect("permissions");
    let mut queue = Queue::of(&user, &["realm_user"]);
    let path = format!("/users/{}", user.user_id);
    for role in [300, 200, 400] {
        let text = role.to_string();
        owner.patch(&path, &[("role", &text)]).ok();
        // Nothing new becomes visible, so the queue survives.
        queue.until(|event| event["person"]["role"] == role);
    }
}

/// A new administrator of an organization with many private channels registers again.
#[test]
fn clients_register_again_when_too_much_appears() {
    let server = Server::own(Options::default());
    let (user, owner) = (server.user("member"), server.user("owner"));
    let people = [(); 11].map(|()| server.user("member").user_id);
    let mut sql = String::from(
        "INSERT INTO conversations (realm_id, kind) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) \
         SELECT 1, 'channel' FROM n; \
         INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created, invite_only) \
         SELECT 1, id, 'many ' || id, 'many ' || id, 1, 1 FROM conversations c \
         WHERE kind = 'channel' AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id); ",
    );
    // Each channel has subscribers of its own: the people of the bits of its id.
    for (bit, person) in people.iter().enumerate() {
        sql.push_str(&format!(
            "INSERT INTO subscriptions (user_id, channel_id, active, color) \
             SELECT {person}, id, 1, '#c2c2c2' FROM channels WHERE name LIKE 'many %' AND ((id >> {bit}) & 1) = 1; "
        ));
    }
    server.database().execute_batch(&sql).expect("channels");
    let pairs = [("event_types", TYPES), ("fetch_event_types", "[]")];
    let queue = user.post("/register", &pairs).ok()["queue_id"].clone();
    let path = format!("/users/{}", user.user_id);
    owner.patch(&path, &[("role", "200")]).ok();
    let poll = [
        ("queue_id", queue.as_str().expect("an id")),
        ("last_event_id", "-1"),
        ("dont_block", "true"),
    ];
    user.get("/events", &poll).error(400, "BAD_EVENT_QUEUE_ID");
}
