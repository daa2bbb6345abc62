//! Machine-readable logs: the access log, and durations as numbers.

use serde_json::Value;
use spindle_tests::{Call, Options, Server, until};

/// The log once it has `count` lines that contain these words.
#[track_caller]
pub fn until_logged(server: &Server, words: &str, count: usize) -> String {
    until(&format!("{words} is logged {count} times"), || {
        let log = server.log();
        let found = log.lines().filter(|line| line.contains(words)).count();
        (found >= count).then_some(log)
    })
}

/// Lines of JSON; lines for people are left out.
fn lines(log: &str) -> Vec<Value> {
    log.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// No field is a duration in words such as `1.5ms`.
#[track_caller]
pub fn without_durations_as_text(log: &str) {
    let lines = lines(log);
    assert!(!lines.is_empty());
    for line in &lines {
        for (name, value) in line.as_object().expect("an object") {
            let text = value.as_str().unwrap_or_default();
            let unit = text.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
            let is_duration = unit.len() < text.len() && ["ns", "µs", "ms", "s"].contains(&unit);
            assert!(!is_duration, "{name} is {text}: {line}");
        }
    }
    // A library migrates a new database, and its log lines name its source.
    assert!(
        log.contains("Database migrated") && !log.contains("/registry/src/"),
        "{log}"
    );
    let loaded = lines
        .iter()
        .find(|line| line["message"] == "application loaded");
    let loaded = loaded.expect("the line of a start");
    assert!(loaded["duration_ms"].is_number(), "{loaded}");
}

#[test]
fn the_access_log_has_a_line_for_each_request_and_no_secrets() {
    // The access log has a switch of its own, so the level does not matter.
    let extra = [
        ["--access-log", "true"],
        ["--log-format", "json"],
        ["--log-level", "warn"],
    ];
    let server = Server::spawn(Options {
        extra: extra.concat().into_iter().map(str::to_owned).collect(),
        ..Options::default()
    });
    let user = server.user("member");
    let ask = |call: Call| user.try_send(&call).expect("an answer");
    let marker = "verysecretword";
    ask(Call::new("GET", "/users/me").query(&[("password", marker)]));
    ask(Call::new("GET", &format!("/users/{}", user.email)));
    ask(Call::new("GET", &format!("/users/{}", user.user_id)));
    ask(Call::new("GET", &format!("/{marker}")));
    ask(Call::new("GET", &format!("/join/{marker}")).at_root());
    ask(Call::new("GET", &format!("/user_uploads/2/{marker}/{marker}")).at_root());

    // A webhook shows bot and integration, so that an operator finds the one that floods.
    let hook = [
        ("full_name", "Hook"),
        ("short_name", "hook"),
        ("bot_type", "2"),
    ];
    let bot = user.post("/bots", &hook).ok();
    let key = bot["api_key"].as_str().expect("a key");
    let call = Call::new("POST", "/external/json").query(&[("api_key", key), ("topic", marker)]);
    server
        .anonymous()
        .send(call.raw(Some("application/json"), b"{}"));

    let log = until_logged(&server, "\"target\":\"access\"", 8);
    assert!(!log.contains(key), "{log}");
    assert!(!log.contains(marker), "{log}");
    assert!(!log.contains(&user.email), "{log}");
    assert!(!log.contains(&user.api_key), "{log}");
    let all = lines(&log);
    let line = |path: &str| {
        let found = all.iter().find(|line| line["path"] == path);
        found.unwrap_or_else(|| panic!("{path} in {log}"))
    };
    let own = line("/api/v1/users/me");
    assert_eq!(own["method"], "GET");
    assert_eq!(own["status"], 200);
    assert_eq!(own["client"], "127.0.0.1");
    assert_eq!(own["operation"], "get-own-user");
    assert_eq!(own["component"], "users");
    assert_eq!(own["user_id"], user.user_id);
    assert!(
        own["duration_ms"].is_f64() && own["bytes"].is_u64(),
        "{own}"
    );
    assert!(own["request_id"].as_str().is_some_and(|id| id.len() > 8));
    let other = line(&format!("/api/v1/users/{}", user.user_id));
    assert_eq!(other["operation"], "get-user");
    assert_eq!(line("-")["status"], 404);
    let hook = line("/api/v1/external/json");
    assert_eq!(hook["operation"], "receive-webhook");
    assert_eq!(hook["user_id"], bot["user_id"]);
}
