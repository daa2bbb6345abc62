//! Guests with limited access to users: no list, lookup or event discloses a user with whom they
//! share no conversation (register: `user_list_incomplete`; docs/protocol/events.md#capabilities,
//! docs/protocol/register.md#realm).

use std::sync::OnceLock;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Server, User};

use super::{entry, field, realm_permission};
use crate::support::require;

/// A server on which guests see only users with whom they share a conversation.
pub(super) fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Server::own(Options::default());
        realm_permission(&server, "can_access_all_users_group", "role:members");
        server
    })
}

pub(super) struct World {
    pub(super) guest: User,
    /// Shares a channel with the guest.
    pub(super) known: User,
    /// Shares nothing with the guest.
    pub(super) stranger: User,
}

pub(super) fn world() -> World {
    let [guest, known, stranger] = ["guest", "member", "member"].map(|role| server().user(role));
    fixture::channel(server(), ChannelKind::PrivateShared, &[&guest, &known]);
    World {
        guest,
        known,
        stranger,
    }
}

fn register(user: &User, capabilities: &Value) -> Value {
    let capabilities = capabilities.to_string();
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", "[\"realm_user\", \"user_status\"]"),
        ("client_capabilities", &capabilities),
    ];
    user.post("/register", &pairs).ok()
}

pub(super) fn find<'a>(list: &'a Value, user: &User) -> Option<&'a Value> {
    let list = list.as_array().expect("a list");
    list.iter().find(|person| person["user_id"] == user.user_id)
}

#[test]
fn hidden_users_are_not_listed() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let bot = server().bot();
    let list = guest.get("/users", &[]).ok()["members"].clone();
    assert!(find(&list, &stranger).is_none());
    for user in [&guest, &known, &bot] {
        assert!(find(&list, user).is_some(), "{}", user.full_name);
    }
    let ids = format!("[{}, {}]", stranger.id(), known.id());
    let list = guest.get("/users", &[("user_ids", &ids)]).ok()["members"].clone();
    assert_eq!(list.as_array().unwrap().len(), 1);
    let members = known.get("/users", &[]).ok()["members"].clone();
    assert!(find(&members, &stranger).is_some(), "members see everybody");
}

#[test]
fn hidden_users_are_missing_in_every_lookup() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let missing = guest.get("/users/999999", &[]).bad_request();
    for path in [stranger.id(), stranger.email.clone()] {
        assert_eq!(
            guest.get(&format!("/users/{path}"), &[]).bad_request(),
            missing
        );
    }
    let status = guest.get("/users/999999/status", &[]).bad_request();
    let path = format!("/users/{}/status", stranger.id());
    assert_eq!(guest.get(&path, &[]).bad_request(), status);
    let path = format!("/users/{}", stranger.id());
    let absent = guest.patch("/users/999999", &[]).bad_request();
    assert_eq!(guest.patch(&path, &[]).bad_request(), absent);
    let absent = guest.post("/users/999999/reactivate", &[]).bad_request();
    let path = format!("/users/{}/reactivate", stranger.id());
    assert_eq!(guest.post(&path, &[]).bad_request(), absent);
    guest.get(&format!("/users/{}", known.id()), &[]).ok();
    // A profile cannot name them either.
    let number = field(server(), 6, &[]);
    let data = entry(number, json!([stranger.user_id]));
    guest
        .patch("/users/me/profile_data", &[("data", &data)])
        .bad_request();
    let data = entry(number, json!([known.user_id, guest.user_id]));
    guest
        .patch("/users/me/profile_data", &[("data", &data)])
        .ok();
}

#[test]
fn drafts_to_hidden_users_are_refused() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let create = |user_id: i64| {
        let draft = json!([{"type": "private", "to": [user_id], "topic": "", "content": "x"}]);
        guest.post("/drafts", &[("drafts", &draft.to_string())])
    };
    let text = |user_id: i64| {
        let body = create(user_id).bad_request();
        let text = body["msg"].as_str().expect("msg").to_owned();
        text.replace(&user_id.to_string(), "N")
    };
    assert_eq!(text(stranger.user_id), text(999_999));
    assert_eq!(guest.get("/drafts", &[]).ok()["count"], 0);
    let id = create(known.user_id).ok()["ids"][0].to_string();
    let draft = json!({"type": "private", "to": [stranger.user_id], "topic": "", "content": "x"});
    let path = format!("/drafts/{id}");
    guest
        .patch(&path, &[("draft", &draft.to_string())])
        .bad_request();
    let to = guest.get("/drafts", &[]).ok()["drafts"][0]["to"].clone();
    assert_eq!(to, json!([known.user_id]));
}

#[test]
fn the_snapshot_does_not_disclose_hidden_users() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let gone = server().user("member");
    for user in [&known, &stranger, &gone] {
        user.post("/users/me/status", &[("status_text", "busy")])
            .ok();
    }
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let state = register(&guest, &json!({"user_list_incomplete": true}));
    for list in ["realm_users", "realm_non_active_users"] {
        assert!(find(&state[list], &stranger).is_none());
        assert!(find(&state[list], &gone).is_none());
    }
    assert!(find(&state["realm_users"], &known).is_some());
    let state = register(&guest, &json!({}));
    for hidden in [&stranger, &gone] {
        let stand_in = find(&state["realm_users"], hidden).expect("a stand-in");
        require(
            stand_in,
            "user_id email full_name avatar_url date_joined profile_data role",
        );
        assert_eq!(stand_in["delivery_email"], Value::Null);
        let text = stand_in.to_string();
        assert!(
            !text.contains(&hidden.full_name) && !text.contains(&hidden.email),
            "{text}"
        );
    }
    assert_eq!(
        find(&state["realm_users"], &known).unwrap()["full_name"],
        known.full_name.as_str()
    );
    let statuses = state["user_status"].as_object().unwrap();
    assert!(statuses.contains_key(&known.id()));
    assert!(!statuses.contains_key(&stranger.id()));
}

