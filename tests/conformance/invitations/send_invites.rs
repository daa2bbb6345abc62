//! POST /invites: who may invite whom with which role, addresses, limits, the event.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Queue, Server, User, unique};

use super::{INVITES, address, find, invite, list};
use crate::support::{server, settle};

/// The addresses in an INVITATION_FAILED error, without the texts.
fn refused(body: &Value) -> Vec<(String, bool)> {
    let errors = body["errors"].as_array().unwrap();
    let mut found: Vec<(String, bool)> = errors
        .iter()
        .map(|error| {
            let address = error[0].as_str().unwrap().to_owned();
            (address, error[2].as_bool().unwrap())
        })
        .collect();
    found.sort();
    found
}

#[test]
fn addresses_are_parsed_as_people_write_them() {
    let member = server().user("member");
    let (one, two, three) = (address(), address(), address());
    let text = format!(
        " {one},\nAnother Person <{two}> \r\n{one}, {},{three}",
        one.to_uppercase()
    );
    let pairs = [
        ("invitee_emails", text.as_str()),
        ("invite_as", "600"),
        ("invite_expires_in_minutes", "60"),
        ("notify_referrer_on_join", "false"),
    ];
    let answer = member.post(INVITES, &pairs).ok();
    let found = list(&member);
    let links = |invitations: &[Value]| {
        let of = |one: &Value| [&one["id"], &one["email"], &one["link_url"]].map(Value::clone);
        invitations.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(
        links(answer["invitations"].as_array().unwrap()),
        links(&found)
    );
    let emails: Vec<&Value> = found
        .iter()
        .map(|invitation| &invitation["email"])
        .collect();
    assert_eq!(emails, [&one, &two, &three]);
    let invitation = &found[1];
    assert_eq!(invitation["invited_as"], 600);
    assert_eq!(invitation["invited_by_user_id"], member.user_id);
    assert_eq!(invitation["is_multiuse"], false);
    assert_eq!(invitation["notify_referrer_on_join"], false);
    let (made, expires) = (&invitation["invited"], &invitation["expiry_date"]);
    assert_eq!(expires.as_i64().unwrap() - made.as_i64().unwrap(), 3600);
}

#[test]
fn absent_parameters_have_their_defaults() {
    let member = server().user("member");
    let email = invite(&member, &[]);
    let found = find(&member, &email).unwrap();
    assert_eq!(found["invited_as"], 400);
    assert_eq!(found["notify_referrer_on_join"], true);
    let (made, expires) = (&found["invited"], &found["expiry_date"]);
    assert_eq!(expires.as_i64().unwrap() - made.as_i64().unwrap(), 864_000);
    let email = invite(&member, &[("invite_expires_in_minutes", "null")]);
    assert_eq!(find(&member, &email).unwrap()["expiry_date"], json!(null));
}

#[test]
fn an_inviter_cannot_give_a_higher_role_than_their_own() {
    let roles = ["100", "200", "300", "400", "600"];
    for (inviter, expected) in [
        ("owner", ["ok", "ok", "ok", "ok", "ok"]),
        (
            "administrator",
            ["UNAUTHORIZED_PRINCIPAL", "ok", "ok", "ok", "ok"],
        ),
        (
            "moderator",
            [
                "UNAUTHORIZED_PRINCIPAL",
                "UNAUTHORIZED_PRINCIPAL",
                "ok",
                "ok",
                "ok",
            ],
        ),
        (
            "member",
            [
                "UNAUTHORIZED_PRINCIPAL",
                "UNAUTHORIZED_PRINCIPAL",
                "BAD_REQUEST",
                "ok",
                "ok",
            ],
        ),
    ] {
        let user = server().user(inviter);
        for (role, expected) in roles.iter().zip(expected) {
            let email = address();
            let pairs = [("invitee_emails", email.as_str()), ("invite_as", role)];
            let reply = user.post(INVITES, &pairs);
            let found = reply.body["code"].as_str().unwrap_or("ok");
            assert_eq!(found, expected, "{inviter} as {role}");
            assert_eq!(find(&user, &email).is_some(), expected == "ok");
        }
    }
    let owner = server().user("owner");
    let pairs = [("invitee_emails", "x@example.com"), ("invite_as", "500")];
    owner.post(INVITES, &pairs).bad_request();
}

#[test]
fn only_users_with_the_permission_invite_and_bots_do_not() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let (member, guest, bot) = (server.user("member"), server.user("guest"), server.bot());
    let pairs = [("invitee_emails", "x@example.com")];
    guest.post(INVITES, &pairs).bad_request();
    bot.post(INVITES, &pairs).bad_request();
    invite(&member, &[]);
    let moderators = fixture_group(&owner, "role:moderators");
    let change = json!({"new": moderators}).to_string();
    owner
        .patch("/realm", &[("can_invite_users_group", change.as_str())])
        .ok();
    member.post(INVITES, &pairs).bad_request();
    invite(&server.user("moderator"), &[]);
    // The register response contains the permission beforehand.
    let types = [("fetch_event_types", "[\"realm_user\"]")];
    let state = member.post("/register", &types).ok();
    assert_eq!(state["can_invite_others_to_realm"], false);
}

