//! Presence (docs/protocol/presence.md#forms, docs/protocol/register.md,
//! `presence_history_limit_days`). Tests that depend on time use a server with a clock of its own.

use serde_json::{Value, json};
use spindle_tests::{Call, Options, Queue, Server, User};

use super::without_ids;
use crate::support::{keys, server, settle};

const PATH: &str = "/users/me/presence";

fn report(user: &User, pairs: &[(&str, &str)]) -> Value {
    let pairs = [&[("status", "active")][..], pairs].concat();
    user.post(PATH, &pairs).ok()
}

fn slim(user: &User) -> Value {
    report(user, &[("slim_presence", "true")])
}

#[test]
fn presence_is_returned_in_the_requested_form() {
    let user = server().user("member");
    let answer = report(&user, &[]);
    let own = &answer["presences"][&user.email];
    assert_eq!(keys(own), ["aggregated", "website"]);
    assert_eq!(own["aggregated"]["status"], "active");
    assert_eq!(own["website"]["pushable"], false);
    assert!(answer["server_timestamp"].is_f64());
    let answer = slim(&user);
    let own = &answer["presences"][user.id()];
    assert_eq!(keys(own), ["active_timestamp", "idle_timestamp"]);
    assert_eq!(own["active_timestamp"], own["idle_timestamp"]);
    let last = answer["presence_last_update_id"].as_i64().unwrap();
    assert!(last > 0);
    // Known presences are not returned again; the modern form is implied.
    let answer = report(&user, &[("last_update_id", &last.to_string())]);
    assert!(answer["presences"].get(user.id()).is_none());
    assert!(answer["presences"].get(&user.email).is_none());
    let answer = report(&user, &[("last_update_id", "-1")]);
    assert!(answer["presences"].get(user.id()).is_some());
}

#[test]
fn a_ping_returns_no_presences() {
    let user = server().user("guest");
    let answer = report(&user, &[("ping_only", "true"), ("new_user_input", "false")]);
    assert_eq!(keys(&answer), ["msg", "result"]);
    assert!(slim(&user)["presences"].get(user.id()).is_some());
}

#[test]
fn wrong_parameters_are_refused() {
    let user = server().user("member");
    let error = user.post(PATH, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "status");
    for wrong in [
        ("status", "asleep"),
        ("status", "\"active\""),
        ("ping_only", "1"),
        ("new_user_input", "x"),
        ("slim_presence", "yes"),
        ("last_update_id", "\"5\""),
        ("history_limit_days", "-1"),
    ] {
        user.post(PATH, &[("status", "active"), wrong])
            .bad_request();
    }
    server()
        .bot()
        .post(PATH, &[("status", "active")])
        .bad_request();
    assert!(
        slim(&server().user("member"))["presences"]
            .get(user.id())
            .is_none()
    );
}

#[test]
fn the_presence_of_a_user_is_read_by_id_or_address() {
    let (user, other) = (server().user("member"), server().user("guest"));
    let path = |name: &str| format!("/users/{name}/presence");
    other.get(&path(&user.id()), &[]).bad_request();
    report(&user, &[]);
    for name in [user.id(), user.email.clone()] {
        let presence = other.get(&path(&name), &[]).ok()["presence"].clone();
        assert_eq!(presence["aggregated"], presence["website"]);
        assert_eq!(presence["website"]["status"], "active");
        let active = &presence["active_timestamp"];
        assert!(active.is_i64() && *active == presence["website"]["timestamp"]);
        assert!(presence["idle_timestamp"].is_i64());
    }
    let bot = server().bot();
    for name in [
        bot.id(),
        bot.email.clone(),
        "999999999".into(),
        "no@x.y".into(),
    ] {
        user.get(&path(&name), &[]).bad_request();
    }
    server().admin(&["user", "deactivate", "--email", &user.email]);
    other.get(&path(&user.id()), &[]).bad_request();
    assert!(
        slim(&server().user("member"))["presences"]
            .get(user.id())
            .is_none()
    );
}

#[test]
fn the_presence_of_the_organization_has_the_legacy_form() {
    let (user, bot) = (server().user("member"), server().bot());
    report(&user, &[("ping_only", "true")]);
    let answer = bot.get("/realm/presence", &[]).ok();
    assert_eq!(
        answer["presences"][&user.email]["website"]["status"],
        "active"
    );
    assert_eq!(
        answer["presences"][&user.email]["website"]["client"],
        "website"
    );
}

