//! POST /invites/join, refused: invalid keys, invalid names and passwords, and inviters who have
//! lost the rights that they offered.

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Server, unique};

use super::{INVITES, JOIN, PASSWORD, address, find, invited, join, link, look, try_join};
use crate::support::server;
use crate::users::realm_permission;

#[test]
fn forged_keys_are_refused() {
    let server = server();
    let admin = server.user("administrator");
    let (_, key) = invited(&admin, &[]);
    let flipped = {
        let last = if key.ends_with('A') { "B" } else { "A" };
        format!("{}{last}", &key[..63])
    };
    let other_signature = format!("{}{}", &key[..21], &link(&admin, &[])[21..]);
    let mut texts = Vec::new();
    for wrong in [
        "",
        "x",
        "ключ",
        &key[..63],
        &format!("{key}AAAA"),
        &flipped,
        &other_signature,
    ] {
        texts.push(look(server, wrong).bad_request()["msg"].clone());
        try_join(server, wrong, &[("email", &address())]).bad_request();
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "all get the same error: {texts:?}");
    join(server, &key, &[]);
}

#[test]
fn the_name_address_and_password_are_checked() {
    let server = server();
    let admin = server.user("administrator");
    let (_, key) = invited(&admin, &[]);
    let here = server.user("member");
    let send = |pairs: &[(&str, &str)]| server.anonymous().post(JOIN, pairs);
    let whole = [
        ("key", key.as_str()),
        ("full_name", "Ann"),
        ("password", PASSWORD),
    ];
    for missing in ["full_name", "password"] {
        let pairs: Vec<_> = whole
            .into_iter()
            .filter(|(name, _)| *name != missing)
            .collect();
        let body = send(&pairs).error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], missing);
    }
    let with = |name: &'static str, value: &str| {
        let mut pairs: Vec<_> = whole
            .into_iter()
            .filter(|(known, _)| *known != name)
            .collect();
        pairs.push((name, value));
        send(&pairs)
    };
    for (name, value) in [
        ("full_name", "A"),
        ("full_name", "*Ann*"),
        ("password", "short"),
        ("email", "other@example.com"),
    ] {
        with(name, value).bad_request();
    }
    with("password", &"x".repeat(101)).bad_request();
    // None of these requests has used the invitation up.
    with("full_name", "Ann").ok();
    let many = link(&admin, &[]);
    for email in [&here.email, "nonsense", "x@mailinator.com", ""] {
        try_join(server, &many, &[("email", email)]).bad_request();
    }
}

#[test]
fn an_invitation_gives_no_role_that_its_inviter_has_lost() {
    let server = server();
    let owner = server.user("owner");
    let inviter = server.user("administrator");
    let (_, as_administrator) = invited(&inviter, &[("invite_as", "200")]);
    let (_, as_member) = invited(&inviter, &[]);
    let change = |role: &str| {
        let path = format!("/users/{}", inviter.id());
        owner.patch(&path, &[("role", role)]).ok();
    };
    change("400");
    look(server, &as_administrator).bad_request();
    try_join(server, &as_administrator, &[]).bad_request();
    look(server, &as_member).ok();
    change("600");
    try_join(server, &as_member, &[]).bad_request();
    change("400");
    change("200");
    join(server, &as_administrator, &[]);
    join(server, &as_member, &[]);
}

#[test]
fn channels_and_groups_that_the_inviter_has_lost_are_left_out() {
    let server = server();
    let (owner, inviter) = (server.user("owner"), server.user("member"));
    let kept = fixture::channel(server, ChannelKind::PrivateShared, &[&inviter]);
    let lost = fixture::channel(server, ChannelKind::PrivateShared, &[&inviter]);
    let (name, members) = (unique("lost "), format!("[{}]", inviter.id()));
    let pairs = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", &members),
    ];
    let group = inviter.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let (channels, groups) = (
        json!([kept.stream_id, lost.stream_id]).to_string(),
        json!([group]).to_string(),
    );
    let places = [("stream_ids", channels.as_str()), ("group_ids", &groups)];
    let (_, key) = invited(&inviter, &places);
    fixture::unsubscribe(server, &inviter, &lost);
    owner
        .post(&format!("/user_groups/{group}/deactivate"), &[])
        .ok();
    let newcomer = join(server, &key, &[]);
    let body = newcomer.client.get("/users/me/subscriptions", &[]).ok();
    let subscriptions = body["subscriptions"].as_array().unwrap();
    assert_eq!(subscriptions.len(), 1, "{body}");
    assert_eq!(subscriptions[0]["stream_id"], kept.stream_id);
}