/// The id of a system group.
fn fixture_group(user: &User, name: &str) -> i64 {
    let groups = user.get("/user_groups", &[]).ok();
    let groups = groups["user_groups"].as_array().unwrap().clone();
    let found = groups.iter().find(|group| group["name"] == name);
    found.expect("the group")["id"].as_i64().unwrap()
}

#[test]
fn addresses_with_an_account_are_left_out_and_the_others_invited() {
    let server = server();
    let (admin, here, gone) = (
        server.user("administrator"),
        server.user("member"),
        server.user("member"),
    );
    admin.delete(&format!("/users/{}", gone.id()), &[]).ok();
    let before = invite(&server.user("member"), &[]);
    let new = address();
    let known = [&here.email, &gone.email, &before];
    let mut expected = vec![
        (here.email.clone(), false),
        (gone.email.clone(), true),
        (before.clone(), false),
    ];
    expected.sort();
    let text = format!("{}, {}, {}, {new}", known[0], known[1], known[2]);
    let body = admin
        .post(INVITES, &[("invitee_emails", &text)])
        .error(400, "INVITATION_FAILED");
    assert_eq!(refused(&body), expected);
    assert_eq!(body["sent_invitations"], true);
    assert_eq!(body["daily_limit_reached"], false);
    assert_eq!(body["license_limit_reached"], false);
    assert!(find(&admin, &new).is_some());
    // When no address is left, no invitation is created.
    let text = format!("{}\n{}", here.email.to_uppercase(), new);
    let body = admin
        .post(INVITES, &[("invitee_emails", &text)])
        .error(400, "INVITATION_FAILED");
    assert_eq!(body["sent_invitations"], false);
    assert_eq!(refused(&body).len(), 2);
}

#[test]
fn one_bad_address_refuses_the_whole_request() {
    let server = server();
    let (member, here) = (server.user("member"), server.user("member"));
    let new = address();
    for bad in [
        "nonsense",
        "a b@example.com",
        "x@mailinator.com",
        "@example.com",
    ] {
        let text = format!("{new}, {bad}, {}", here.email);
        let body = member
            .post(INVITES, &[("invitee_emails", &text)])
            .error(400, "INVITATION_FAILED");
        let mut expected = vec![(bad.to_owned(), false), (here.email.clone(), false)];
        expected.sort();
        assert_eq!(refused(&body), expected);
        assert_eq!(body["sent_invitations"], false);
    }
    assert!(list(&member).is_empty());
}

#[test]
fn addresses_outside_the_allowed_domains_are_refused() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let pairs = [("domain", "wanted.example"), ("allow_subdomains", "true")];
    owner.post("/realm/domains", &pairs).ok();
    let restrict = |on: &str| {
        let pairs = [("emails_restricted_to_domains", on)];
        owner.patch("/realm", &pairs).ok();
    };
    restrict("true");
    let invite = |email: &str| owner.post(INVITES, &[("invitee_emails", email)]);
    for bad in ["a@example.com", "a+1@wanted.example"] {
        invite(bad).error(400, "INVITATION_FAILED");
    }
    invite("a@sub.wanted.example").ok();
    restrict("false");
    invite("a@example.com").ok();
    invite("a@mailinator.com").error(400, "INVITATION_FAILED");
    let pairs = [("disallow_disposable_email_addresses", "false")];
    owner.patch("/realm", &pairs).ok();
    invite("a@mailinator.com").ok();
}

