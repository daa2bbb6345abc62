//! PATCH /settings (docs/protocol/settings.md#user-settings,
//! docs/protocol/settings.md#update_settings).

use serde_json::{Value, json};
use spindle_tests::{Queue, Server, User, unique};

use super::{section, without_ids};
use crate::support::{server, settle, settle_with_statuses};

const PATH: &str = "/settings";

fn settings(user: &User) -> Value {
    section(user, "user_settings")["user_settings"].clone()
}

/// An account whose first sign-in has been broadcast before.
fn logged_in(role: &str) -> User {
    let user = server().user(role);
    user.get("/users/me", &[]).ok();
    user
}

fn of_type(events: Vec<Value>, kind: &str) -> Vec<Value> {
    let events = without_ids(events).into_iter();
    events.filter(|event| event["type"] == kind).collect()
}

/// Another value for every setting.
fn changed(name: &str, value: &Value) -> Option<String> {
    let text = match (name, value) {
        ("emojiset_choices" | "available_notification_sounds", _) => return None,
        ("default_language", _) => "de".to_owned(),
        ("timezone", _) => "Europe/Berlin".to_owned(),
        ("emojiset", _) => "twitter".to_owned(),
        ("notification_sound", _) => "ding".to_owned(),
        ("web_home_view", _) => "recent".to_owned(),
        ("twenty_four_hour_time", _) => "true".to_owned(),
        (_, Value::String(_)) => "never".to_owned(),
        (_, Value::Bool(value)) => (!value).to_string(),
        ("web_font_size_px", _) => "20".to_owned(),
        ("web_line_height_percent", _) => "150".to_owned(),
        ("email_notifications_batching_period_seconds", _) => "300".to_owned(),
        (_, Value::Number(number)) if number.as_i64() == Some(2) => "3".to_owned(),
        (_, Value::Number(_)) => "2".to_owned(),
        other => panic!("no other value for {other:?}"),
    };
    Some(text)
}

#[test]
fn every_setting_can_be_changed() {
    let user = server().user("member");
    let before = settings(&user);
    let mut queue = Queue::of(&user, &["user_settings", "user_status"]);
    let changes: Vec<(String, String)> = before
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), changed(name, value)?)))
        .collect();
    assert!(changes.len() > 60, "{}", changes.len());
    let pairs: Vec<(&str, &str)> = changes
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let reply = user.patch(PATH, &pairs);
    assert!(reply.ignored().is_empty(), "{:?}", reply.ignored());
    reply.ok();
    let after = settings(&user);
    let events = of_type(settle(&mut queue), "user_settings");
    assert_eq!(events.len(), changes.len(), "one event for each");
    for (name, text) in &changes {
        let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        assert_eq!(after[name], value, "{name}");
        let event = events
            .iter()
            .find(|event| event["property"] == name.as_str());
        let event = event.unwrap_or_else(|| panic!("no event for {name}"));
        assert_eq!((&event["op"], &event["value"]), (&json!("update"), &value));
        let is_language = name == "default_language";
        assert_eq!(event.get("language_name").is_some(), is_language);
    }
    // An unchanged value is no change.
    user.patch(PATH, &pairs).ok();
    assert!(of_type(settle(&mut queue), "user_settings").is_empty());
}

#[test]
fn values_of_another_type_or_range_change_nothing() {
    let user = server().user("member");
    let before = settings(&user);
    for (name, wrong) in [
        ("enter_sends", "1"),
        ("enter_sends", "True"),
        ("color_scheme", "4"),
        ("color_scheme", "\"2\""),
        ("color_scheme", "2.0"),
        ("twenty_four_hour_time", "2"),
        ("starred_message_counts", "null"),
        ("emojiset", "apple"),
        ("notification_sound", "gong"),
        ("default_language", "tlh"),
        ("timezone", "Mars/Phobos"),
        ("email_address_visibility", "6"),
        ("email_notifications_batching_period_seconds", "0"),
        ("email_notifications_batching_period_seconds", "604801"),
        ("web_font_size_px", "0"),
        ("web_home_view", "\"inbox\""),
        ("full_name", "x"),
        ("full_name", "a*b"),
        ("email", "no address"),
    ] {
        let error = user
            .patch(PATH, &[(name, wrong), ("left_side_userlist", "true")])
            .bad_request();
        assert!(error["msg"].is_string());
        assert_eq!(settings(&user), before, "{name}={wrong}");
    }
}

#[test]
fn unknown_settings_are_only_reported() {
    let user = server().user("member");
    let reply = user.patch(PATH, &[("enter_sends", "true"), ("no_such", "x")]);
    assert_eq!(reply.ignored(), ["no_such"]);
    reply.ok();
    assert_eq!(settings(&user)["enter_sends"], true);
    user.patch(PATH, &[]).ok();
    server()
        .bot()
        .patch(PATH, &[("enter_sends", "true")])
        .bad_request();
}

