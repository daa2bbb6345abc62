//! Changes of bots, their new owners, and their end.

use super::*;

/// A bot of another user, a human user, a deactivated bot and a missing one get the same error.
#[test]
fn a_bot_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("moderator"), server().user("member"));
    let theirs = create(&other, &[]).id;
    let gone = create(&user, &[]);
    user.delete(&gone.path(), &[]).ok();
    let ask = |id: i64| {
        [
            ("PATCH", format!("/bots/{id}")),
            ("DELETE", format!("/bots/{id}")),
            ("POST", format!("/bots/{id}/api_key/regenerate")),
            ("GET", format!("/bots/{id}/api_key")),
        ]
        .map(|(method, path)| {
            let reply = user.send(spindle_tests::Call::new(method, &path));
            (reply.status, reply.body)
        })
    };
    let missing = ask(999_999_999);
    assert!(missing.iter().all(|(status, _)| *status == 400));
    for id in [theirs, gone.id, other.user_id, user.user_id] {
        assert_eq!(ask(id), missing, "{id}");
    }
}

#[test]
fn a_bot_is_changed_by_its_owner_and_by_administrators() {
    let (user, admin) = (server().user("member"), server().user("administrator"));
    let bot = create(&user, &[]);
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let name = server()
        .database()
        .query_row(
            "SELECT name FROM channels WHERE id = ?1",
            [channel.stream_id],
            |row| row.get::<_, String>(0),
        )
        .unwrap();
    let (full_name, short_name) = (unique("Renamed "), unique("renamed"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
        ("default_sending_stream", name.as_str()),
        ("default_events_register_stream", name.as_str()),
        ("default_all_public_streams", "true"),
    ];
    let answer = user.patch(&bot.path(), &pairs).ok();
    assert_eq!(answer["full_name"], full_name.as_str());
    assert_eq!(answer["default_sending_stream"], name.as_str());
    let shown = record(&user, bot.id).unwrap();
    assert_eq!(shown["default_events_register_stream"], name.as_str());
    assert_eq!(shown["default_all_public_streams"], true);
    let key = bot.answer["api_key"].as_str().unwrap();
    let email = format!("{short_name}-bot@127.0.0.1");
    let client = Client::new(server().base_url(), Some((&email, key)));
    assert_eq!(client.get("/users/me", &[]).ok()["email"], email.as_str());
    let cleared = [("default_sending_stream", "")];
    let answer = admin.patch(&bot.path(), &cleared).ok();
    assert_eq!(answer["default_sending_stream"], Value::Null);
    admin.patch(&bot.path(), &[("role", "600")]).ok();
    assert_eq!(client.get("/users/me", &[]).ok()["role"], 600);
    admin.patch(&bot.path(), &[("role", "400")]).ok();
    // Invalid requests change nothing.
    let before = record(&user, bot.id);
    user.patch(
        &bot.path(),
        &[("default_sending_stream", "no such channel")],
    )
    .error(400, "STREAM_DOES_NOT_EXIST");
    let other = create(&user, &[]);
    for wrong in [
        ("full_name", other.full_name.as_str()),
        ("full_name", "x"),
        ("short_name", ""),
        ("short_name", other.email.split("-bot@").next().unwrap()),
        ("role", "5"),
        ("default_all_public_streams", "yes"),
    ] {
        user.patch(
            &bot.path(),
            &[("default_all_public_streams", "false"), wrong],
        )
        .bad_request();
    }
    let given = [
        ("default_all_public_streams", "false"),
        ("bot_owner_id", "999999999"),
    ];
    user.patch(&bot.path(), &given)
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    admin.patch(&bot.path(), &given).bad_request();
    assert_eq!(record(&user, bot.id), before);
}

#[test]
fn a_bot_gets_a_new_owner() {
    let (old, new) = (server().user("member"), server().user("member"));
    let (admin, guest) = (server().user("administrator"), server().user("guest"));
    let bot = create(&old, &[]);
    let types = ["realm_bot", "realm_user", "user_status"];
    let mut queues = [&old, &new, &admin, &guest].map(|user| Queue::of(user, &types));
    for wrong in [server().bot().id(), bot.id.to_string()] {
        admin
            .patch(&bot.path(), &[("bot_owner_id", &wrong)])
            .bad_request();
    }
    admin
        .patch(&bot.path(), &[("bot_owner_id", &new.id())])
        .ok();
    assert!(record(&old, bot.id).is_none());
    let shown = record(&new, bot.id).unwrap();
    let [olds, news, admins, guests] = &mut queues;
    assert_eq!(
        bot_events(olds, bot.id),
        [json!({"type": "realm_bot", "op": "delete", "bot": {"user_id": bot.id}})]
    );
    assert_eq!(
        bot_events(news, bot.id),
        [json!({"type": "realm_bot", "op": "add", "bot": shown})]
    );
    assert!(bot_events(admins, bot.id).is_empty());
    let received = settle_owner(guests, bot.id);
    assert_eq!(
        received,
        [json!({"user_id": bot.id, "bot_owner_id": new.user_id})]
    );
    old.delete(&bot.path(), &[]).bad_request();
    new.delete(&bot.path(), &[]).ok();
}

fn settle_owner(queue: &mut Queue, bot: i64) -> Vec<Value> {
    let persons = settle(queue)
        .into_iter()
        .map(|event| event["person"].clone());
    persons
        .filter(|person| person["user_id"] == bot && person.get("bot_owner_id").is_some())
        .collect()
}

/// The events go to the owner and to administrators only.
#[test]
fn creation_changes_and_deactivation_of_a_bot_send_events() {
    let (user, admin) = (server().user("member"), server().user("administrator"));
    let stranger = server().user("moderator");
    let types = ["realm_bot", "realm_user", "user_status"];
    let mut queues = [&user, &admin, &stranger].map(|user| Queue::of(user, &types));
    let bot = create(&user, &[]);
    let shown = record(&user, bot.id).unwrap();
    assert_eq!(record(&admin, bot.id), Some(shown.clone()));
    assert_eq!(record(&stranger, bot.id), None);
    let all = [("default_all_public_streams", "true")];
    user.patch(&bot.path(), &all).ok();
    // Unchanged: no event.
    user.patch(&bot.path(), &all).ok();
    user.delete(&bot.path(), &[]).ok();
    let expected = [
        json!({"type": "realm_bot", "op": "add", "bot": shown}),
        json!({"type": "realm_bot", "op": "update",
               "bot": {"user_id": bot.id, "default_all_public_streams": true}}),
        json!({"type": "realm_bot", "op": "delete", "bot": {"user_id": bot.id}}),
    ];
    let [users, admins, strangers] = &mut queues;
    assert_eq!(bot_events(users, bot.id), expected);
    assert_eq!(bot_events(admins, bot.id), expected);
    let received = settle_all(strangers);
    assert!(received.iter().all(|event| event["type"] != "realm_bot"));
    assert!(record(&admin, bot.id).is_none());
    bot.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
}

fn settle_all(queue: &mut Queue) -> Vec<Value> {
    settle(queue)
}

#[test]
fn bots_are_deactivated_with_their_owner() {
    let (user, admin) = (server().user("member"), server().user("administrator"));
    let bot = create(&user, &[]);
    let mut queue = Queue::of(&admin, &["realm_bot", "user_status"]);
    server().admin(&["user", "deactivate", "--email", &user.email]);
    bot.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    assert!(record(&admin, bot.id).is_none());
    let gone = json!({"type": "realm_bot", "op": "delete", "bot": {"user_id": bot.id}});
    assert_eq!(bot_events(&mut queue, bot.id), [gone]);
    // A bot returns only when it is reactivated itself.
    server().admin(&["user", "reactivate", "--email", &bot.email]);
    let shown = record(&admin, bot.id).unwrap();
    let back = json!({"type": "realm_bot", "op": "add", "bot": shown});
    assert_eq!(bot_events(&mut queue, bot.id), [back]);
}