#[test]
fn parameters_are_checked() {
    let admin = server().user("administrator");
    let missing = admin
        .post(INVITES, &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "invitee_emails");
    let email = address();
    let too_long = "x".repeat(8001);
    for (name, value) in [
        ("invite_expires_in_minutes", "0"),
        ("invite_expires_in_minutes", "-5"),
        ("invite_expires_in_minutes", "52596001"),
        ("invite_expires_in_minutes", "soon"),
        ("invite_as", "400.5"),
        ("stream_ids", "7"),
        ("stream_ids", "[\"general\"]"),
        ("group_ids", "{}"),
        ("group_ids", "[999999]"),
        ("include_realm_default_subscriptions", "maybe"),
        ("notify_referrer_on_join", "1"),
        ("welcome_message_custom_text", too_long.as_str()),
    ] {
        let pairs = [("invitee_emails", email.as_str()), (name, value)];
        admin.post(INVITES, &pairs).bad_request();
    }
    admin
        .post(INVITES, &[("invitee_emails", " ,\n")])
        .bad_request();
    assert!(find(&admin, &email).is_none());
}

/// FL 416: only administrators choose the text.
#[test]
fn only_administrators_choose_a_welcome_message() {
    let server = server();
    let email = address();
    let pairs = [
        ("invitee_emails", email.as_str()),
        ("welcome_message_custom_text", "Hello"),
    ];
    server
        .user("moderator")
        .post(INVITES, &pairs)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let null = [pairs[0], ("welcome_message_custom_text", "null")];
    server.user("moderator").post(INVITES, &null).ok();
}

#[test]
fn channels_and_groups_are_limited_to_what_the_inviter_may_add_users_to() {
    let server = server();
    let (member, other) = (server.user("member"), server.user("member"));
    let own = fixture::channel(server, ChannelKind::PrivateShared, &[&member]);
    let hidden = fixture::channel(server, ChannelKind::PrivateShared, &[&other]);
    let archived = fixture::channel(server, ChannelKind::Public, &[&member]);
    server
        .user("owner")
        .delete(&format!("/streams/{}", archived.id()), &[])
        .ok();
    let with = |name: &str, ids: &Value| {
        let (email, ids) = (address(), ids.to_string());
        let pairs = [("invitee_emails", email.as_str()), (name, ids.as_str())];
        member.post(INVITES, &pairs)
    };
    with("stream_ids", &json!([own.stream_id])).ok();
    let body = with("stream_ids", &json!([own.stream_id, hidden.stream_id]))
        .error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(body["stream_id"], hidden.stream_id);
    with("stream_ids", &json!([archived.stream_id])).bad_request();
    let group = |owner: &User| {
        let (name, members) = (unique("group "), format!("[{}]", owner.id()));
        let pairs = [
            ("name", name.as_str()),
            ("description", ""),
            ("members", &members),
        ];
        owner.post("/user_groups/create", &pairs).ok()["group_id"].clone()
    };
    with("group_ids", &json!([group(&member)])).ok();
    with("group_ids", &json!([group(&other)])).bad_request();
    let system = fixture_group(&member, "role:administrators");
    with("group_ids", &json!([system])).bad_request();
    let many: Vec<i64> = (1..=501).collect();
    with("stream_ids", &json!(many)).bad_request();
}

