//! POST /users/me/status (docs/protocol/presence.md#status,
//! docs/protocol/presence.md#update_status, docs/protocol/traps.md#clearing-a-status).

use serde_json::{Value, json};
use spindle_tests::{Queue, User};

use crate::support::{server, settle_with_statuses};

const PATH: &str = "/users/me/status";

fn status(user: &User) -> Value {
    user.get(&format!("/users/{}/status", user.id()), &[]).ok()["status"].clone()
}

#[test]
fn only_passed_fields_change() {
    let user = server().user("member");
    user.post(PATH, &[("status_text", "one"), ("emoji_name", "car")])
        .ok();
    user.post(PATH, &[("status_text", "two")]).ok();
    assert_eq!(status(&user)["emoji_name"], "car");
    user.post(PATH, &[("emoji_name", "tada")]).ok();
    assert_eq!(status(&user)["status_text"], "two");
    assert_eq!(status(&user)["emoji_code"], "1f389");
    user.post(PATH, &[("away", "true")]).ok();
    assert_eq!(status(&user)["status_text"], "two");
    assert_eq!(status(&user)["away"], true);
}

#[test]
fn the_text_is_trimmed_and_counts_code_points() {
    let user = server().user("member");
    let sixty = "🦀".repeat(60);
    user.post(PATH, &[("status_text", &format!("  {sixty}\n"))])
        .ok();
    assert_eq!(status(&user)["status_text"], sixty.as_str());
    let more = "é".repeat(61);
    user.post(PATH, &[("status_text", &more)]).bad_request();
    assert_eq!(
        status(&user)["status_text"],
        sixty.as_str(),
        "an error changes nothing"
    );
    user.post(PATH, &[("status_text", "   ")]).ok();
    assert_eq!(status(&user), json!({}));
}

#[test]
fn an_empty_text_clears_the_status() {
    let user = server().user("member");
    user.post(PATH, &[("status_text", "x")]).ok();
    user.post(PATH, &[("status_text", "")]).ok();
    assert_eq!(status(&user), json!({}));
}

#[test]
fn an_empty_request_is_an_error() {
    let user = server().user("member");
    user.post(PATH, &[]).bad_request();
    user.post(PATH, &[("unknown", "x")]).bad_request();
}

#[test]
fn code_or_type_without_a_name_is_an_error() {
    let user = server().user("member");
    user.post(PATH, &[("emoji_code", "1f697")]).bad_request();
    user.post(PATH, &[("reaction_type", "unicode_emoji")])
        .bad_request();
    user.post(PATH, &[("status_text", "x"), ("emoji_code", "1f697")])
        .bad_request();
    assert_eq!(status(&user), json!({}));
}

/// The mobile app clears with three empty strings.
#[test]
fn an_empty_name_clears_the_emoji_whatever_the_rest_holds() {
    let user = server().user("member");
    for rest in [
        [("emoji_code", ""), ("reaction_type", "")],
        [("emoji_code", "zzz"), ("reaction_type", "unicode_emoji")],
    ] {
        user.post(PATH, &[("emoji_name", "car")]).ok();
        let mut pairs = vec![("status_text", ""), ("emoji_name", "")];
        pairs.extend(rest);
        user.post(PATH, &pairs).ok();
        assert_eq!(status(&user), json!({}));
    }
    user.post(PATH, &[("emoji_name", "car")]).ok();
    user.post(PATH, &[("emoji_name", "")]).ok();
    assert_eq!(status(&user), json!({}));
}

#[test]
fn a_name_alone_is_looked_up() {
    let user = server().user("member");
    user.post(PATH, &[("emoji_name", "car")]).ok();
    assert_eq!(
        status(&user),
        json!({"emoji_name": "car", "emoji_code": "1f697", "reaction_type": "unicode_emoji"})
    );
    user.post(PATH, &[("emoji_name", "no_such_emoji")])
        .bad_request();
    user.post(PATH, &[("emoji_name", "CAR")]).bad_request();
    user.post(PATH, &[("emoji_name", "zulip")]).ok();
    assert_eq!(status(&user)["emoji_code"], "zulip");
}