#[test]
fn deactivating_an_account_revokes_its_invitations() {
    let server = server();
    let (admin, inviter) = (server.user("administrator"), server.user("moderator"));
    let (email, key) = invited(&inviter, &[]);
    admin.delete(&format!("/users/{}", inviter.id()), &[]).ok();
    assert_eq!(find(&admin, &email), None);
    try_join(server, &key, &[]).bad_request();
    // For good: after a reactivation the user has to invite again.
    let path = format!("/users/{}/reactivate", inviter.id());
    admin.post(&path, &[]).ok();
    try_join(server, &key, &[]).bad_request();
    let made = server.admin(&["user", "rotate-key", "--email", &inviter.email]);
    let key = made["api_key"].as_str().expect("the new key");
    let inviter = Client::new(server.base_url(), Some((&inviter.email, key)));
    inviter.post(INVITES, &[("invitee_emails", &email)]).ok();
}

#[test]
fn current_restrictions_apply_to_earlier_invitations() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let (_, key) = invited(&owner, &[]);
    let pairs = [("domain", "wanted.example"), ("allow_subdomains", "false")];
    owner.post("/realm/domains", &pairs).ok();
    let restrict = |on: &str| {
        let pairs = [("emails_restricted_to_domains", on)];
        owner.patch("/realm", &pairs).ok();
    };
    restrict("true");
    try_join(&server, &key, &[]).bad_request();
    let many = link(&owner, &[]);
    try_join(&server, &many, &[("email", "a@example.com")]).bad_request();
    join(&server, &many, &[("email", "a@wanted.example")]);
    restrict("false");
    join(&server, &key, &[]);
    owner
        .patch("/realm", &[("require_unique_names", "true")])
        .ok();
    let pairs = [("key", many.as_str()), ("password", PASSWORD)];
    let refused = |email: &str| {
        let taken = [("email", email), ("full_name", &owner.full_name)];
        let anonymous = server.anonymous();
        let answer = anonymous.post(JOIN, &[&pairs[..], &taken].concat());
        answer.bad_request()["msg"].clone()
    };
    // The address is checked last: unless an account is created, no answer reveals whether it has one.
    assert_eq!(refused("b@example.com"), refused(&owner.email));
}

#[test]
fn a_deactivated_organization_admits_no_accounts() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let (_, key) = invited(&owner, &[]);
    owner.post("/realm/deactivate", &[]).ok();
    look(&server, &key).error(401, "REALM_DEACTIVATED");
    try_join(&server, &key, &[]).error(401, "REALM_DEACTIVATED");
}

/// An invitation works as long as its inviter may invite in this way.
#[test]
fn an_invitation_ends_with_the_permission_of_its_inviter() {
    let server = Server::own(Options::default());
    let inviter = server.user("member");
    for permission in ["can_invite_users_group", "create_multiuse_invite_group"] {
        realm_permission(&server, permission, "role:members");
    }
    let many = link(&inviter, &[]);
    let (_, one) = invited(&inviter, &[]);
    look(&server, &many).ok();
    realm_permission(&server, "create_multiuse_invite_group", "role:nobody");
    look(&server, &many).bad_request();
    try_join(&server, &many, &[("email", &address())]).bad_request();
    look(&server, &one).ok();
    realm_permission(&server, "can_invite_users_group", "role:nobody");
    try_join(&server, &one, &[]).bad_request();
    realm_permission(&server, "create_multiuse_invite_group", "role:members");
    join(&server, &many, &[("email", &address())]);
}
