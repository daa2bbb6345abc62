//! Conventions of every operation: where parameters may stand, how they are typed, which are
//! reported as ignored, and the errors of routing and authentication (docs/protocol/conventions.md,
//! docs/protocol/clients.md#transport).

use spindle_tests::{Call, Client, client::basic, raw};

use crate::support::server;

const STATUS: &str = "/users/me/status";

fn status_of(user: &spindle_tests::User) -> serde_json::Value {
    user.get(&format!("/users/{}/status", user.id()), &[]).ok()["status"].clone()
}

#[test]
fn parameters_are_accepted_in_query_form_and_multipart_on_every_method() {
    let user = server().user("member");
    let text = [("status_text", "by form")];
    user.send(Call::new("POST", STATUS).form(&text)).ok();
    assert_eq!(status_of(&user)["status_text"], "by form");
    let text = [("status_text", "by multipart")];
    user.send(Call::new("POST", STATUS).multipart(&text)).ok();
    assert_eq!(status_of(&user)["status_text"], "by multipart");
    let text = [("status_text", "by query")];
    user.send(Call::new("POST", STATUS).query(&text)).ok();
    assert_eq!(status_of(&user)["status_text"], "by query");

    for place in ["query", "form", "multipart"] {
        let queue = spindle_tests::Queue::of(&user, &["message"]);
        let pairs = [("queue_id", queue.queue_id.as_str())];
        let call = Call::new("DELETE", "/events");
        let call = match place {
            "query" => call.query(&pairs),
            "form" => call.form(&pairs),
            _ => call.multipart(&pairs),
        };
        user.send(call).ok();
    }
}

#[test]
fn the_body_wins_over_the_query_and_the_last_of_a_name_wins() {
    let user = server().user("member");
    let call = Call::new("POST", STATUS)
        .query(&[("status_text", "query")])
        .form(&[("status_text", "body")]);
    user.send(call).ok();
    assert_eq!(status_of(&user)["status_text"], "body");
    user.post(STATUS, &[("status_text", "first"), ("status_text", "last")])
        .ok();
    assert_eq!(status_of(&user)["status_text"], "last");
}

#[test]
fn unicode_and_reserved_characters_arrive_as_they_were_sent() {
    let user = server().user("member");
    let text = "a+b&c=d %41 é 漢字 🦀 \"q\"";
    for call in [
        Call::new("POST", STATUS).form(&[("status_text", text)]),
        Call::new("POST", STATUS).multipart(&[("status_text", text)]),
        Call::new("POST", STATUS).query(&[("status_text", text)]),
    ] {
        user.post(STATUS, &[("status_text", "between")]).ok();
        user.send(call).ok();
        assert_eq!(status_of(&user)["status_text"], text);
    }
}

#[test]
fn unknown_parameters_are_listed_sorted_and_once() {
    let user = server().user("member");
    let reply = user.send(
        Call::new("POST", STATUS)
            .query(&[("zeta", "1"), ("alpha", "2")])
            .form(&[("status_text", "x"), ("zeta", "3"), ("mid", "")]),
    );
    assert_eq!(reply.ignored(), ["alpha", "mid", "zeta"]);
    let reply = user.get("/users/me", &[("dont_block", "true")]);
    assert_eq!(reply.ignored(), ["dont_block"]);
    let reply = user.post(STATUS, &[("status_text", "y")]);
    assert!(reply.body.get("ignored_parameters_unsupported").is_none());
}

/// Clients repeat path parameters in the body; that is no error.
#[test]
fn path_parameters_may_be_repeated() {
    let user = server().user("member");
    let path = format!("/users/{}/status", user.id());
    user.get(&path, &[("user_id", &user.id())]).ok();
}

