//! Data exports as objects: who may request which, how often, and which events are sent. The
//! content of an archive is tested in `export`. Exports are counted per organization, so that each
//! of these tests has a server of its own.

use serde_json::{Value, json};
use spindle_tests::{Options, Queue, Server, User, until};

const EXPORTS: &str = "/export/realm";

fn start() -> (Server, User) {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    (server, owner)
}

fn list(user: &User) -> Vec<Value> {
    let body = user.get(EXPORTS, &[]).ok();
    body["exports"].as_array().unwrap().clone()
}

/// Waits until an export is no longer pending; returns its record.
fn finished(user: &User, id: &Value) -> Value {
    until("the export is built", || {
        let found = list(user).into_iter().find(|export| export["id"] == *id);
        found.filter(|export| export["pending"] == false)
    })
}

#[test]
fn an_export_is_built_announced_downloaded_and_deleted() {
    let (server, owner) = start();
    let admin = server.user("administrator");
    let member = server.user("member");
    let mut queue = Queue::of(&admin, &["realm_export"]);
    let mut members = Queue::of(&member, &["realm_export", "user_status"]);
    let id = owner.post(EXPORTS, &[]).ok()["id"].clone();
    let asked = queue.expect(|event| event["exports"][0]["pending"] == true);
    assert_eq!(asked["exports"][0]["id"], id);
    server.hasten(10);
    let record = finished(&owner, &id);
    assert_eq!(record["acting_user_id"], owner.user_id);
    assert_eq!(record["export_type"], "public");
    assert!(record["export_time"].is_f64());
    assert_eq!(record["failed_timestamp"], json!(null));
    assert_eq!(record["deleted_timestamp"], json!(null));
    let received = queue.expect(|event| event["exports"][0]["pending"] == false);
    assert_eq!(received["exports"], json!([record]));
    let url = record["export_url"].as_str().unwrap();
    let path = &url[url.find("/user_avatars/exports/").expect("an address")..];
    let archive = server.anonymous().fetch(path, &[]);
    assert_eq!(archive.status, 200);
    assert_eq!(archive.header("content-type"), Some("application/gzip"));
    owner.delete(&format!("{EXPORTS}/{id}"), &[]).ok();
    let gone = queue.expect(|event| event["exports"][0]["deleted_timestamp"] != json!(null));
    assert_eq!(gone["exports"][0]["export_url"], json!(null));
    owner.delete(&format!("{EXPORTS}/{id}"), &[]).bad_request();
    assert_eq!(server.anonymous().fetch(path, &[]).status, 404);
    owner
        .post("/users/me/status", &[("status_text", "later")])
        .ok();
    let seen = members.until(|event| event["type"] == "user_status");
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[test]
fn only_administrators_manage_exports() {
    let (server, owner) = start();
    for role in ["moderator", "member", "guest"] {
        let user = server.user(role);
        user.get(EXPORTS, &[]).error(400, "UNAUTHORIZED_PRINCIPAL");
        // The role is checked before the parameters are read.
        user.post(EXPORTS, &[("export_type", "all of it")])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
        user.delete("/export/realm/1", &[])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
        user.get("/export/realm/consents", &[])
            .error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    assert!(list(&owner).is_empty());
}

#[test]
fn there_are_three_types_of_exports() {
    let (server, owner) = start();
    let admin = server.user("administrator");
    for wrong in ["1", "2", "everything", "\"public\"", ""] {
        owner.post(EXPORTS, &[("export_type", wrong)]).bad_request();
    }
    let full = [("export_type", "full_without_consent")];
    for user in [&owner, &admin] {
        // The error names the condition that would allow it.
        let refused = user.post(EXPORTS, &full).bad_request();
        let text = refused["msg"].as_str().unwrap();
        assert!(text.contains("owner_full_content_access"), "{text}");
        assert!(text.contains("owners"), "{text}");
    }
    owner
        .patch("/realm", &[("owner_full_content_access", "true")])
        .ok();
    admin.post(EXPORTS, &full).bad_request();
    assert!(list(&owner).is_empty());
    owner.post(EXPORTS, &full).ok();
    let consented = [("export_type", "full_with_consent")];
    admin.post(EXPORTS, &consented).ok();
    let types: Vec<Value> = list(&owner)
        .into_iter()
        .map(|export| export["export_type"].clone())
        .collect();
    assert_eq!(types, ["full_without_consent", "full_with_consent"]);
}

/// An administrator receives no event about a full export, and cannot download or delete its
/// archive, even with the address.
#[test]
fn a_full_export_is_for_owners_only() {
    let (server, owner) = start();
    let (admin, member) = (server.user("administrator"), server.user("member"));
    owner
        .patch("/realm", &[("owner_full_content_access", "true")])
        .ok();
    let mut queue = Queue::of(&admin, &["realm_export"]);
    let mut owners = Queue::of(&owner, &["realm_export"]);
    let full = [("export_type", "full_without_consent")];
    let id = owner.post(EXPORTS, &full).ok()["id"].clone();
    server.hasten(10);
    let record = finished(&owner, &id);
    assert!(list(&admin).is_empty());
    let url = record["export_url"].as_str().unwrap();
    let path = &url[url.find("/user_avatars/exports/").expect("an address")..];
    assert_eq!(server.anonymous().fetch(path, &[]).status, 401);
    for user in [&admin, &member] {
        assert_eq!(user.fetch(path, &[]).status, 404);
    }
    assert_eq!(owner.fetch(path, &[]).status, 200);
    admin.delete(&format!("{EXPORTS}/{id}"), &[]).bad_request();
    // The event of another export still reaches both; the administrator's list lacks the full
    // export.
    let public = owner.post(EXPORTS, &[]).ok()["id"].clone();
    let received = queue.expect(|event| event["type"] == "realm_export");
    let ids = |event: &Value| -> Vec<Value> {
        let exports = event["exports"].as_array().unwrap().iter();
        exports.map(|export| export["id"].clone()).collect()
    };
    assert_eq!(ids(&received), std::slice::from_ref(&public));
    let received = owners.expect(|event| ids(event).len() == 2);
    assert_eq!(ids(&received), [id.clone(), public]);
    owner.delete(&format!("{EXPORTS}/{id}"), &[]).ok();
    assert_eq!(owner.fetch(path, &[]).status, 404);
}

#[test]
fn at_most_five_exports_are_made_within_a_week() {
    let (server, owner) = start();
    for _ in 0..5 {
        owner.post(EXPORTS, &[]).ok();
    }
    owner.post(EXPORTS, &[]).bad_request();
    assert_eq!(list(&owner).len(), 5);
    if server.has_test_clock() {
        server.advance(7 * 24 * 3600 + 1);
        owner.post(EXPORTS, &[]).ok();
    }
}

#[test]
fn an_organization_that_is_too_large_is_not_exported() {
    let (server, owner) = start();
    let sent = |count: i64| {
        server
            .database()
            .execute(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                 INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content,
                     rendered_content, date_sent, client)
                 SELECT 1, ?2, c.conversation_id, c.id, 'x', '<p>x</p>', 1, 'test'
                 FROM n, (SELECT * FROM channels ORDER BY id LIMIT 1) c",
                rusqlite::params![count, owner.user_id],
            )
            .expect("messages");
    };
    sent(250_001);
    let error = owner.post(EXPORTS, &[]).bad_request();
    let text = error["msg"].as_str().unwrap();
    assert!(text.contains("a backup, which the operator"), "{text}");
    assert!(list(&owner).is_empty());
}

#[test]
fn a_missing_export_cannot_be_deleted() {
    let (_server, owner) = start();
    owner.delete("/export/realm/999999", &[]).bad_request();
}

#[test]
fn consents_of_users_and_their_changes_are_listed() {
    let (server, owner) = start();
    let (member, bot) = (server.user("member"), server.bot());
    let mut queue = Queue::of(&owner, &["realm_export_consent"]);
    let consent = |user: &User| {
        let body = owner.get("/export/realm/consents", &[]).ok();
        let list = body["export_consents"].as_array().unwrap().clone();
        list.into_iter()
            .find(|entry| entry["user_id"] == user.user_id)
            .map(|entry| entry["consented"].clone())
    };
    assert_eq!(consent(&member), Some(json!(false)));
    assert_eq!(consent(&bot), None);
    let agree = [("allow_private_data_export", "true")];
    member.patch("/settings", &agree).ok();
    assert_eq!(consent(&member), Some(json!(true)));
    let event = queue.expect(|event| event["type"] == "realm_export_consent");
    assert_eq!(event["user_id"], member.user_id);
    assert_eq!(event["consented"], true);
}
