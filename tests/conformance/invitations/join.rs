//! GET and POST /invites/join with an invitation: the new account's channels, groups and messages,
//! the notified users, and that one invitation creates one account.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Queue, Server, User, unique};

use super::{JOIN, PASSWORD, address, find, invite, invited, join, link, look, try_join};
use crate::support::{keys, server, settle};

/// Names of the channels that a user is subscribed to.
fn channels(client: &Client) -> Vec<String> {
    let body = client.get("/users/me/subscriptions", &[]).ok();
    let subscriptions = body["subscriptions"].as_array().unwrap();
    let names = subscriptions.iter().map(|one| one["name"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

/// The direct messages of system bots to a user: sender and text.
fn said_to(client: &Client) -> Vec<(String, String)> {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "50"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
        ("narrow", "[[\"is\", \"dm\"]]"),
    ];
    let body = client.get("/messages", &pairs).ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let messages = body["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| (text(&message["sender_email"]), text(&message["content"])))
        .collect()
}

const WELCOME: &str = "welcome-bot@spindle.invalid";
const NOTIFICATION: &str = "notification-bot@spindle.invalid";

#[test]
fn an_invitation_becomes_an_account() {
    let server = server();
    let member = server.user("member");
    let (email, key) = invited(&member, &[("invite_as", "600")]);
    let seen = look(server, &key).ok();
    assert_eq!(
        keys(&seen),
        ["email", "invited_by", "msg", "realm_name", "result"]
    );
    assert_eq!(seen["email"], email);
    let call = spindle_tests::Call::new("GET", JOIN).header("Spindle-Invitation", &key);
    assert_eq!(server.anonymous().send(call).ok()["email"], email);
    assert_eq!(seen["invited_by"], member.full_name);
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(seen["realm_name"], settings["realm_name"]);
    let types = ["realm_user", "invites_changed", "user_group", "user_status"];
    let mut queue = Queue::of(&member, &types);
    let name = unique("Ann ");
    let pairs = [
        ("key", key.as_str()),
        ("full_name", name.as_str()),
        ("password", PASSWORD),
        // GET may be repeated, in any spelling of the key.
        ("email", &email.to_uppercase()),
    ];
    let made = server.anonymous().post(JOIN, &pairs).ok();
    assert_eq!(
        keys(&made),
        ["api_key", "email", "msg", "result", "user_id"]
    );
    assert_eq!(made["email"], email);
    let credentials = (email.as_str(), made["api_key"].as_str().unwrap());
    let own = Client::new(server.base_url(), Some(credentials))
        .get("/users/me", &[])
        .ok();
    assert_eq!(own["user_id"], made["user_id"]);
    assert_eq!(own["full_name"], name);
    assert_eq!(own["role"], 600);
    // The password is the one that they chose.
    let pairs = [("username", email.as_str()), ("password", PASSWORD)];
    server.anonymous().post("/fetch_api_key", &pairs).ok();
    let events = settle(&mut queue);
    let came = events.iter().any(|event| {
        event["type"] == "realm_user"
            && event["op"] == "add"
            && event["person"]["user_id"] == made["user_id"]
    });
    assert!(came, "{events:?}");
    let changed = events
        .iter()
        .filter(|event| event["type"] == "invites_changed");
    assert_eq!(changed.count(), 1);
    assert_eq!(find(&member, &email), None);
    // The invitation works once.
    let refused = look(server, &key).bad_request();
    assert!(
        refused["msg"].as_str().unwrap().contains("used"),
        "{refused}"
    );
    try_join(server, &key, &[]).bad_request();
}

#[test]
fn channels_and_groups_are_joined() {
    // A server of its own: default channels apply to all accounts created while the test runs.
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let chosen = fixture::channel(&server, ChannelKind::PrivateShared, &[&owner]);
    let default = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let pairs = [("stream_id", default.id())];
    let pairs = pairs.each_ref().map(|(name, id)| (*name, id.as_str()));
    owner.post("/default_streams", &pairs).ok();
    let (name, members) = (unique("invited group "), format!("[{}]", owner.id()));
    let pairs = [
        ("name", name.as_str()),
        ("description", ""),
        ("members", &members),
    ];
    let group = owner.post("/user_groups/create", &pairs).ok()["group_id"].clone();
    let mut queue = Queue::of(&owner, &["subscription", "user_group"]);
    let (channel_ids, group_ids) = (format!("[{}]", chosen.stream_id), format!("[{group}]"));
    let places = [
        ("stream_ids", channel_ids.as_str()),
        ("group_ids", group_ids.as_str()),
    ];
    let (_, key) = invited(&owner, &places);
    let first = join(&server, &key, &[]);
    assert_eq!(channels(&first.client), [chosen.name.as_str()]);
    let with_defaults = [places[0], ("include_realm_default_subscriptions", "true")];
    let (_, key) = invited(&owner, &with_defaults);
    let second = join(&server, &key, &[]);
    let found = channels(&second.client);
    for name in [&chosen.name, &default.name] {
        assert!(found.contains(name), "{found:?}");
    }
    let with_members = owner
        .get(&format!("/user_groups/{group}/members"), &[])
        .ok();
    let members = with_members["members"].as_array().unwrap();
    assert!(members.contains(&json!(first.id)) && !members.contains(&json!(second.id)));
    let events =
        queue.until(|event| event["op"] == "peer_add" && event["user_ids"] == json!([second.id]));
    let peers = events.iter().filter(|event| {
        event["op"] == "peer_add" && event["stream_ids"] == json!([chosen.stream_id])
    });
    assert!(peers.count() >= 1, "{events:?}");
    let joined = events.iter().any(|event| {
        event["op"] == "add_members"
            && event["group_id"] == group
            && event["user_ids"] == json!([first.id])
    });
    assert!(joined, "{events:?}");
}

/// FL 416: the organization's text, the invitation's text, or none.
#[test]
fn the_welcome_message_has_the_text_of_the_invitation() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let words = "Read the **rules**.";
    let pairs = [("welcome_message_custom_text", words)];
    admin.patch("/realm", &pairs).ok();
    let said = |further: &[(&str, &str)]| {
        let (_, key) = invited(&admin, further);
        let said = said_to(&join(&server, &key, &[]).client);
        assert!(said.iter().all(|(sender, _)| sender == WELCOME), "{said:?}");
        said.into_iter()
            .map(|(_, text)| text)
            .skip(1)
            .collect::<Vec<_>>()
    };
    assert_eq!(said(&[]), [words]);
    assert_eq!(said(&[("welcome_message_custom_text", "null")]), [words]);
    let own = "You are in the team of *Ann*.";
    assert_eq!(said(&[("welcome_message_custom_text", own)]), [own]);
    assert_eq!(said(&[("welcome_message_custom_text", "")]), [""; 0]);
    let key = link(&admin, &[("welcome_message_custom_text", own)]);
    let newcomer = join(&server, &key, &[("email", &address())]);
    assert_eq!(said_to(&newcomer.client)[1].1, own);
}

#[test]
fn the_inviter_is_notified_unless_they_switched_it_off() {
    let server = server();
    let received = |inviter: &User| {
        let said = said_to(inviter).into_iter();
        let said = said.filter(|(sender, _)| sender == NOTIFICATION);
        said.map(|(_, text)| text).collect::<Vec<_>>()
    };
    let curious = server.user("member");
    let (_, key) = invited(&curious, &[]);
    let newcomer = join(server, &key, &[]);
    let said = received(&curious);
    assert_eq!(said.len(), 1);
    let expected = format!("|{}** has accepted your invitation.", newcomer.id);
    assert!(said[0].ends_with(&expected), "{said:?}");
    let other = server.user("member");
    let (_, key) = invited(&other, &[("notify_referrer_on_join", "false")]);
    join(server, &key, &[]);
    assert_eq!(received(&other), [""; 0]);
    // Links may be used by hundreds of accounts, so their creator gets no notice.
    let admin = server.user("administrator");
    let key = link(&admin, &[]);
    join(server, &key, &[("email", &address())]);
    assert_eq!(received(&admin), [""; 0]);
}

/// Of many simultaneous requests, one succeeds.
#[test]
fn simultaneous_requests_create_one_account() {
    let server = server();
    let member = server.user("member");
    for _ in 0..3 {
        let (email, key) = invited(&member, &[]);
        let start = std::sync::Barrier::new(6);
        let ok = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..6)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        try_join(server, &key, &[]).status == 200
                    })
                })
                .collect();
            tries
                .into_iter()
                .map(|one| one.join().unwrap())
                .filter(|ok| *ok)
                .count()
        });
        assert_eq!(ok, 1);
        let accounts: i64 = server
            .database()
            .query_row(
                "SELECT count(*) FROM users WHERE delivery_email = ?1",
                [&email],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(accounts, 1);
        let uses: i64 = server
            .database()
            .query_row(
                "SELECT count(*) FROM audit_log a JOIN users u ON u.id = a.acting_user_id \
                 WHERE a.event_type = 'user_joined' AND u.delivery_email = ?1",
                [&email],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(uses, 1);
    }
}

/// An invitation is deleted when its address gets an account in another way.
#[test]
fn an_invitation_is_deleted_when_its_address_gets_an_account() {
    let server = server();
    let (member, admin) = (server.user("member"), server.user("administrator"));
    let email = invite(&member, &[]);
    let mut queue = Queue::of(&member, &["invites_changed", "user_status"]);
    let key = link(&admin, &[]);
    join(server, &key, &[("email", &email)]);
    assert_eq!(find(&member, &email), None);
    assert_eq!(settle(&mut queue).len(), 1);
}
