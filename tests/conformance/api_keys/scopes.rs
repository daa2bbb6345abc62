//! What keys of each scope may do (docs/protocol/sessions.md#scopes). The matrix of roles tests every operation.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Client, Queue, Reply, User};

use super::{PASSWORD, key};
use crate::support::server;

#[track_caller]
fn needs(reply: Reply, scope: &str) {
    let body = reply.error(400, "INSUFFICIENT_SCOPE");
    assert_eq!(body["needed_scope"], scope, "{body}");
}

fn note_to_self(client: &Client, user: &User) -> Reply {
    let to = format!("[{}]", user.user_id);
    let pairs = [("type", "direct"), ("to", &to), ("content", "note")];
    client.post("/messages", &pairs)
}

#[test]
fn reading_reads_and_receives_events() {
    let user = server().user("member");
    let key = key(server(), &user, "read", None);
    let mut queue = Queue::of(&key.client, &["message"]);
    note_to_self(&user, &user).ok();
    queue.until(|event| event["type"] == "message");
    key.client
        .delete("/events", &[("queue_id", &queue.queue_id)])
        .ok();
    needs(note_to_self(&key.client, &user), "send");
    let pairs = [("messages", "[1]"), ("op", "add"), ("flag", "read")];
    needs(key.client.post("/messages/flags", &pairs), "send");
    needs(key.client.upload("/user_uploads", "x.txt", b"x"), "send");
    let status = [("status_text", "x")];
    needs(key.client.post("/users/me/status", &status), "everything");
    // The method of a form counts, not the one that carries it.
    let disguised = Call::new("POST", "/users/me").form(&[("method", "DELETE")]);
    needs(key.client.send(disguised.undocumented()), "account");
}

#[test]
fn sending_sends_and_changes_nothing_else() {
    let user = server().user("member");
    let key = key(server(), &user, "send", None);
    let sent = note_to_self(&key.client, &user).ok()["id"].to_string();
    let path = format!("/messages/{sent}");
    key.client.patch(&path, &[("content", "changed")]).ok();
    key.client.upload("/user_uploads", "x.txt", b"x").ok();
    let reaction = [("emoji_name", "tada")];
    key.client
        .post(&format!("{path}/reactions"), &reaction)
        .ok();
    needs(
        key.client.patch("/settings", &[("color_scheme", "2")]),
        "everything",
    );
    needs(key.client.patch("/realm", &[("name", "x")]), "administer");
}

/// Every permission that the role or its group would give.
#[test]
fn below_administer_an_owner_is_a_member() {
    let (owner, author) = (server().user("owner"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner, &author]);
    let send = || {
        let pairs = [
            ("type", "channel"),
            ("to", channel.name.as_str()),
            ("topic", "t"),
            ("content", "of another"),
        ];
        author.post("/messages", &pairs).ok()["id"].to_string()
    };
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&author]);
    for scope in ["send", "everything"] {
        let key = key(server(), &owner, scope, None).client;
        // By a group, by the role, and by both.
        key.delete(&format!("/messages/{}", send()), &[])
            .bad_request();
        let register = [("fetch_event_types", "[\"realm_user\"]")];
        let body = key.post("/register", &register).ok();
        assert_eq!(body["is_owner"], false);
        assert_eq!(body["is_admin"], false);
        let path = format!("/streams/{}", hidden.id());
        key.get(&path, &[]).error(400, "STREAM_DOES_NOT_EXIST");
    }
    let key = key(server(), &owner, "everything", None).client;
    let path = format!("/users/{}", author.user_id);
    let renamed = key.patch(&path, &[("full_name", "Renamed")]);
    renamed.error(400, "UNAUTHORIZED_PRINCIPAL");
    let path = format!("/streams/{}", channel.id());
    key.patch(&path, &[("description", "x")])
        .error(400, "CANNOT_ADMINISTER_CHANNEL");
    let administers = super::key(server(), &owner, "administer", None).client;
    administers
        .delete(&format!("/messages/{}", send()), &[])
        .ok();
    administers.patch(&path, &[("description", "x")]).ok();
    administers
        .get(&format!("/streams/{}", hidden.id()), &[])
        .ok();
}

#[test]
fn a_scope_adds_nothing_to_an_account() {
    let guest = server().user("guest");
    let key = key(server(), &guest, "administer", None).client;
    key.patch("/realm", &[("name", "x")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    key.get("/user_groups", &[]).bad_request();
}

#[test]
fn credentials_are_out_of_reach() {
    let owner = server().user_with("owner", &["--password", PASSWORD]);
    let key = key(server(), &owner, "administer", None);
    let client = &key.client;
    let other = server().user("member");
    let own = format!("/api_keys/{}", key.id);
    let others = format!("/users/{}", other.user_id);
    needs(client.get("/api_keys", &[]), "account");
    let pairs = [("name", "x"), ("scope", "read")];
    needs(client.post("/api_keys", &pairs), "account");
    needs(client.delete(&own, &[]), "account");
    needs(client.get("/sessions", &[]), "account");
    needs(client.delete("/sessions", &[]), "account");
    needs(client.get(&format!("{others}/api_keys"), &[]), "account");
    needs(client.delete(&format!("{others}/api_keys"), &[]), "account");
    needs(
        client.post(&format!("{others}/password_link"), &[]),
        "account",
    );
    let bot = [("full_name", "x"), ("short_name", "x")];
    needs(client.post("/bots", &bot), "account");
    let passwords = [
        ("old_password", PASSWORD),
        ("new_password", "three unrelated words"),
    ];
    needs(client.patch("/settings", &passwords), "account");
    needs(
        client.patch("/settings", &[("email", "new@example.com")]),
        "account",
    );
    needs(
        client.patch("/settings/notifications", &passwords),
        "account",
    );
    needs(
        client.patch(&others, &[("new_email", "new@example.com")]),
        "account",
    );
    // The other settings of the same operation are allowed, also with fields that were left empty.
    let pairs = [("color_scheme", "2"), ("email", ""), ("new_password", "")];
    client.patch("/settings", &pairs).ok();
    let body = owner.get("/api_keys", &[]).ok();
    assert_eq!(body["api_keys"].as_array().map(Vec::len), Some(2));
    assert_eq!(body["api_keys"][1]["id"], json!(key.id));
}
