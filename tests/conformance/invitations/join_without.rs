//! GET and POST /invites/join without an invitation (`realm_invite_required`), and disposable
//! addresses in every operation that sets an address (`realm_disallow_disposable_email_addresses`).

use spindle_tests::{Options, Server, User, unique};

use super::{JOIN, PASSWORD, invited, join};

fn set(owner: &User, name: &str, value: &str) {
    owner.patch("/realm", &[(name, value)]).ok();
}

#[test]
fn without_required_invitations_any_address_can_join() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let send = |email: &str| {
        let name = unique("New ");
        let pairs = [
            ("email", email),
            ("full_name", name.as_str()),
            ("password", PASSWORD),
        ];
        server.anonymous().post(JOIN, &pairs)
    };
    // An invitation is required unless an owner says otherwise.
    server.anonymous().get(JOIN, &[]).bad_request();
    send("ann@example.com").bad_request();
    set(&owner, "invite_required", "false");
    let seen = server.anonymous().get(JOIN, &[]).ok();
    assert!(seen["email"].is_null() && seen["invited_by"].is_null());
    let made = send("ann@example.com").ok();
    let own = owner.get(&format!("/users/{}", made["user_id"]), &[]).ok();
    assert_eq!(own["user"]["role"], 400);
    send("ann@example.com").bad_request();
    send("x@mailinator.com").bad_request();
    // Invitations work too, and a wrong key is still refused.
    let (_, key) = invited(&owner, &[("invite_as", "600")]);
    join(&server, &key, &[]);
    let pairs = [
        ("key", "wrong"),
        ("full_name", "Ann"),
        ("password", PASSWORD),
    ];
    server
        .anonymous()
        .post(
            JOIN,
            &[&pairs[..], &[("email", "bob@example.com")]].concat(),
        )
        .bad_request();
    set(&owner, "invite_required", "true");
    send("bob@example.com").bad_request();
}

#[test]
fn new_accounts_are_subscribed_to_the_default_channels() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    set(&owner, "invite_required", "false");
    let pairs = [
        ("email", "ann@example.com"),
        ("full_name", "Ann"),
        ("password", PASSWORD),
    ];
    let made = server.anonymous().post(JOIN, &pairs).ok();
    let path = format!("/users/{}/channels", made["user_id"]);
    let joined = owner.get(&path, &[]).ok()["subscribed_channel_ids"].clone();
    let state = owner
        .post(
            "/register",
            &[("fetch_event_types", "[\"default_streams\"]")],
        )
        .ok();
    let defaults = &state["realm_default_streams"];
    assert!(!defaults.as_array().unwrap().is_empty());
    assert_eq!(&joined, defaults);
}

/// Accounts created by the operator may have any address; addresses of other accounts may not be
/// disposable.
#[test]
fn every_operation_refuses_disposable_addresses() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let grant = [
        "user",
        "grant",
        "--permission",
        "can_create_users",
        "--email",
    ];
    server.admin(&[&grant[..], &[owner.email.as_str()]].concat());
    let create = |email: &str| {
        let name = unique("New ");
        let pairs = [
            ("email", email),
            ("full_name", name.as_str()),
            ("password", PASSWORD),
        ];
        owner.post("/users", &pairs)
    };
    let member = server.user_with("member", &["--password", PASSWORD]);
    let change = |email: &str| member.patch("/settings", &[("email", email)]);
    for email in [
        "a@mailinator.com",
        "a@MAILINATOR.COM",
        "a@x.mailinator.com",
        "a@mailinator.com.",
        "a@mailinator\u{3002}com",
        "a@yah\u{F3}o.com",
        "a@xn--yaho-sqa.com",
    ] {
        create(email).bad_request();
        change(email).bad_request();
    }
    set(&owner, "disallow_disposable_email_addresses", "false");
    create("a@mailinator.com").ok();
    change("b@mailinator.com").ok();
}
