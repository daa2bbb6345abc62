//! The welcome messages to new accounts, the announcement of new accounts, and POST
//! /realm/test_welcome_bot_custom_message (FL 416).

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Client, Options, Server, unique};

use super::{WELCOME_BOT, notices_in, said_by};

#[test]
fn a_new_account_is_welcomed_and_announced() {
    let server = Server::start(Options::default());
    let owner = server.user("owner");
    server.admin(&[
        "user",
        "grant",
        "--email",
        &owner.email,
        "--permission",
        "can_create_users",
    ]);
    let create = || {
        let (email, name) = (format!("{}@example.com", unique("new")), unique("New "));
        let pairs = [
            ("email", email.as_str()),
            ("password", "correct horse battery"),
            ("full_name", &name),
        ];
        let id = owner.post("/users", &pairs).ok()["user_id"].clone();
        let sign_in = [
            ("username", email.as_str()),
            ("password", "correct horse battery"),
        ];
        let key = server.anonymous().post("/fetch_api_key", &sign_in).ok();
        let key = key["api_key"].as_str().unwrap().to_owned();
        (
            id,
            name,
            Client::new(server.base_url(), Some((&email, &key))),
        )
    };
    let (_, _, first) = create();
    let said = said_by(&first, WELCOME_BOT);
    assert_eq!(said.len(), 1);
    let place = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let pairs = [
        ("signup_announcements_stream_id", place.id()),
        (
            "welcome_message_custom_text",
            "Read the **rules**.".to_owned(),
        ),
    ];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    owner.patch("/realm", &pairs).ok();
    let (id, name, second) = create();
    assert_eq!(
        said_by(&second, WELCOME_BOT),
        [said[0].as_str(), "Read the **rules**."]
    );
    let announced = format!("@_**{name}|{id}** has joined the organization.");
    assert_eq!(
        notices_in(&owner, &place),
        [("sign-ups".to_owned(), announced)]
    );
    // Accounts that the operator creates get no welcome message.
    assert!(said_by(&server.user("member"), WELCOME_BOT).is_empty());
}

#[test]
fn a_welcome_message_can_be_tested() {
    let server = crate::support::server();
    let admin = server.user("administrator");
    let send = |text: &str| {
        let pairs = [("welcome_message_custom_text", text)];
        admin.post("/realm/test_welcome_bot_custom_message", &pairs)
    };
    let id = send("Try *this*").ok()["message_id"].clone();
    assert_eq!(said_by(&admin, WELCOME_BOT), ["Try *this*"]);
    let message = admin.get(&format!("/messages/{id}"), &[]).ok();
    assert_eq!(message["message"]["sender_email"], WELCOME_BOT);
    send(&"x".repeat(8000)).ok();
    send(&"x".repeat(8001)).bad_request();
    send(" ").bad_request();
    admin
        .post("/realm/test_welcome_bot_custom_message", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(said_by(&admin, WELCOME_BOT).len(), 2);
}
