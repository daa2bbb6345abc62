//! Rows of a version without quotas, in characters that take six bytes in JSON: lists cut them.

use serde_json::Value;
use spindle_tests::{Call, Options, Server, User};

use super::super::quotas::seed;

/// A list of a snapshot or of an operation.
fn list(user: &User, path: &str, key: &str) -> Vec<Value> {
    let call = match path {
        "/register" => Call::new("POST", path),
        _ => Call::new("GET", path),
    };
    let reply = user
        .client
        .try_send(&call.undocumented())
        .expect("an answer");
    assert!(
        reply.bytes.len() < 4_000_000,
        "{path}: {} bytes",
        reply.bytes.len()
    );
    reply.ok()[key].as_array().expect(key).clone()
}

fn descriptions(list: &[Value]) -> Vec<&str> {
    let old = list.iter().filter(|one| {
        one["name"]
            .as_str()
            .is_some_and(|name| name.starts_with("old "))
    });
    old.map(|one| one["description"].as_str().expect("a description"))
        .collect()
}

#[test]
fn descriptions_beyond_all_room_are_cut_in_lists() {
    let server = Server::own(Options::default());
    let [owner, member] = ["owner", "member"].map(|role| server.user(role));
    // Twenty-four kilobytes of a snapshot each.
    let text = format!("replace(printf('%.1023c', 'x'), 'x', '{}')", '\u{1}');
    let channels = format!(
        "INSERT INTO conversations (realm_id, kind) SELECT 1, 'channel' FROM n; \
         INSERT INTO channels (realm_id, conversation_id, name, name_folded, date_created, description, \
             rendered_description) SELECT 1, id, 'old ' || id, 'old ' || id, 1, {text}, '<p>' || {text} || '</p>' \
         FROM conversations c WHERE kind = 'channel' AND NOT EXISTS (SELECT 1 FROM channels WHERE conversation_id = c.id)"
    );
    seed(&server, 600, &channels, 0);
    let groups = format!(
        "INSERT INTO user_groups (realm_id, name, description) SELECT 1, 'old ' || i, {text} FROM n"
    );
    seed(&server, 800, &groups, 0);
    for user in [&owner, &member] {
        for (path, key, count) in [
            ("/register", "streams", 600),
            ("/register", "never_subscribed", 600),
            ("/register", "realm_user_groups", 800),
            ("/streams", "streams", 600),
            ("/user_groups", "user_groups", 800),
        ] {
            let all = list(user, path, key);
            let texts = descriptions(&all);
            assert_eq!(texts.len(), count, "{path} {key}");
            let is_cut = |text: &&str| text.ends_with('…') && text.chars().count() == 61;
            assert!(texts.iter().all(is_cut), "{path} {key}");
        }
    }
    // Each can be shortened and deleted, and with fewer of them all are whole again.
    let first = list(&owner, "/streams", "streams");
    let first = first
        .iter()
        .find(|one| !descriptions(std::slice::from_ref(one)).is_empty());
    let path = format!("/streams/{}", first.expect("a channel")["stream_id"]);
    let short = [("description", "short")];
    owner.send(Call::new("PATCH", &path).form(&short)).ok();
    owner.delete(&path, &[]).ok();
    for sql in [
        "UPDATE channels SET description = 'short', rendered_description = '' WHERE name LIKE 'old %' AND id % 8 <> 0",
        "UPDATE user_groups SET description = 'short' WHERE name LIKE 'old %' AND id % 8 <> 0",
    ] {
        server.database().execute_batch(sql).expect("shorter texts");
    }
    for (path, key) in [("/streams", "streams"), ("/user_groups", "user_groups")] {
        let all = list(&owner, path, key);
        let longest = descriptions(&all)
            .into_iter()
            .map(|text| text.chars().count())
            .max();
        assert_eq!(longest, Some(1023), "{path}");
    }
}
