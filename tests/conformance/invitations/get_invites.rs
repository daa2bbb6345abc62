//! GET /invites: who can list which invitations, and which links.

use spindle_tests::Call;
use spindle_tests::server::is_on_postgres;

use super::{INVITES, find, invite, list};
use crate::support::{keys, server};

#[test]
fn administrators_see_all_and_others_their_own() {
    let server = server();
    let (member, other, admin) = (
        server.user("member"),
        server.user("moderator"),
        server.user("administrator"),
    );
    assert!(list(&member).is_empty());
    let email = invite(&member, &[]);
    assert!(find(&member, &email).is_some());
    assert!(find(&admin, &email).is_some());
    assert!(list(&other).is_empty());
    assert!(list(&server.user("guest")).is_empty());
    server.bot().get(INVITES, &[]).bad_request();
}

#[test]
fn the_two_kinds_have_their_fields() {
    let admin = server().user("administrator");
    let email = invite(&admin, &[]);
    let personal = find(&admin, &email).unwrap();
    assert_eq!(
        keys(&personal),
        [
            "email",
            "expiry_date",
            "id",
            "invited",
            "invited_as",
            "invited_by_user_id",
            "is_multiuse",
            "link_url",
            "notify_referrer_on_join"
        ]
    );
    let made = admin.post("/invites/multiuse", &[]).ok()["invite_link"].clone();
    let link = list(&admin)
        .into_iter()
        .find(|invitation| invitation["link_url"] == made)
        .expect("the link");
    assert_eq!(
        keys(&link),
        [
            "expiry_date",
            "id",
            "invited",
            "invited_as",
            "invited_by_user_id",
            "is_multiuse",
            "link_url"
        ]
    );
    assert_eq!(link["is_multiuse"], true);
}

/// The link of an invitation as owner makes its holder an owner.
#[test]
fn a_link_is_shown_only_to_users_who_could_have_created_it() {
    let server = server();
    let (owner, admin) = (server.user("owner"), server.user("administrator"));
    let email = invite(&owner, &[("invite_as", "100")]);
    assert!(find(&owner, &email).unwrap()["link_url"].is_string());
    let seen = find(&admin, &email).unwrap();
    assert!(seen.get("link_url").is_none(), "{seen}");
    assert_eq!(seen["invited_as"], 100);
    let email = invite(&owner, &[("invite_as", "200")]);
    assert!(find(&admin, &email).unwrap()["link_url"].is_string());
}

/// No value in the database is a key, or alone suffices to create an account.
#[test]
fn the_database_holds_no_key() {
    if is_on_postgres("it reads the file of the database") {
        return;
    }
    let server = server();
    let admin = server.user("administrator");
    let email = invite(&admin, &[]);
    let link = find(&admin, &email).unwrap()["link_url"].clone();
    let key = super::key_in(&link);
    let nonce: Vec<u8> = server
        .database()
        .query_row(
            "SELECT nonce FROM invitations WHERE email = ?1",
            [&email],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(nonce.len(), 16, "a third of the key");
    let file = std::fs::read(server.database_path()).unwrap();
    let wal = server.database_path().with_extension("db-wal");
    let wal = std::fs::read(wal).unwrap_or_default();
    for bytes in [&file, &wal] {
        let found = bytes.windows(key.len()).any(|part| part == key.as_bytes());
        assert!(!found, "the key is in the database");
    }
}

#[test]
fn wrong_methods_are_refused() {
    let admin = server().user("administrator");
    let reply = admin.send(Call::new("PATCH", INVITES).undocumented());
    assert_eq!(reply.status, 405);
}
