//! Files served in addition to the operations: the OpenAPI document, the emoji table, avatars.

use serde_json::Value;

use crate::support::server;

fn fetch(url: &str) -> (u16, String, Vec<u8>) {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build();
    let agent: ureq::Agent = config.into();
    let mut answer = agent.get(url).call().expect("an answer");
    let content_type = answer
        .headers()
        .get("content-type")
        .map(|value| value.to_str().unwrap_or("").to_owned())
        .unwrap_or_default();
    let bytes = answer.body_mut().read_to_vec().expect("a body");
    (answer.status().as_u16(), content_type, bytes)
}

/// An absolute URL unchanged, a relative one from the server's root.
fn absolute(url: &str) -> String {
    if url.starts_with("http") {
        url.to_owned()
    } else {
        format!("{}/{}", server().base_url(), url.trim_start_matches('/'))
    }
}

#[test]
fn the_document_of_this_build_is_served() {
    let (status, content_type, bytes) = fetch(&absolute("/api/v1/openapi.json"));
    assert_eq!(status, 200);
    assert!(
        content_type.starts_with("application/json"),
        "{content_type}"
    );
    let served: Value = serde_json::from_slice(&bytes).expect("JSON");
    let published: Value = serde_json::from_str(spindle_openapi::PUBLISHED).expect("JSON");
    assert_eq!(served, published);
    assert!(served["openapi"].as_str().unwrap().starts_with("3.1"));
}

/// The table from which clients draw reactions and statuses: each of its names is accepted as a
/// status, with the code in the table.
#[test]
fn the_emoji_table_agrees_with_the_status_operation() {
    let user = server().user("member");
    let state = user
        .post("/register", &[("fetch_event_types", "[\"realm\"]")])
        .ok();
    let url = absolute(state["server_emoji_data_url"].as_str().unwrap());
    let (status, content_type, bytes) = fetch(&url);
    assert_eq!(status, 200, "{url}");
    assert!(
        content_type.starts_with("application/json"),
        "{content_type}"
    );
    let table: Value = serde_json::from_slice(&bytes).expect("JSON");
    let names = table["code_to_names"].as_object().expect("code_to_names");
    assert!(names.len() > 1000, "{} emoji", names.len());
    for (code, aliases) in names.iter().step_by(211) {
        for name in aliases.as_array().expect("names") {
            let pairs = [
                ("emoji_name", name.as_str().unwrap()),
                ("emoji_code", code.as_str()),
                ("reaction_type", "unicode_emoji"),
            ];
            user.post("/users/me/status", &pairs).ok();
        }
    }
    assert_eq!(names["1f642"].as_array().unwrap()[0], "slight_smile");
    assert_eq!(names["1f604"].as_array().unwrap()[0], "smile");
}

#[test]
fn the_own_avatar_can_be_fetched() {
    let user = server().user("member");
    let own = user.get("/users/me", &[]).ok();
    let url = absolute(own["avatar_url"].as_str().expect("never null here"));
    if url.starts_with(server().base_url()) {
        let (status, content_type, bytes) = fetch(&url);
        assert_eq!(status, 200, "{url}");
        assert!(content_type.starts_with("image/"), "{content_type}");
        assert!(!bytes.is_empty());
    } else {
        assert!(url.starts_with("https://"), "{url}");
    }
}

/// Images in messages that no user has uploaded.
#[test]
fn built_in_images_in_messages_are_served() {
    let emoji = "/static/generated/emoji/images/emoji/unicode/zulip.png";
    let (status, content_type, bytes) = fetch(&absolute(emoji));
    assert_eq!((status, content_type.as_str()), (200, "image/png"));
    assert_eq!(spindle_tests::images::png_size(&bytes), (64, 64));
    let spinner = "/static/images/loading/loader-black.svg";
    let (status, content_type, bytes) = fetch(&absolute(spinner));
    assert_eq!((status, content_type.as_str()), (200, "image/svg+xml"));
    assert!(bytes.starts_with(b"<svg"));
    for path in [
        "/static/images/loading/other.svg",
        "/static/generated/emoji/images/emoji/unicode/1f44d.png",
    ] {
        let (status, content_type, _) = fetch(&absolute(path));
        assert_eq!(
            (status, content_type.as_str()),
            (404, "application/json"),
            "{path}"
        );
    }
}