/// A client sends POST /register as JSON with an empty object: the body is ignored.
#[test]
fn a_json_body_is_ignored() {
    let user = server().user("member");
    let call = Call::new("POST", "/register").raw(Some("application/json"), b"{}");
    user.send(call).ok();
    let call = Call::new("POST", STATUS)
        .query(&[("status_text", "from the query")])
        .raw(Some("application/json"), br#"{"status_text": "from JSON"}"#);
    user.send(call).ok();
    assert_eq!(status_of(&user)["status_text"], "from the query");
}

#[test]
fn a_get_with_a_form_content_type_and_no_body_is_fine() {
    let user = server().user("member");
    let call =
        Call::new("GET", "/users/me").header("Content-Type", "application/x-www-form-urlencoded");
    user.send(call).ok();
}

#[test]
fn a_post_without_body_and_content_type_is_fine() {
    let user = server().user("member");
    user.send(Call::new("POST", "/register")).ok();
}

#[test]
fn booleans_and_integers_are_strict() {
    let user = server().user("member");
    for wrong in ["True", "1", "yes", "\"true\"", "null!", ""] {
        let error = user
            .post("/register", &[("apply_markdown", wrong)])
            .bad_request();
        assert!(
            error["msg"].as_str().unwrap().contains("apply_markdown"),
            "{wrong}: {error}"
        );
    }
    let queue = spindle_tests::Queue::of(&user, &["message"]);
    for wrong in [
        "5.0",
        "\"5\"",
        "true",
        "-1.0",
        "x",
        "",
        "99999999999999999999",
    ] {
        let pairs = [
            ("queue_id", queue.queue_id.as_str()),
            ("last_event_id", wrong),
        ];
        let error = user.get("/events", &pairs).bad_request();
        assert!(
            error["msg"].as_str().unwrap().contains("last_event_id"),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn lists_are_json_text_and_the_error_names_the_element() {
    let user = server().user("member");
    for wrong in [
        "message",
        "[message]",
        "{",
        "{\"a\":1}",
        "[1]",
        "[\"message\", 2]",
    ] {
        let error = user
            .post("/register", &[("event_types", wrong)])
            .bad_request();
        assert!(
            error["msg"].as_str().unwrap().contains("event_types"),
            "{wrong}: {error}"
        );
    }
    let error = user
        .post("/register", &[("event_types", "[\"message\", 2]")])
        .bad_request();
    assert!(
        error["msg"].as_str().unwrap().contains("event_types[1]"),
        "{error}"
    );
}

#[test]
fn a_missing_parameter_is_named() {
    let user = server().user("member");
    let error = user
        .delete("/events", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "queue_id");
}

#[test]
fn enumerated_strings_travel_bare() {
    let user = server().user("member");
    user.post("/register", &[("include_subscribers", "partial")])
        .ok();
    user.post("/register", &[("include_subscribers", "\"partial\"")])
        .bad_request();
    user.post("/register", &[("include_subscribers", "False")])
        .bad_request();
}

#[test]
fn unknown_routes_are_404_json() {
    let user = server().user("member");
    for path in [
        "/no_such_thing",
        "/users/abc/status",
        "/users/-1/status",
        "/messages/x",
        "/users/1e3/status",
    ] {
        for client in [&user.client, &server().anonymous()] {
            let reply = client.send(Call::new("GET", path).undocumented());
            reply.error(404, "BAD_REQUEST");
        }
    }
}

#[test]
fn wrong_methods_are_405_with_the_allowed_ones() {
    let user = server().user("member");
    for (method, path, allowed) in [
        ("PUT", "/users/me", "GET"),
        ("DELETE", "/server_settings", "GET"),
        ("GET", "/users/me/status", "POST"),
        ("PATCH", "/register", "POST"),
        ("POST", "/events", "DELETE"),
    ] {
        let reply = user.send(Call::new(method, path).undocumented());
        let header = reply.header("allow").unwrap_or("").to_owned();
        let body = reply.error(405, "BAD_REQUEST");
        let methods: Vec<&str> = body["allowed_methods"]
            .as_array()
            .expect("allowed_methods")
            .iter()
            .map(|method| method.as_str().expect("a verb"))
            .collect();
        assert!(methods.contains(&allowed), "{path}: {methods:?}");
        assert!(!methods.contains(&method), "{path}: {methods:?}");
        for name in &methods {
            assert!(
                header.contains(name),
                "{path}: Allow: {header:?}, {methods:?}"
            );
        }
    }
}

#[test]
fn options_is_answered_with_the_methods() {
    let reply = raw::exchange(
        server().address(),
        b"OPTIONS /api/v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(reply.status, 204, "{}", reply.text);
    let allow = reply
        .text
        .lines()
        .find_map(|line| {
            line.to_lowercase()
                .strip_prefix("allow:")
                .map(str::to_owned)
        })
        .expect("Allow");
    assert!(allow.contains("get") && allow.contains("delete"), "{allow}");
}

/// Form posts may carry the verb as a parameter.
#[test]
fn method_in_a_post_body_overrides_the_verb() {
    let user = server().user("member");
    let queue = spindle_tests::Queue::of(&user, &["message"]);
    let pairs = [("method", "DELETE"), ("queue_id", queue.queue_id.as_str())];
    // Documented as DELETE; sent as POST.
    let call = Call::new("POST", "/events").form(&pairs);
    let reply = user.try_send(&call).expect("an answer");
    reply.ok();
    queue.fetch(-1, true).error(400, "BAD_EVENT_QUEUE_ID");
}

/// The path is routed as it arrived: an encoded slash separates no segments.
#[test]
fn an_encoded_slash_does_not_separate_segments() {
    let user = server().user("member");
    let call = Call::new("GET", "/users%2Fme").undocumented();
    user.send(call).error(404, "BAD_REQUEST");
}

#[test]
fn authentication_accepts_both_addresses_in_any_case() {
    let user = server().user("member");
    let own = user.get("/users/me", &[]).ok();
    for address in [
        user.email.to_uppercase(),
        own["email"].as_str().unwrap().to_owned(),
        own["delivery_email"].as_str().unwrap().to_owned(),
    ] {
        let client = Client::new(user.base_url(), Some((&address, &user.api_key)));
        assert_eq!(client.get("/users/me", &[]).ok()["user_id"], user.user_id);
    }
    let lower = basic(&user.email, &user.api_key).replacen("Basic", "bAsIc", 1);
    let client = Client::with_authorization(user.base_url(), Some(lower));
    client.get("/users/me", &[]).ok();
}

#[test]
fn bad_credentials_are_401_with_the_header_and_no_details() {
    let user = server().user("member");
    let other = server().user("member");
    let base = user.base_url();
    let short = &user.api_key[..31];
    let flipped: String = user.api_key.chars().rev().collect();
    let cases = [
        Client::new(base, None),
        Client::new(base, Some((&user.email, &other.api_key))),
        Client::new(base, Some((&user.email, &flipped))),
        Client::new(base, Some((&user.email, short))),
        Client::new(base, Some((&user.email, ""))),
        Client::new(base, Some(("", ""))),
        Client::new(base, Some(("nobody@example.com", &user.api_key))),
        Client::with_authorization(base, Some("Basic !!!".to_owned())),
        Client::with_authorization(base, Some("Basic".to_owned())),
        Client::with_authorization(base, Some(String::new())),
        Client::with_authorization(base, Some("Basic bm9jb2xvbg==".to_owned())),
        Client::with_authorization(base, Some("Basic //79/g==".to_owned())),
    ];
    for client in &cases {
        for (method, path) in [
            ("GET", "/users/me"),
            ("POST", "/messages"),
            ("GET", "/events"),
        ] {
            let reply = client.send(Call::new(method, path));
            let challenge = reply
                .header("www-authenticate")
                .expect("WWW-Authenticate")
                .to_owned();
            assert!(challenge.starts_with("Basic realm="), "{challenge}");
            let body = reply.error(401, "UNAUTHORIZED");
            assert_eq!(crate::support::keys(&body), ["code", "msg", "result"]);
        }
    }
}

#[test]
fn another_scheme_than_basic_is_a_bad_request() {
    let base = server().base_url();
    for header in ["Bearer abc", "Digest username=\"x\"", "Token x"] {
        let client = Client::with_authorization(base, Some(header.to_owned()));
        client.get("/users/me", &[]).bad_request();
    }
}

/// Authentication precedes parameters: a caller without permission learns nothing about them.
#[test]
fn only_the_first_failure_is_reported() {
    let anonymous = server().anonymous();
    anonymous.delete("/events", &[]).error(401, "UNAUTHORIZED");
    let bot = server().bot();
    // A bot may not set a status, and gets that error even when the parameters are wrong too.
    bot.post(STATUS, &[]).bad_request();
    bot.post(STATUS, &[("away", "wrong"), ("reaction_type", "x")])
        .bad_request();
}

#[test]
fn content_type_is_exactly_json() {
    let user = server().user("member");
    for reply in [user.get("/users/me", &[]), user.delete("/events", &[])] {
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
}

#[test]
fn a_head_or_range_never_breaks_the_connection() {
    let user = server().user("member");
    let request = format!(
        "GET /api/v1/users/me HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n",
        basic(&user.email, &user.api_key)
    );
    let twice = format!("{request}{request}");
    let reply = raw::exchange(server().address(), twice.as_bytes());
    assert_eq!(
        reply.answers(),
        2,
        "pipelined requests are both answered: {}",
        reply.text
    );
}
