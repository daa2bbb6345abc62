//! POST /invites/multiuse: links that admit many accounts.

use spindle_tests::{Options, Server};

use super::{address, join, link, look, try_join};
use crate::support::server;

const LINKS: &str = "/invites/multiuse";

#[test]
fn a_link_admits_many_accounts() {
    let server = server();
    let admin = server.user("administrator");
    let key = link(&admin, &[("invite_as", "600")]);
    let seen = look(server, &key).ok();
    assert!(seen["email"].is_null() && seen["invited_by"].is_null());
    for _ in 0..2 {
        let email = address();
        let newcomer = join(server, &key, &[("email", &email)]);
        let own = newcomer.client.get("/users/me", &[]).ok();
        assert_eq!(own["delivery_email"], email);
        assert_eq!(own["role"], 600);
    }
    try_join(server, &key, &[]).bad_request();
}

#[test]
fn links_need_a_permission_of_their_own() {
    let server = Server::own(Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    for role in ["moderator", "member", "guest"] {
        server.user(role).post(LINKS, &[]).bad_request();
    }
    server.bot().post(LINKS, &[]).bad_request();
    link(&server.user("administrator"), &[]);
    let groups = owner.get("/user_groups", &[]).ok();
    let groups = groups["user_groups"].as_array().unwrap().clone();
    let members = groups.iter().find(|group| group["name"] == "role:members");
    let change = serde_json::json!({"new": members.unwrap()["id"]}).to_string();
    let pairs = [("create_multiuse_invite_group", change.as_str())];
    owner.patch("/realm", &pairs).ok();
    link(&member, &[]);
    // Links too give no more than their creator has.
    member
        .post(LINKS, &[("invite_as", "200")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    member.post(LINKS, &[("invite_as", "300")]).bad_request();
}

#[test]
fn parameters_are_checked() {
    let admin = server().user("administrator");
    for (name, value) in [
        ("invite_expires_in_minutes", "0"),
        ("invite_as", "7"),
        ("group_ids", "[999999]"),
    ] {
        admin.post(LINKS, &[(name, value)]).bad_request();
    }
    admin
        .post(LINKS, &[("stream_ids", "[999999]")])
        .error(400, "STREAM_DOES_NOT_EXIST");
    admin
        .post(LINKS, &[("invite_as", "100")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let ignored = admin.post(LINKS, &[("notify_referrer_on_join", "true")]);
    assert_eq!(ignored.ignored(), ["notify_referrer_on_join"]);
}