#[test]
fn a_new_name_is_broadcast() {
    let (user, other) = (logged_in("member"), server().user("guest"));
    let mut queue = Queue::of(&other, &["realm_user", "user_status"]);
    let name = unique("New Name ");
    user.patch(PATH, &[("full_name", &format!(" {name} "))])
        .ok();
    user.patch(PATH, &[("full_name", &name)]).ok();
    let own: Vec<Value> = of_type(settle(&mut queue), "realm_user")
        .into_iter()
        .filter(|event| event["person"]["user_id"] == user.user_id)
        .collect();
    assert_eq!(
        own,
        [json!({"type": "realm_user", "op": "update",
                "person": {"user_id": user.user_id, "full_name": name}})]
    );
    assert_eq!(user.get("/users/me", &[]).ok()["full_name"], name.as_str());
}

#[test]
fn a_new_time_zone_is_broadcast() {
    let (user, other) = (logged_in("member"), server().user("member"));
    let mut queue = Queue::of(&other, &["realm_user", "user_settings", "user_status"]);
    user.patch(PATH, &[("timezone", "Asia/Tokyo")]).ok();
    let events = settle(&mut queue);
    assert!(of_type(events.clone(), "user_settings").is_empty());
    let own: Vec<Value> = of_type(events, "realm_user")
        .into_iter()
        .filter(|event| event["person"]["user_id"] == user.user_id)
        .collect();
    assert_eq!(
        own,
        [json!({"type": "realm_user", "op": "update",
                "person": {"user_id": user.user_id, "email": user.email,
                           "timezone": "Asia/Tokyo"}})]
    );
    assert_eq!(user.get("/users/me", &[]).ok()["timezone"], "Asia/Tokyo");
}

#[test]
fn the_address_is_changed_at_once() {
    let user = server().user("member");
    let taken = server().user("member");
    let new = format!("{}@example.com", unique("moved"));
    user.patch(PATH, &[("email", &taken.email)]).bad_request();
    user.patch(PATH, &[("email", &new)]).ok();
    let client = spindle_tests::Client::new(server().base_url(), Some((&new, &user.api_key)));
    let own = client.get("/users/me", &[]).ok();
    assert_eq!(
        (&own["delivery_email"], &own["email"]),
        (&json!(new), &json!(new))
    );
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
}

#[test]
fn a_new_password_needs_the_old_one() {
    let old = "correct horse 1";
    let user = server().user_with("member", &["--password", old]);
    let login = |password: &str| {
        let pairs = [("username", user.email.as_str()), ("password", password)];
        server().anonymous().post("/fetch_api_key", &pairs)
    };
    let new = "battery staple 2";
    for pairs in [
        vec![("new_password", new)],
        vec![("new_password", new), ("old_password", "wrong")],
        vec![("new_password", "short"), ("old_password", old)],
        vec![
            ("new_password", new),
            ("old_password", "wrong"),
            ("enter_sends", "true"),
        ],
    ] {
        user.patch(PATH, &pairs).bad_request();
    }
    let long = "x".repeat(101);
    user.patch(PATH, &[("new_password", &long), ("old_password", old)])
        .bad_request();
    assert_eq!(settings(&user)["enter_sends"], false);
    login(old).ok();
    user.patch(PATH, &[("new_password", new), ("old_password", old)])
        .ok();
    login(new).ok();
    login(old).error(401, "AUTHENTICATION_FAILED");
    // An account without a password needs no old one.
    let pairs = [("new_password", new), ("old_password", "")];
    server().user("member").patch(PATH, &pairs).bad_request();
}

