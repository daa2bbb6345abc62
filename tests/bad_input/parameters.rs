//! Parameters and bodies that are not what an operation takes.

use std::time::{Duration, Instant};

use spindle_tests::client::basic;
use spindle_tests::raw::exchange;
use spindle_tests::{Call, Client};

use super::world;

#[test]
fn parameters_that_are_not_text_or_not_json_are_refused() {
    let world = world();
    let user = &world.user;
    let form = Some("application/x-www-form-urlencoded");
    let me = format!("[{}]", user.id());
    let long_list = format!("[{}1]", "1,".repeat(10_001));
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    let many: Vec<(String, String)> = (0..150)
        .map(|number| (format!("p{number}"), "x".to_owned()))
        .collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let message = |to: &str| {
        let pairs = [("type", "direct"), ("to", to), ("content", "x")];
        Call::new("POST", "/messages").form(&pairs)
    };
    let status = |bytes: &[u8]| Call::new("POST", "/users/me/status").raw(form, bytes);
    let cases = [
        ("invalid UTF-8 in a value", status(b"status_text=%ff%fe"), 400),
        ("raw invalid UTF-8", status(b"status_text=\xff\xfe"), 400),
        ("invalid UTF-8 in a name", status(b"%ff=x&status_text=y"), 400),
        ("a NUL in a value", status(b"status_text=a%00b"), 400),
        ("malformed JSON", message("[1,"), 400),
        ("JSON of another type", message("{\"a\": 1}"), 400),
        ("JSON too deep", message(&deep), 400),
        ("a list too long", message(&long_list), 400),
        ("too many parameters", Call::new("POST", "/messages").form(&many), 400),
        (
            "a broken multipart body",
            Call::new("POST", "/users/me/status")
                .raw(Some("multipart/form-data; boundary=X"), b"--X\r\nContent-Dispo"),
            400,
        ),
        (
            "multipart without boundary",
            Call::new("POST", "/users/me/status").raw(Some("multipart/form-data"), b"--X--"),
            400,
        ),
        (
            "multipart with invalid UTF-8",
            Call::new("POST", "/users/me/status").raw(
                Some("multipart/form-data; boundary=X"),
                b"--X\r\nContent-Disposition: form-data; name=\"status_text\"\r\n\r\n\xff\r\n--X--\r\n",
            ),
            400,
        ),
        ("a NUL in a query", Call::new("GET", "/users/me").query(&[("x", "a\0b")]), 400),
        (
            "an integer that is none",
            Call::new("GET", "/events").query(&[("queue_id", "x"), ("last_event_id", "1e3")]),
            400,
        ),
        (
            "a NUL in a message",
            Call::new("POST", "/messages").form(&[("type", "direct"), ("to", &me), ("content", "a\0b")]),
            400,
        ),
    ];
    for (name, call, status) in cases {
        let reply = world.unchanged(name, || user.send(call));
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (status, &"BAD_REQUEST".into()),
            "{name}"
        );
    }
    let call = Call::new("POST", "/messages").form(&[("type", "direct"), ("content", "x")]);
    let reply = world.unchanged("a missing parameter", || user.send(call));
    let body = reply.error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(body["var_name"], "to");
}

#[test]
fn bodies_over_the_limit_are_413() {
    let world = world();
    let user = &world.user;
    let large = "a".repeat((1 << 20) + 1);
    let length = format!("Content-Length: {}\r\n", large.len());
    let started = Instant::now();
    let reply = world.unchanged("one byte too many", || world.raw_status(&length, &large));
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(reply.status, 413, "{}", reply.text);
    let body = reply.json().expect("JSON");
    assert_eq!(body["code"], "BAD_REQUEST");
    assert_eq!(body["result"], "error");
    let announced = exchange(
        world.server.address(),
        format!(
            "POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nContent-Length: 99999999999\r\n\r\n",
            basic(&user.email, &user.api_key)
        )
        .as_bytes(),
    );
    assert_eq!(
        announced.status, 413,
        "refused by its announcement: {}",
        announced.text
    );
    let chunk = format!("8000\r\n{}\r\n", "a".repeat(0x8000));
    let chunked = chunk.repeat(33) + "0\r\n\r\n";
    let reply = world.unchanged("chunked", || {
        world.raw_status("Transfer-Encoding: chunked\r\n", &chunked)
    });
    assert_eq!(
        reply.status, 413,
        "chunked bodies are counted: {}",
        reply.text
    );
    // A body of the maximum length is read.
    let mut fits = b"status_text=fits&padding=".to_vec();
    fits.resize(1 << 20, b'a');
    let call =
        Call::new("POST", "/users/me/status").raw(Some("application/x-www-form-urlencoded"), &fits);
    assert_eq!(user.send(call).ignored(), ["padding"]);
}

/// SQL in a text is stored as text.
#[test]
fn sql_in_a_text_is_not_executed() {
    let world = world();
    let user = &world.user;
    let texts = [
        "'",
        "\"",
        "';--",
        "' OR '1'='1",
        "x'); DROP TABLE users;--",
        "\\",
        "%",
        "_",
        "${1}",
    ];
    for text in texts {
        user.post("/users/me/status", &[("status_text", text)]).ok();
        let status = user.get(&format!("/users/{}/status", user.id()), &[]).ok();
        assert_eq!(status["status"]["status_text"], text);
        user.post("/users/me/status", &[("emoji_name", text)])
            .bad_request();
        user.delete("/events", &[("queue_id", text)])
            .error(400, "BAD_EVENT_QUEUE_ID");
        let pairs = [
            ("type", "channel"),
            ("to", text),
            ("topic", "t"),
            ("content", "x"),
        ];
        assert_eq!(user.post("/messages", &pairs).status, 400, "{text}");
        let pairs = [("username", text), ("password", text)];
        user.post("/fetch_api_key", &pairs)
            .error(401, "AUTHENTICATION_FAILED");
        let client = Client::new(user.base_url(), Some((text, &user.api_key)));
        client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
        let narrow = serde_json::json!([["sender", text]]).to_string();
        let pairs = [
            ("anchor", "newest"),
            ("num_before", "1"),
            ("num_after", "0"),
            ("narrow", &narrow),
        ];
        assert_eq!(user.get("/messages", &pairs).status, 400, "{text}");
    }
}