#[test]
fn name_code_and_type_must_fit_together() {
    let user = server().user("member");
    for (name, code, kind) in [
        ("car", "1f389", "unicode_emoji"),
        ("car", "ffffff", "unicode_emoji"),
        ("no_such_emoji", "1f697", "unicode_emoji"),
        ("car", "1f697", "realm_emoji"),
        ("car", "1f697", "zulip_extra_emoji"),
        ("car", "1f697", "service_extra_emoji"),
        ("zulip", "1f697", "zulip_extra_emoji"),
        ("car", "1f697", "no_such_type"),
        ("car", "1f697", "\"unicode_emoji\""),
        ("green_tick", "1", "realm_emoji"),
    ] {
        let pairs = [
            ("emoji_name", name),
            ("emoji_code", code),
            ("reaction_type", kind),
        ];
        user.post(PATH, &pairs).bad_request();
    }
    assert_eq!(status(&user), json!({}));
}

/// Both spellings of the extra emoji's type are accepted and returned as sent.
#[test]
fn both_spellings_of_the_extra_emoji_type_are_accepted() {
    let user = server().user("member");
    for kind in ["zulip_extra_emoji", "service_extra_emoji"] {
        let pairs = [
            ("emoji_name", "zulip"),
            ("emoji_code", "zulip"),
            ("reaction_type", kind),
        ];
        user.post(PATH, &pairs).ok();
        assert_eq!(
            status(&user),
            json!({"emoji_name": "zulip", "emoji_code": "zulip", "reaction_type": kind})
        );
    }
}

#[test]
fn any_alias_of_a_code_is_accepted_and_kept() {
    let user = server().user("member");
    for name in ["thumbs_up", "+1"] {
        let pairs = [
            ("emoji_name", name),
            ("emoji_code", "1f44d"),
            ("reaction_type", "unicode_emoji"),
        ];
        user.post(PATH, &pairs).ok();
        assert_eq!(status(&user)["emoji_name"], name);
    }
}

#[test]
fn bots_are_refused() {
    let bot = server().bot();
    bot.post(PATH, &[("status_text", "beep")]).bad_request();
}

/// The event contains the fields of the request and goes to all who can see the user, including the
/// sender; a failing call sends none.
#[test]
fn the_event_contains_the_fields_of_the_request() {
    let user = server().user("member");
    let guest = server().user("guest");
    let mut own = Queue::of(&user, &["user_status", "user_settings"]);
    let mut others = Queue::of(&guest, &["user_status", "user_settings"]);
    user.post(PATH, &[("status_text", "  in a call ")]).ok();
    user.post(PATH, &[("emoji_name", "car")]).ok();
    user.post(PATH, &[("status_text", ""), ("emoji_name", "")])
        .ok();
    user.post(
        PATH,
        &[("emoji_name", "no_such_emoji"), ("status_text", "x")],
    )
    .bad_request();
    user.post(PATH, &[("away", "true")]).ok();
    let expected_statuses = [
        json!({"type": "user_status", "user_id": user.user_id, "status_text": "in a call"}),
        json!({"type": "user_status", "user_id": user.user_id, "emoji_name": "car",
               "emoji_code": "1f697", "reaction_type": "unicode_emoji"}),
        json!({"type": "user_status", "user_id": user.user_id, "status_text": "",
               "emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji"}),
        json!({"type": "user_status", "user_id": user.user_id, "away": true}),
    ];
    for (queue, is_own) in [(&mut own, true), (&mut others, false)] {
        let mut events = settle_with_statuses(queue);
        for event in &mut events {
            event.as_object_mut().unwrap().remove("id");
        }
        let statuses: Vec<&Value> = events
            .iter()
            .filter(|event| event["type"] == "user_status" && event["user_id"] == user.user_id)
            .collect();
        assert_eq!(statuses, expected_statuses.iter().collect::<Vec<_>>());
        let settings: Vec<&Value> = events
            .iter()
            .filter(|event| event["type"] == "user_settings")
            .collect();
        if is_own {
            let expected = json!({"type": "user_settings", "op": "update",
                                  "property": "presence_enabled", "value": false});
            assert_eq!(settings, [&expected]);
        } else {
            assert!(settings.is_empty(), "settings are private: {settings:?}");
        }
    }
}

