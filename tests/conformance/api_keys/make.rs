//! POST and GET /api_keys (docs/protocol/sessions.md#create_api_key).

use serde_json::{Value, json};
use spindle_tests::{Client, Options, Server, unix_now};

use super::{key, named, recorded};
use crate::support::{keys, server};
use crate::users::realm_permission;

#[test]
fn a_key_is_shown_once_and_listed_without_its_secret() {
    let user = server().user("member");
    let ends = (unix_now() + 3600).to_string();
    let pairs = [
        ("name", " Nightly report "),
        ("scope", "read"),
        ("ends", &ends),
    ];
    let made = user.post("/api_keys", &pairs).ok();
    assert_eq!(keys(&made), ["api_key", "key_id", "msg", "result"]);
    let secret = made["api_key"].as_str().expect("a key");
    assert_eq!(secret.len(), 32);
    let body = user.get("/api_keys", &[]).ok();
    assert!(!body.to_string().contains(secret));
    let listed = body["api_keys"].as_array().expect("keys");
    let (first, second) = (&listed[0], &listed[1]);
    assert_eq!(listed.len(), 2);
    assert_eq!(
        (&first["name"], &first["scope"]),
        (&Value::Null, &json!("account"))
    );
    let fields = [
        "client",
        "created",
        "ends",
        "id",
        "last_used",
        "name",
        "scope",
    ];
    assert_eq!(keys(second), fields);
    assert_eq!(second["id"], made["key_id"]);
    assert_eq!(second["name"], "Nightly report");
    assert_eq!(second["scope"], "read");
    assert_eq!(second["ends"].to_string(), ends);
    assert_eq!(second["last_used"], Value::Null);
    // The first use is noted right away, the next one within the hour is not.
    let client = Client::new(server().base_url(), Some((&user.email, secret)));
    client.get("/users/me", &[]).ok();
    let used = named(&user)[0]["last_used"].as_i64().expect("a time");
    assert!((unix_now() - 120..=unix_now() + 5).contains(&used));
    // Another account's address does not go with it.
    let other = server().user("member");
    Client::new(server().base_url(), Some((&other.email, secret)))
        .get("/users/me", &[])
        .error(401, "UNAUTHORIZED");
    assert!(named(&other).is_empty());
}

#[test]
fn what_cannot_be_a_key_is_refused() {
    let user = server().user("member");
    let make = |pairs: &[(&str, &str)]| user.post("/api_keys", pairs);
    let missing = make(&[("scope", "read")]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "name");
    let missing = make(&[("name", "x")]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "scope");
    let long = "ü".repeat(61);
    for name in ["", "  ", &long] {
        make(&[("name", name), ("scope", "read")]).bad_request();
    }
    for scope in ["", "Read", "write", "account"] {
        make(&[("name", "x"), ("scope", scope)]).bad_request();
    }
    for ends in [
        "0",
        "-1",
        "1000",
        "\"soon\"",
        "4000000000.5",
        "9999999999999",
    ] {
        make(&[("name", "x"), ("scope", "read"), ("ends", ends)]).bad_request();
    }
    assert!(named(&user).is_empty());
    let most = "ü".repeat(60);
    for pairs in [
        &[("name", most.as_str()), ("scope", "administer")][..],
        &[("name", "x"), ("scope", "send"), ("ends", "null")],
    ] {
        make(pairs).ok();
    }
    assert_eq!(named(&user).len(), 2);
    server().bot().post("/api_keys", &[]).bad_request();
    let anonymous = server().anonymous().get("/api_keys", &[]);
    anonymous.error(401, "UNAUTHORIZED");
}

#[test]
fn the_audit_log_has_the_name_and_not_the_key() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let made = key(server(), &user, "send", None);
    let found = recorded(&owner, "user_api_key_created", &user);
    assert_eq!(found.len(), 1);
    let fields = ["address", "client", "ends", "key_id", "name", "scope"];
    assert_eq!(keys(&found[0]), fields);
    assert_eq!(found[0]["key_id"], made.id);
    assert_eq!(
        (&found[0]["name"], &found[0]["scope"]),
        (&json!("Report"), &json!("send"))
    );
}

#[test]
fn the_organization_decides_who_makes_keys() {
    let server = Server::own(Options::default());
    let [owner, member, guest] = ["owner", "member", "guest"].map(|role| server.user(role));
    let made = key(&server, &guest, "read", None);
    realm_permission(&server, "can_create_api_keys_group", "role:members");
    let pairs = [("name", "x"), ("scope", "read")];
    guest.post("/api_keys", &pairs).bad_request();
    member.post("/api_keys", &pairs).ok();
    // Those that exist stay.
    made.client.get("/users/me", &[]).ok();
    realm_permission(&server, "can_create_api_keys_group", "role:nobody");
    owner.post("/api_keys", &pairs).bad_request();
    let register = [("fetch_event_types", "[\"realm\"]")];
    let body = member.post("/register", &register).ok();
    assert!(body["realm_can_create_api_keys_group"].is_i64());
}