#[test]
fn the_snapshot_has_both_forms() {
    let user = server().user("member");
    report(&user, &[("ping_only", "true")]);
    let register = |pairs: &[(&str, &str)]| {
        let pairs = [
            &[
                ("fetch_event_types", "[\"presence\"]"),
                ("event_types", "[]"),
            ][..],
            pairs,
        ]
        .concat();
        user.post("/register", &pairs).ok()
    };
    let legacy = register(&[]);
    assert_eq!(
        legacy["presences"][&user.email]["aggregated"]["status"],
        "active"
    );
    assert!(legacy["server_timestamp"].is_f64());
    let simplified = r#"{"simplified_presence_events": true}"#;
    for pairs in [
        [("slim_presence", "true")],
        [("client_capabilities", simplified)],
    ] {
        let modern = register(&pairs);
        assert!(modern["presences"][user.id()]["active_timestamp"].is_i64());
        let last = modern["presence_last_update_id"].to_string();
        let answer = report(&user, &[("last_update_id", &last)]);
        assert!(answer["presences"].get(user.id()).is_none());
    }
    register(&[("presence_history_limit_days", "0")]);
    user.post("/register", &[("presence_history_limit_days", "-1")])
        .bad_request();
}

/// Both ways to switch it off: the setting, and the older parameter of the status.
#[test]
fn users_who_switch_presence_off_appear_offline() {
    let off: [fn(&User); 2] = [
        |user| {
            drop(
                user.patch("/settings", &[("presence_enabled", "false")])
                    .ok(),
            )
        },
        |user| drop(user.post("/users/me/status", &[("away", "true")]).ok()),
    ];
    for off in off {
        let (user, other) = (server().user("member"), server().user("member"));
        report(&user, &[]);
        let before = slim(&other);
        assert!(before["presences"][user.id()].is_object());
        off(&user);
        let never = json!({"active_timestamp": 0, "idle_timestamp": 0});
        for _ in 0..2 {
            assert!(slim(&other)["presences"].get(user.id()).is_none());
            assert!(report(&other, &[])["presences"].get(&user.email).is_none());
            let path = format!("/users/{}/presence", user.id());
            other.get(&path, &[]).bad_request();
            let all = other.get("/realm/presence", &[]).ok();
            assert!(all["presences"].get(&user.email).is_none());
            let fetch = [("fetch_event_types", "[\"presence\"]")];
            let snapshot = other.post("/register", &fetch).ok();
            assert!(snapshot["presences"].get(&user.email).is_none());
            // Clients that know an older presence receive that it has ended.
            let last = before["presence_last_update_id"].to_string();
            let newer = report(&other, &[("last_update_id", &last)]);
            assert_eq!(newer["presences"][user.id()], never);
            // Reports of clients that are still open change nothing.
            report(&user, &[]);
        }
        user.patch("/settings", &[("presence_enabled", "true")])
            .ok();
        report(&user, &[]);
        assert!(slim(&other)["presences"][user.id()].is_object());
    }
}