/// Setting an unchanged value does not change the setting behind `away`.
#[test]
fn register_shows_statuses_that_are_set() {
    let user = server().user("member");
    let quiet = server().user("member");
    user.post(PATH, &[("status_text", "seen"), ("emoji_name", "car")])
        .ok();
    let state = user
        .post("/register", &[("fetch_event_types", "[\"user_status\"]")])
        .ok();
    let table = state["user_status"].as_object().unwrap();
    assert_eq!(
        table[&user.id()],
        json!({"status_text": "seen", "emoji_name": "car", "emoji_code": "1f697",
               "reaction_type": "unicode_emoji"})
    );
    assert!(!table.contains_key(&quiet.id()));
    user.post(PATH, &[("status_text", ""), ("emoji_name", "")])
        .ok();
    let state = user
        .post("/register", &[("fetch_event_types", "[\"user_status\"]")])
        .ok();
    assert!(state["user_status"].get(user.id()).is_none());
}

fn in_an_hour() -> i64 {
    let server = server();
    let now = match server.has_test_clock() {
        true => server.advance(0),
        false => spindle_tests::unix_now(),
    };
    now + 3600
}

#[test]
fn a_status_without_an_end_has_none() {
    let user = server().user("member");
    let end = in_an_hour();
    let text = end.to_string();
    user.post(
        PATH,
        &[("status_text", "lunch"), ("scheduled_end_time", &text)],
    )
    .ok();
    let expected = json!({"status_text": "lunch", "scheduled_end_time": end});
    assert_eq!(status(&user), expected);
    let state = user
        .post("/register", &[("fetch_event_types", "[\"user_status\"]")])
        .ok();
    assert_eq!(state["user_status"][user.id()], expected);
    let mut queue = Queue::of(&user, &["user_status"]);
    // Clients that do not know ends set a status that stays.
    user.post(PATH, &[("emoji_name", "car")]).ok();
    assert!(status(&user).get("scheduled_end_time").is_none());
    user.post(PATH, &[("scheduled_end_time", &text)]).ok();
    assert_eq!(status(&user)["scheduled_end_time"], end);
    user.post(PATH, &[("scheduled_end_time", "null")]).ok();
    assert!(status(&user).get("scheduled_end_time").is_none());
    user.post(PATH, &[("scheduled_end_time", &text)]).ok();
    user.post(PATH, &[("away", "false")]).ok();
    assert_eq!(status(&user)["scheduled_end_time"], end);
    user.post(PATH, &[("status_text", ""), ("emoji_name", "")])
        .ok();
    assert_eq!(status(&user), json!({}));
    let ends: Vec<Value> = settle_with_statuses(&mut queue)
        .into_iter()
        .filter(|event| event["user_id"] == user.user_id)
        .map(|event| {
            event
                .get("scheduled_end_time")
                .cloned()
                .unwrap_or(json!("-"))
        })
        .collect();
    assert_eq!(
        ends,
        [
            json!(null),
            json!(end),
            json!(null),
            json!(end),
            json!("-"),
            json!(null)
        ]
    );
}

#[test]
fn an_end_needs_a_status_and_lies_in_the_future() {
    let user = server().user("member");
    let end = in_an_hour().to_string();
    user.post(PATH, &[("scheduled_end_time", &end)])
        .bad_request();
    let past = (in_an_hour() - 3700).to_string();
    let too_late = "253402300800";
    for wrong in [
        past.as_str(),
        "0",
        "-1",
        too_late,
        "1.5",
        "\"soon\"",
        "true",
        "",
    ] {
        let pairs = [("status_text", "x"), ("scheduled_end_time", wrong)];
        user.post(PATH, &pairs).bad_request();
    }
    let pairs = [("status_text", ""), ("scheduled_end_time", end.as_str())];
    user.post(PATH, &pairs).bad_request();
    assert_eq!(status(&user), json!({}), "an error changes nothing");
}
