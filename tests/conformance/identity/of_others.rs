//! Owners list and disconnect company accounts of others (docs/protocol/identity.md#of-others).

use serde_json::json;
use spindle_tests::{Call, User};

use super::{FAILED, World, person};
use crate::support::server;

/// Connects an account with a person of a provider, as a first sign-in does.
fn connect(user: &User) -> i64 {
    let insert = "INSERT INTO identities (issuer, subject, user_id, provider, created, last_used) \
        VALUES ('https://login.example.org', hex(randomblob(16)), ?1, 'gone', unixepoch(), unixepoch()) RETURNING id";
    let database = server().database();
    let inserted = database.query_row(insert, [user.user_id], |row| row.get(0));
    inserted.expect("a connection")
}

/// The company has given a person a new account at the provider, with the same address.
#[test]
fn a_person_with_a_new_company_account_gets_in_again() {
    let Some(world) = World::shared() else { return };
    let owner = world.server.user("owner");
    let (old, new) = (
        person("moved-1", "moved@x.org"),
        person("moved-2", "moved@x.org"),
    );
    let session = world.session_of(&old);
    let refused = world.enter_by("kc", &new);
    assert_eq!(refused, format!("{FAILED}bound"));
    let path = format!("/users/{}/identities", session.user_id);
    let listed = owner.get(&path, &[]).ok()["identities"].clone();
    assert_eq!(listed, session.get("/identities").ok()["identities"]);
    let id = listed[0]["id"].as_i64().expect("an id");
    let end = format!("{path}/{id}");
    // The only way in which the person can sign in.
    owner.delete(&end, &[]).ok();
    owner.delete(&end, &[]).bad_request();
    assert_eq!(owner.get(&path, &[]).ok()["identities"], json!([]));
    session.get("/users/me").ok();

    let query = [
        ("anchor", "newest"),
        ("num_before", "5"),
        ("num_after", "0"),
    ];
    let call = Call::new("GET", "/messages").query(&query);
    let found = session.send(call).ok()["messages"].to_string();
    assert!(found.contains("was disconnected by"), "{found}");
    let user_id = session.user_id.to_string();
    let filter = [
        ("event_types", r#"["user_identity_disconnected"]"#),
        ("modified_user_id", user_id.as_str()),
    ];
    let entries = owner.get("/audit_log", &filter).ok()["audit_log"].clone();
    assert_eq!(entries[0]["data"], json!({"provider": "kc"}));
    assert_eq!(entries[0]["acting_user_id"], owner.user_id);
    assert_eq!(entries.as_array().expect("entries").len(), 1);

    assert_eq!(world.session_of(&new).user_id, session.user_id);
    assert_eq!(
        world.enter_by("kc", &old),
        format!("{FAILED}bound"),
        "the old one is now the other person"
    );
}

#[test]
fn other_roles_and_foreign_connections() {
    let (owner, user, other) = (
        server().user("owner"),
        server().user("member"),
        server().user("member"),
    );
    let id = connect(&user);
    let list = format!("/users/{}/identities", user.user_id);
    let end = format!("{list}/{id}");
    for role in ["administrator", "moderator", "member", "guest"] {
        let caller = server().user(role);
        let refused = [caller.get(&list, &[]), caller.delete(&end, &[])];
        for reply in refused {
            reply.error(400, "UNAUTHORIZED_PRINCIPAL");
        }
    }
    let of_other = format!("/users/{}/identities/{id}", other.user_id);
    owner.delete(&of_other, &[]).bad_request();
    owner
        .delete(&format!("{list}/999999999"), &[])
        .bad_request();
    owner
        .delete(&format!("/users/999999/identities/{id}"), &[])
        .bad_request();
    owner.get("/users/999999/identities", &[]).bad_request();
    let of_own = format!("/users/{}/identities/{}", owner.user_id, connect(&owner));
    owner.delete(&of_own, &[]).bad_request();
    let listed = owner.get(&list, &[]).ok()["identities"].clone();
    assert_eq!(listed[0]["id"], id);
    // A provider that is not configured has its id as a name.
    assert_eq!(listed[0]["display_name"], "gone");
    owner.delete(&end, &[]).ok();
}