/// A server of its own, because presence events are sent in small organizations only.
#[test]
fn switching_presence_off_is_broadcast_at_once() {
    let server = Server::own(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    report(&user, &[]);
    let capability = r#"{"simplified_presence_events": true}"#;
    let types = ("event_types", "[\"presence\"]");
    let mut legacy = Queue::open(&other, &[types]);
    let mut modern = Queue::open(&other, &[types, ("client_capabilities", capability)]);
    user.patch("/settings", &[("presence_enabled", "false")])
        .ok();
    let of_user = |event: &Value| event["user_id"] == user.user_id;
    let events = legacy.until(of_user);
    let website = &events.last().unwrap()["presence"]["website"];
    assert_eq!(website["status"], "idle");
    // Offline, by the clocks of all clients.
    let ago = |time: &Value| spindle_tests::unix_now() - time.as_i64().unwrap();
    assert!(
        (300..400).contains(&ago(&website["timestamp"])),
        "{website}"
    );
    let times = |events: Vec<Value>| events.last().unwrap()["presences"][user.id()].clone();
    let of_user_modern = |event: &Value| event["presences"].get(user.id()).is_some();
    let gone = times(modern.until(of_user_modern));
    assert_eq!(gone["active_timestamp"], 0);
    assert!((300..400).contains(&ago(&gone["idle_timestamp"])), "{gone}");
    // Each way to switch it on and off sends the event, also when nothing was reported before.
    let switches: [(&str, &[(&str, &str)]); 4] = [
        ("/settings", &[("presence_enabled", "true")]),
        ("/users/me/status", &[("away", "true")]),
        ("/users/me/status", &[("away", "false")]),
        ("/settings", &[("presence_enabled", "false")]),
    ];
    for (number, (path, pairs)) in switches.into_iter().enumerate() {
        let method = if path == "/settings" { "PATCH" } else { "POST" };
        user.send(Call::new(method, path).form(pairs)).ok();
        let is_on = number % 2 == 0;
        let website = legacy.until(of_user).last().unwrap()["presence"]["website"].clone();
        assert_eq!(website["status"], if is_on { "active" } else { "idle" });
        let times = times(modern.until(of_user_modern));
        assert_eq!(ago(&times["active_timestamp"]) < 100, is_on, "{times}");
        let path = format!("/users/{}/presence", user.id());
        assert_eq!(other.get(&path, &[]).status, if is_on { 200 } else { 400 });
    }
}

/// A server of its own: the clock moves, and presence events are sent in small organizations only.
#[test]
fn a_new_presence_is_broadcast_in_every_form() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("guest"));
    let queue = |pairs: &[(&str, &str)]| {
        let pairs = [
            &[
                ("event_types", "[\"presence\"]"),
                ("fetch_event_types", "[]"),
            ][..],
            pairs,
        ]
        .concat();
        Queue::open(&other, &pairs)
    };
    let mut legacy = queue(&[]);
    let mut slim_queue = queue(&[("slim_presence", "true")]);
    let capability = r#"{"simplified_presence_events": true}"#;
    let mut modern = queue(&[("client_capabilities", capability)]);
    report(&user, &[("ping_only", "true")]);
    // Still active: no event.
    let mut now = server.advance(100);
    user.post(PATH, &[("status", "idle"), ("ping_only", "true")])
        .ok();
    now = server.advance(150).max(now);
    report(&user, &[("ping_only", "true")]);
    now = server.advance(201).max(now);
    user.post(PATH, &[("status", "idle"), ("ping_only", "true")])
        .ok();
    let of = |queue: &mut Queue| {
        let events = queue.until(|event| {
            event["presence"]["website"]["status"] == "idle"
                || event["presences"][user.id()]["idle_timestamp"].as_i64() >= Some(now)
        });
        without_ids(events)
    };
    let events = of(&mut legacy);
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(
        keys(&events[0]),
        ["email", "presence", "server_timestamp", "type", "user_id"]
    );
    assert_eq!(events[0]["presence"]["website"]["status"], "active");
    assert_eq!(events[1]["presence"]["website"]["status"], "idle");
    let events = of(&mut slim_queue);
    assert!(events[0].get("email").is_none());
    assert_eq!(events[0]["user_id"], user.user_id);
    let events = of(&mut modern);
    assert_eq!(keys(&events[0]), ["presences", "type"]);
    let times = &events[1]["presences"][user.id()];
    assert!(times["active_timestamp"].as_i64() < times["idle_timestamp"].as_i64());
    // Old ones are left out on request.
    server.advance(3 * 86_400);
    let asked = |days: &str| {
        let pairs = [("slim_presence", "true"), ("history_limit_days", days)];
        report(&other, &pairs)["presences"].get(user.id()).is_some()
    };
    assert!(asked("4") && !asked("2"));
    server.advance(12 * 86_400);
    assert!(!asked("14") && asked("16"));
    assert_eq!(
        slim(&other)["presences"].get(user.id()),
        None,
        "14 days unless asked for otherwise"
    );
}

/// Reports without news are not stored, so that they cause no events.
#[test]
fn a_repeated_report_changes_nothing() {
    let (user, other) = (server().user("member"), server().user("member"));
    report(&user, &[("ping_only", "true")]);
    let last = slim(&other)["presence_last_update_id"].to_string();
    let mut queue = Queue::of(&other, &["presence", "user_status"]);
    report(&user, &[("ping_only", "true")]);
    let answer = report(&other, &[("last_update_id", &last)]);
    assert!(answer["presences"].get(user.id()).is_none());
    let own = settle(&mut queue)
        .into_iter()
        .filter(|event| event["user_id"] == user.user_id);
    assert_eq!(own.collect::<Vec<_>>(), Vec::<Value>::new());
    assert_eq!(json!(answer["presences"]).get(other.id()), None);
}

/// Of POST /register (docs/protocol/register.md#parameters, docs/protocol/limits.md,
/// `presence_history_limit_days`).
#[test]
fn a_snapshot_has_presences_of_the_requested_period() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    report(&user, &[("ping_only", "true")]);
    let seen = |days: &[(&str, &str)]| {
        let pairs = [
            ("event_types", "[]"),
            ("fetch_event_types", "[\"presence\"]"),
            ("slim_presence", "true"),
        ];
        let state = other.post("/register", &[&pairs[..], days].concat()).ok();
        state["presences"].get(user.id()).is_some()
    };
    let days = |number: &'static str| [("presence_history_limit_days", number)];
    server.advance(3 * 86_400);
    assert!(seen(&days("4")) && !seen(&days("2")));
    server.advance(10 * 86_400);
    assert!(seen(&[]), "less than 14 days");
    server.advance(2 * 86_400);
    assert!(!seen(&[]), "14 days unless asked for otherwise");
    assert!(!seen(&days("14")) && seen(&days("16")));
}
