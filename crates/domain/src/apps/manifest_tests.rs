//! Unit tests of manifests.

use super::*;
use serde_json::json;

fn whole() -> Value {
    json!({
        "name": "git-hub", "title": "Git", "description": "", "version": "1.0",
        "events": ["command", "answer"],
        "commands": [{"name": "git", "description": "Subscribes"}],
        "hosts": ["api.example.com", "localhost:8080"], "channels": "all",
        "settings": [
            {"name": "limit", "label": "Limit", "kind": "number", "default": "5"},
            {"name": "room", "label": "Room", "kind": "channel"}
        ],
        "secrets": [{"name": "token", "label": "Token", "host": "api.example.com"}]
    })
}

fn parse(value: &Value) -> Result<Manifest, String> {
    Manifest::parse(value.to_string().as_bytes()).map_err(|error| error.0)
}

#[test]
fn a_manifest_is_what_its_json_says() {
    let manifest = parse(&whole()).unwrap();
    assert_eq!(serde_json::to_value(&manifest).unwrap()["channels"], "all");
    assert_eq!(
        parse(&serde_json::to_value(&manifest).unwrap()),
        Ok(manifest)
    );
    let least = parse(&json!({"name": "a", "title": "A", "version": "1"})).unwrap();
    assert_eq!(least.channels, Channels::Chosen);
}

#[test]
fn each_wrong_field_is_refused() {
    let long = "x".repeat(501);
    for (field, value, problem) in [
        ("name", json!("Git"), "small letter"),
        ("name", json!("a".repeat(31)), "small letter"),
        ("title", json!(" "), "title is empty"),
        ("title", json!("a\u{7}"), "control"),
        ("description", json!(long), "longer than 500"),
        ("version", json!(""), "version is empty"),
        ("events", json!(["answer", "answer"]), "different"),
        ("events", json!(["answer"]), "command"),
        ("events", json!(["answer", "spam"]), "spam"),
        ("commands", json!([]), "command"),
        (
            "commands",
            json!([{"name": "poll", "description": "x"}]),
            "reserved",
        ),
        (
            "commands",
            json!([{"name": "a b", "description": "x"}]),
            "small letter",
        ),
        (
            "hosts",
            json!(["https://api.example.com"]),
            "not the name of a host",
        ),
        ("hosts", json!(["a..b"]), "not the name of a host"),
        ("hosts", json!(["a:0"]), "not the name of a host"),
        ("hosts", json!(["other.example"]), "not among the hosts"),
        ("hosts", json!(["*"]), "not among the hosts"),
        ("hosts", json!(["*.example.com"]), "not the name of a host"),
        (
            "secrets",
            json!([{"name": "token", "label": "Token", "host": "*"}]),
            "must be named",
        ),
        (
            "settings",
            json!([{"name": "a", "label": "A", "kind": "switch", "default": "yes"}]),
            "true or false",
        ),
        (
            "settings",
            json!([{"name": "", "label": "A", "kind": "text"}]),
            "1 to 60",
        ),
        ("extra", json!(1), "unknown field"),
    ] {
        let mut manifest = whole();
        manifest[field] = value.clone();
        let answer = parse(&manifest).unwrap_err();
        assert!(answer.contains(problem), "{field} {value}: {answer}");
    }
    let long = Manifest::parse(&vec![b' '; MANIFEST_BYTES + 1]).unwrap_err();
    assert!(long.0.contains("longer"));
}

#[test]
fn a_manifest_may_ask_for_any_host() {
    let mut manifest = whole();
    manifest["hosts"] = json!(["*", "api.example.com"]);
    assert!(parse(&manifest).is_ok());
}

#[test]
fn settings_have_defaults_and_texts() {
    let manifest = parse(&whole()).unwrap();
    let [limit, room] = &manifest.settings[..] else {
        panic!("two settings");
    };
    assert_eq!(limit.text_of(&json!(7)), Ok("7".to_owned()));
    assert!(limit.text_of(&json!("many")).is_err());
    assert!(limit.text_of(&json!([])).is_err());
    assert!(room.check("-1").is_err() && room.check("12").is_ok());
    let entry = |key: &str, value: &str| Entry {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    assert_eq!(manifest.setting_entries(&[]), [entry("limit", "5")]);
    let entered = [entry("room", "3"), entry("limit", "9"), entry("gone", "1")];
    assert_eq!(
        manifest.setting_entries(&entered),
        [entry("limit", "9"), entry("room", "3")]
    );
}
