//! Names and addresses that belong to the server (docs/protocol/limits.md#reserved): its bots have
//! them, or they stand for hidden addresses. No person takes one, in whatever spelling.

use serde_json::json;
use spindle_tests::{Call, Options, Server, User, unique};

use super::grant;
use crate::support::server;

const ADDRESSES: [&str; 8] = [
    "notification-bot@spindle.invalid",
    "Welcome-Bot@SPINDLE.invalid",
    "x@spindle.invalid.",
    "x@below.spindle.invalid",
    "user14@hidden.invalid",
    "x@hidden\u{3002}invalid",
    "x@\u{FF48}idden.invalid",
    "x@h\u{456}dden.invalid",
];

const NAMES: [&str; 9] = [
    "VVelcome Bot",
    "Notification-Bot",
    "NotificationBot",
    "Notification Bot \u{2714}\u{FE0F}",
    "Notification Bot",
    "welcome  bot",
    "Welcome\u{A0}Bot",
    "W\u{435}lcome Bot",
    "Email Gateway",
];

#[test]
fn no_operation_gives_an_address_of_the_server() {
    let server = server();
    let owner = server.user("owner");
    let member = server.user("member");
    grant(server, &owner, "can_create_users");
    grant(server, &owner, "can_change_user_emails");
    for address in ADDRESSES {
        member
            .patch("/settings", &[("email", address)])
            .bad_request();
        let path = format!("/users/{}", member.user_id);
        owner.patch(&path, &[("new_email", address)]).bad_request();
        let name = unique("New ");
        let pairs = [
            ("email", address),
            ("full_name", name.as_str()),
            ("password", "correct horse battery"),
        ];
        owner.post("/users", &pairs).bad_request();
        let pairs = [("invitee_emails", address)];
        owner
            .post("/invites", &pairs)
            .error(400, "INVITATION_FAILED");
        let link = owner.post("/invites/multiuse", &[]).ok()["invite_link"].clone();
        let (_, key) = link
            .as_str()
            .expect("a link")
            .rsplit_once('/')
            .expect("a key");
        let pairs = [
            ("key", key),
            ("email", address),
            ("full_name", name.as_str()),
            ("password", "correct horse battery"),
        ];
        server
            .anonymous()
            .post("/invites/join", &pairs)
            .bad_request();
        let words = ["user", "create", "--email", address, "--full-name", &name];
        assert!(!server.admin_output(&words).status.success(), "{address}");
    }
    let own = member.get("/users/me", &[]).ok();
    assert_eq!(own["email"], member.email);
}

#[test]
fn the_host_of_a_request_gives_a_bot_no_address_of_the_server() {
    let member = server().user("member");
    let name = unique("Bot ");
    let pairs = [
        ("full_name", name.as_str()),
        ("short_name", "welcome"),
        ("bot_type", "1"),
    ];
    let call = Call::new("POST", "/bots").form(&pairs);
    member.send(call.header("Host", "spindle.invalid")).ok();
    let bots = member.get("/bots", &[]).ok();
    let email = bots["bots"][0]["username"].as_str().expect("an address");
    assert!(!email.ends_with(".invalid"), "{email}");
    let domain = member.post("/register", &[]).ok()["realm_bot_domain"].clone();
    let domain = domain.as_str().expect("a domain");
    assert!(email.ends_with(&format!("@{domain}")), "{email} {domain}");
    // One in `short_name` makes it malformed.
    let pairs = [
        ("full_name", name.as_str()),
        ("short_name", "x@spindle.invalid"),
        ("bot_type", "1"),
    ];
    member.post("/bots", &pairs).bad_request();
}

#[test]
fn no_operation_gives_the_name_of_a_bot_of_the_server() {
    let server = server();
    let owner = server.user("owner");
    let member = server.user("member");
    grant(server, &owner, "can_create_users");
    for name in NAMES {
        member
            .patch("/settings", &[("full_name", name)])
            .bad_request();
        let path = format!("/users/{}", member.user_id);
        owner.patch(&path, &[("full_name", name)]).bad_request();
        let email = format!("{}@example.com", unique("new").to_lowercase());
        let pairs = [
            ("email", email.as_str()),
            ("full_name", name),
            ("password", "correct horse battery"),
        ];
        owner.post("/users", &pairs).bad_request();
        let short_name = unique("b").to_lowercase();
        let pairs = [
            ("full_name", name),
            ("short_name", short_name.as_str()),
            ("bot_type", "1"),
        ];
        member.post("/bots", &pairs).bad_request();
        let words = ["user", "create", "--email", &email, "--full-name", name];
        assert!(!server.admin_output(&words).status.success(), "{name}");
    }
}

/// Gives an account the address of another's stand-in, as could be done before.
fn squat(server: &Server, squatter: &User, user_id: i64) {
    let address = format!("user{user_id}@hidden.invalid");
    let sql = "UPDATE users SET email = ?2, email_folded = ?2, delivery_email = ?2, \
               delivery_email_folded = ?2 WHERE id = ?1";
    let changed = server
        .database()
        .execute(sql, rusqlite::params![squatter.user_id, address]);
    assert_eq!(changed, Ok(1));
}

#[test]
fn an_old_address_like_a_stand_in_hinders_no_account() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let (first, second) = (server.user("member"), server.user("guest"));
    let victim = server.user("member");
    squat(&server, &first, victim.user_id);
    victim
        .patch("/settings", &[("email_address_visibility", "3")])
        .ok();
    let shown = owner.get(&format!("/users/{}", victim.user_id), &[]).ok();
    let shown = shown["user"]["email"]
        .as_str()
        .expect("an address")
        .to_owned();
    assert!(shown.ends_with("@hidden.invalid"), "{shown}");
    // The next account, where addresses are hidden from the beginning.
    let pairs = [("email_address_visibility", "3")];
    owner.patch("/realm/user_settings_defaults", &pairs).ok();
    squat(&server, &second, victim.user_id + 1);
    grant(&server, &owner, "can_create_users");
    let pairs = [
        ("email", "next@example.com"),
        ("full_name", "Next One"),
        ("password", "correct horse battery"),
    ];
    let made = owner.post("/users", &pairs).ok();
    assert_eq!(made["user_id"], json!(victim.user_id + 1));
}