/// Wrong old passwords count like failed sign-ins, and together with them; other refused requests
/// do not count.
#[test]
fn guesses_of_the_old_password_are_limited() {
    let old = "correct horse 1";
    let with_password = || server().user_with("member", &["--password", old]);
    let (user, other) = (with_password(), with_password());
    let guess = |user: &User, guess: &str, new: &str| {
        user.patch(PATH, &[("new_password", new), ("old_password", guess)])
    };
    let new = "battery staple 2";
    for _ in 0..6 {
        guess(&user, old, "short").bad_request();
        // The old password is not checked without a new one, nor without an API key.
        user.patch(PATH, &[("old_password", "wrong")]).ok();
        let wrong_key =
            spindle_tests::Client::new(server().base_url(), Some((&user.email, &other.api_key)));
        let pairs = [("new_password", new), ("old_password", "wrong")];
        wrong_key.patch(PATH, &pairs).error(401, "UNAUTHORIZED");
    }
    for _ in 0..4 {
        guess(&user, "wrong", new).bad_request();
    }
    // The method may be given in the form.
    let pairs = [
        ("method", "PATCH"),
        ("new_password", new),
        ("old_password", "wrong"),
    ];
    let call = spindle_tests::Call::new("POST", PATH).form(&pairs);
    user.send(call.undocumented()).bad_request();
    let body = guess(&user, old, new).error(429, "RATE_LIMIT_HIT");
    assert!(body["retry-after"].as_f64().unwrap() > 1700.0);
    let login = [("username", user.email.as_str()), ("password", old)];
    let anonymous = server().anonymous();
    anonymous
        .post("/fetch_api_key", &login)
        .error(429, "RATE_LIMIT_HIT");
    user.patch(PATH, &[("enter_sends", "true")]).ok();
    guess(&other, old, new).ok();
}

/// Users who gain access to the address receive it; users who lose access receive that it is
/// hidden. The API e-mail address then discloses nothing.
#[test]
fn hiding_the_address_hides_it_everywhere() {
    let (user, guest, admin) = (
        logged_in("member"),
        server().user("guest"),
        server().user("administrator"),
    );
    let types = ["realm_user", "user_status"];
    let (mut guests, mut admins) = (Queue::of(&guest, &types), Queue::of(&admin, &types));
    user.patch(PATH, &[("email_address_visibility", "3")]).ok();
    let own = |queue: &mut Queue| -> Vec<Value> {
        let events = of_type(settle(queue), "realm_user").into_iter();
        let persons = events.map(|event| event["person"].clone());
        persons
            .filter(|person| person["user_id"] == user.user_id)
            .collect()
    };
    let id = user.user_id;
    let hidden = format!("user{id}@hidden.invalid");
    let renamed = json!({"user_id": id, "new_email": hidden});
    assert_eq!(
        own(&mut guests),
        [
            json!({"user_id": id, "delivery_email": null}),
            renamed.clone()
        ]
    );
    assert_eq!(own(&mut admins), [renamed]);
    let person = |viewer: &User| {
        let state = section(viewer, "realm_user");
        let list = state["realm_users"].as_array().unwrap().clone();
        list.into_iter()
            .find(|person| person["user_id"] == id)
            .unwrap()
    };
    assert_eq!(person(&guest)["delivery_email"], Value::Null);
    assert_eq!(person(&guest)["email"], hidden.as_str());
    assert_eq!(person(&admin)["delivery_email"], user.email.as_str());
    // Both addresses are accepted for signing in.
    let by_hidden = spindle_tests::Client::new(server().base_url(), Some((&hidden, &user.api_key)));
    by_hidden.get("/users/me", &[]).ok();
    user.patch(PATH, &[("email_address_visibility", "1")]).ok();
    assert_eq!(
        own(&mut guests),
        [
            json!({"user_id": id, "delivery_email": user.email}),
            json!({"user_id": id, "new_email": user.email}),
        ]
    );
    assert_eq!(person(&guest)["email"], user.email.as_str());
}

#[test]
fn the_status_away_follows_the_presence_setting() {
    let (user, other) = (server().user("member"), server().user("member"));
    let mut queue = Queue::of(&other, &["user_status"]);
    user.patch(PATH, &[("presence_enabled", "false")]).ok();
    let path = format!("/users/{}/status", user.id());
    assert_eq!(other.get(&path, &[]).ok()["status"], json!({"away": true}));
    let mut events = settle_with_statuses(&mut queue);
    events.retain(|event| event["user_id"] == user.user_id);
    let events = of_type(events, "user_status");
    let event = json!({"type": "user_status", "user_id": user.user_id, "away": true});
    assert_eq!(events, [event]);
}

/// Settings of the organization that forbid the changes.
#[test]
fn an_organization_can_forbid_changes_of_names_and_addresses() {
    let server = Server::start(spindle_tests::Options::default());
    let (user, admin) = (server.user("member"), server.user("administrator"));
    let settings = r#"{"name_changes_disabled":true,"email_changes_disabled":true}"#;
    server
        .database()
        .execute("UPDATE realms SET settings = ?1", [settings])
        .unwrap();
    user.patch(PATH, &[("full_name", "Another Name")])
        .bad_request();
    user.patch(PATH, &[("email", "else@example.com")])
        .bad_request();
    user.patch(
        PATH,
        &[("full_name", &user.full_name), ("enter_sends", "true")],
    )
    .ok();
    admin.patch(PATH, &[("full_name", "Anne Other")]).ok();
    admin.patch(PATH, &[("email", "other@example.com")]).ok();
}