#[test]
fn administrators_and_the_inviter_receive_the_event() {
    let server = server();
    let (inviter, admin, other) = (
        server.user("member"),
        server.user("administrator"),
        server.user("moderator"),
    );
    let types = ["invites_changed", "user_status"];
    let mut queues = [&inviter, &admin, &other].map(|user| Queue::of(user, &types));
    invite(&inviter, &[]);
    // Tests that run at the same time invite too, and administrators receive those events.
    let counts = queues.each_mut().map(|queue| settle(queue).len());
    assert_eq!((counts[0], counts[2]), (1, 0));
    assert!(counts[1] >= 1);
    // A refused request sends no event.
    inviter
        .post(INVITES, &[("invitee_emails", "x")])
        .error(400, "INVITATION_FAILED");
    assert_eq!(settle(&mut queues[0]), [json!(null); 0]);
}

#[test]
fn at_most_a_hundred_per_call_and_five_hundred_per_day_are_invited() {
    let server = Server::own(Options::default());
    let (member, other) = (server.user("member"), server.user("member"));
    let many = |from: usize, count: usize| -> String {
        let addresses = (from..from + count).map(|number| format!("n{number}@example.com"));
        addresses.collect::<Vec<_>>().join(",")
    };
    let send = |user: &User, text: &str| user.post(INVITES, &[("invitee_emails", text)]);
    send(&member, &many(0, 101)).bad_request();
    for hundred in 0..4 {
        send(&member, &many(hundred * 100, 100)).ok();
    }
    send(&member, &many(400, 99)).ok();
    let body = send(&member, &many(600, 2)).error(400, "INVITATION_FAILED");
    assert_eq!(body["daily_limit_reached"], true);
    assert_eq!(body["sent_invitations"], false);
    assert_eq!(body["errors"], json!([]));
    send(&member, &many(600, 1)).ok();
    // Links count too, and revoked invitations still count.
    let id = find(&member, "n0@example.com").unwrap()["id"].clone();
    member.delete(&format!("{INVITES}/{id}"), &[]).ok();
    send(&member, &many(601, 1)).error(400, "INVITATION_FAILED");
    send(&other, &many(601, 1)).ok();
    if server.has_test_clock() {
        server.advance(86_401);
        send(&member, &many(602, 100)).ok();
    }
}

/// The answer says which addresses have accounts, so hidden accounts count as tries, even when no one is invited.
#[test]
fn addresses_that_are_hidden_cannot_be_tried_without_end() {
    let member = server().user("member");
    let hidden = [(); 6].map(|()| {
        let user = server().user("member");
        fixture::user_setting(server(), &user, "email_address_visibility", "3");
        user.email.clone()
    });
    let try_address = |address: &str| {
        let list = format!("{address}, malformed");
        member.post(INVITES, &[("invitee_emails", &list)])
    };
    for address in &hidden[..5] {
        let body = try_address(address).error(400, "INVITATION_FAILED");
        assert_eq!(refused(&body).len(), 2);
    }
    try_address(&hidden[5]).error(429, "RATE_LIMIT_HIT");
    try_address(&address()).error(429, "RATE_LIMIT_HIT");
    // An address that the inviter can see reveals nothing.
    let seen = [("invitee_emails", server().user("member").email.clone())];
    member
        .post(INVITES, &[(seen[0].0, &seen[0].1)])
        .error(400, "INVITATION_FAILED");
}

/// Only administrators and the inviter may list an invitation, so the answer reveals to others what they cannot see.
#[test]
fn addresses_that_others_have_invited_cannot_be_tried_without_end() {
    let [administrator, inviter, member] =
        ["administrator", "member", "member"].map(|role| server().user(role));
    let invited: Vec<String> = (0..6).map(|_| address()).collect();
    let invite = |user: &User, address: &str| user.post(INVITES, &[("invitee_emails", address)]);
    invite(&inviter, &invited.join(",")).ok();
    for address in &invited[..5] {
        let body = invite(&member, address).error(400, "INVITATION_FAILED");
        assert_eq!(refused(&body).len(), 1);
    }
    invite(&member, &invited[5]).error(429, "RATE_LIMIT_HIT");
    invite(&member, &address()).error(429, "RATE_LIMIT_HIT");
    for address in &invited {
        for user in [&inviter, &administrator] {
            invite(user, address).error(400, "INVITATION_FAILED");
        }
    }
    invite(&inviter, &address()).ok();
    invite(&administrator, &address()).ok();
}
