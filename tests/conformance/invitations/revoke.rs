//! DELETE /invites/{invite_id}, DELETE /invites/multiuse/{invite_id}, POST
//! /invites/{invite_id}/resend.

use serde_json::Value;
use spindle_tests::{Options, Queue, Server, User};

use super::{INVITES, find, invite, invited, join, link, list, look, try_join};
use crate::support::{server, settle};

fn personal(id: &Value) -> String {
    format!("{INVITES}/{id}")
}

fn multiuse(id: &Value) -> String {
    format!("{INVITES}/multiuse/{id}")
}

fn resend(id: &Value) -> String {
    format!("{INVITES}/{id}/resend")
}

fn id_of(user: &User, email: &str) -> Value {
    find(user, email).expect("the invitation")["id"].clone()
}

#[test]
fn a_revoked_invitation_is_refused() {
    let server = server();
    let (member, admin) = (server.user("member"), server.user("administrator"));
    let (email, key) = invited(&member, &[]);
    look(server, &key).ok();
    let id = id_of(&member, &email);
    let mut queue = Queue::of(&member, &["invites_changed", "user_status"]);
    // By an administrator: the inviter is notified.
    admin.delete(&personal(&id), &[]).ok();
    assert_eq!(settle(&mut queue).len(), 1);
    assert_eq!(find(&member, &email), None);
    let refused = look(server, &key).bad_request();
    let never = look(server, "never").bad_request();
    assert_eq!(
        refused["msg"], never["msg"],
        "the error reveals nothing more"
    );
    try_join(server, &key, &[]).bad_request();
    admin.delete(&personal(&id), &[]).bad_request();
    // The address can be invited again.
    let pairs = [("invitee_emails", email.as_str())];
    member.post(INVITES, &pairs).ok();
}

#[test]
fn a_revoked_link_is_refused() {
    let server = server();
    let admin = server.user("administrator");
    let key = link(&admin, &[]);
    let ends_so = |invitation: &&Value| {
        let link = invitation["link_url"].as_str().unwrap_or_default();
        link.ends_with(&key)
    };
    let found = list(&admin);
    let id = &found.iter().find(ends_so).expect("the link")["id"];
    // Invitations and links have separate addresses.
    admin.delete(&personal(id), &[]).bad_request();
    admin.post(&resend(id), &[]).bad_request();
    admin.delete(&multiuse(id), &[]).ok();
    admin.delete(&multiuse(id), &[]).bad_request();
    look(server, &key).bad_request();
    let email = invite(&admin, &[]);
    admin
        .delete(&multiuse(&id_of(&admin, &email)), &[])
        .bad_request();
}

#[test]
fn administrators_and_the_inviter_revoke_and_renew() {
    let server = server();
    let (member, owner, admin) = (
        server.user("member"),
        server.user("owner"),
        server.user("administrator"),
    );
    let id = id_of(&member, &invite(&member, &[]));
    // For other users the invitation does not exist.
    let missing = member.delete(&personal(&Value::from(999_999)), &[]);
    let missing = missing.bad_request()["msg"].clone();
    for other in [server.user("moderator"), server.user("guest")] {
        let body = other.delete(&personal(&id), &[]).bad_request();
        assert_eq!(body["msg"], missing);
        other.post(&resend(&id), &[]).bad_request();
    }
    member.post(&resend(&id), &[]).ok();
    admin.post(&resend(&id), &[]).ok();
    member.delete(&personal(&id), &[]).ok();
    let id = id_of(&owner, &invite(&owner, &[("invite_as", "100")]));
    admin
        .delete(&personal(&id), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin
        .post(&resend(&id), &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    server.user("owner").delete(&personal(&id), &[]).ok();
}

/// There is no e-mail to send again: the link stays, and its validity restarts.
#[test]
fn a_renewed_invitation_works_as_long_again() {
    let server = Server::own(Options::default());
    if !server.has_test_clock() {
        return;
    }
    let member = server.user("member");
    let (email, key) = invited(&member, &[("invite_expires_in_minutes", "60")]);
    let before = find(&member, &email).unwrap();
    server.advance(3000);
    let mut queue = Queue::of(&member, &["invites_changed"]);
    member.post(&resend(&before["id"]), &[]).ok();
    queue.expect(|event| event["type"] == "invites_changed");
    let after = find(&member, &email).unwrap();
    assert_eq!(after["link_url"], before["link_url"]);
    assert_eq!(after["invited"], before["invited"]);
    let moved = after["expiry_date"].as_i64().unwrap() - before["expiry_date"].as_i64().unwrap();
    assert!((3000..3300).contains(&moved), "{moved}");
    server.advance(3000);
    look(&server, &key).ok();
    server.advance(700);
    let refused = look(&server, &key).bad_request();
    assert!(
        refused["msg"].as_str().unwrap().contains("expired"),
        "{refused}"
    );
    try_join(&server, &key, &[]).bad_request();
    // An expired invitation is not listed and cannot be renewed; its address can be invited again.
    assert!(list(&member).is_empty());
    member.post(&resend(&before["id"]), &[]).bad_request();
    member.delete(&personal(&before["id"]), &[]).bad_request();
    let pairs = [("invitee_emails", email.as_str())];
    member.post(INVITES, &pairs).ok();
    // An invitation that never expires is renewed too, which changes nothing.
    let (email, key) = invited(&member, &[("invite_expires_in_minutes", "null")]);
    member.post(&resend(&id_of(&member, &email)), &[]).ok();
    server.advance(400 * 86_400);
    join(&server, &key, &[]);
}

/// A timer deletes ended invitations after a month; until then the link's holder gets the reason.
#[test]
fn ended_invitations_are_deleted_after_a_month() {
    let server = Server::own(Options::default());
    if !server.has_test_clock() {
        return;
    }
    let member = server.user("member");
    let (email, used) = invited(&member, &[]);
    join(&server, &used, &[]);
    invite(&member, &[("invite_expires_in_minutes", "1")]);
    let endless = invite(&member, &[("invite_expires_in_minutes", "null")]);
    let rows = || -> Vec<String> {
        let database = server.database();
        let sql = "SELECT email FROM invitations ORDER BY id";
        database.rows(sql, [], |row| row.get(0)).unwrap()
    };
    server.advance_past_run(29 * 86_400, "clean-invitations");
    assert_eq!(rows().len(), 3);
    let refused = look(&server, &used).bad_request();
    assert!(
        refused["msg"].as_str().unwrap().contains("used"),
        "{refused}"
    );
    server.advance_past_run(2 * 86_400, "clean-invitations");
    assert_eq!(rows(), [endless], "{email} is forgotten");
}