#[test]
fn events_do_not_disclose_hidden_users() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    let number = field(server(), 1, &[]);
    let pairs = [
        ("event_types", "[\"realm_user\", \"user_status\"]"),
        ("fetch_event_types", "[]"),
        ("client_capabilities", "{\"user_list_incomplete\": true}"),
    ];
    let mut queue = Queue::open(&guest, &pairs);
    let admin = server().user("administrator");
    let data = entry(number, "x");
    for user in [&stranger, &known] {
        let path = format!("/users/{}", user.id());
        user.post("/users/me/status", &[("status_text", "hello")])
            .ok();
        let all = [
            ("role", "300"),
            ("full_name", "Another Name"),
            ("profile_data", &data),
        ];
        admin.patch(&path, &all).ok();
        admin.delete(&path, &[]).ok();
        admin.post(&format!("{path}/reactivate"), &[]).ok();
    }
    let last = |event: &Value| {
        event["person"]["user_id"] == known.user_id && event["person"]["is_active"] == true
    };
    let events = queue.until(last);
    let text = Value::from(events.clone()).to_string();
    let about = |user: &User| {
        let is_about = |event: &&Value| {
            event["user_id"] == user.user_id || event["person"]["user_id"] == user.user_id
        };
        events.iter().filter(is_about).count()
    };
    // The first sign-in, and one for each change.
    assert_eq!(about(&known), 7, "{text}");
    assert_eq!(about(&stranger), 0, "{text}");
}

/// A new user is hidden: old clients receive a placeholder, others no event.
#[test]
fn a_new_hidden_user_has_no_name() {
    let World { guest, known, .. } = world();
    let open = |incomplete: bool| {
        let capabilities = json!({"user_list_incomplete": incomplete}).to_string();
        let pairs = [
            ("event_types", "[\"realm_user\"]"),
            ("fetch_event_types", "[]"),
            ("client_capabilities", &capabilities),
        ];
        Queue::open(&guest, &pairs)
    };
    let (mut old, mut new) = (open(false), open(true));
    let newcomer = server().user("member");
    let event = old.expect(|event| event["person"]["user_id"] == newcomer.user_id);
    assert_eq!(event["op"], "add");
    assert!(!event.to_string().contains(&newcomer.full_name), "{event}");
    assert!(!event.to_string().contains(&newcomer.email), "{event}");
    let admin = server().user("administrator");
    let path = format!("/users/{}", known.id());
    admin.patch(&path, &[("full_name", "Last Name")]).ok();
    let events = new.until(|event| event["person"]["full_name"] == "Last Name");
    let about = |event: &&Value| event["person"]["user_id"] == newcomer.user_id;
    assert!(!events.iter().any(|event| about(&event)));
}

/// A user who sends the guest a message becomes visible.
#[test]
fn users_become_visible_with_their_first_message() {
    let World {
        guest, stranger, ..
    } = world();
    let pairs = [
        ("event_types", "[\"realm_user\", \"message\"]"),
        ("fetch_event_types", "[]"),
        ("client_capabilities", "{\"user_list_incomplete\": true}"),
    ];
    let mut queue = Queue::open(&guest, &pairs);
    let to = format!("[{}]", guest.id());
    let message = [("type", "direct"), ("to", &to), ("content", "hello")];
    for _ in 0..2 {
        stranger.post("/messages", &message).ok();
    }
    let mut events = queue.until(|event| event["type"] == "message");
    events.extend(queue.poll());
    let about = |event: &&Value, user: &User| event["person"]["user_id"] == user.user_id;
    let received: Vec<&Value> = events
        .iter()
        .filter(|event| about(event, &stranger))
        .collect();
    assert_eq!(received.len(), 1, "once: {events:?}");
    assert_eq!(received[0]["op"], "add");
    assert_eq!(
        received[0]["person"]["full_name"],
        stranger.full_name.as_str()
    );
    let first = events.iter().position(|event| event["type"] == "message");
    let added = events.iter().position(|event| about(&event, &stranger));
    assert!(added < first, "before the message");
    guest.get(&format!("/users/{}", stranger.id()), &[]).ok();
}

/// The picture of a hidden user is the generated one, which every id has.
#[test]
fn the_picture_of_a_hidden_user_is_not_shown() {
    let World {
        guest,
        known,
        stranger,
    } = world();
    server()
        .database()
        .execute_batch(&format!(
            "UPDATE users SET avatar_source = 'U', avatar_name = 'x' || id WHERE id IN ({}, {})",
            known.id(),
            stranger.id(),
        ))
        .unwrap();
    for form in ["", "/medium"] {
        let status = |user: &User, of: &User| {
            user.fetch(&format!("/avatar/{}{form}", of.id()), &[])
                .status
        };
        assert_eq!(status(&guest, &stranger), 200);
        assert_eq!(status(&guest, &known), 302);
        assert_eq!(status(&known, &stranger), 302);
    }
}
