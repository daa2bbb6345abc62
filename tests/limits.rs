//! Rate limits: who is counted, what the headers say, what a refusal looks like
//! (protocol-facts 1.5; clients 1, 3). Each test has a server of its own.

use spindle_tests::{Client, Options, Reply, Server};

fn start(user: u32, address: u32) -> Server {
    Server::spawn(Options {
        rate_limit_user: user,
        rate_limit_address: address,
        ..Options::default()
    })
}

fn number(reply: &Reply, header: &str) -> i64 {
    let text = reply
        .header(header)
        .unwrap_or_else(|| panic!("no {header}"));
    text.parse().unwrap_or_else(|_| panic!("{header}: {text}"))
}

fn refused(reply: Reply) {
    let header: f64 = reply
        .header("retry-after")
        .expect("Retry-After")
        .parse()
        .expect("seconds");
    assert_eq!(number(&reply, "x-ratelimit-remaining"), 0);
    let body = reply.error(429, "RATE_LIMIT_HIT");
    let seconds = body["retry-after"]
        .as_f64()
        .expect("retry-after is a number");
    assert!(seconds > 0.0 && seconds <= 60.0, "{seconds}");
    assert!((header - seconds).abs() <= 1.0, "{header} and {seconds}");
    let mut keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["code", "msg", "result", "retry-after"]);
}

#[test]
fn a_user_is_counted_and_told() {
    let server = start(5, 0);
    let user = server.user("member");
    let other = server.user("member");
    for remaining in (0..5).rev() {
        let reply = user.get("/users/me", &[]);
        assert_eq!(number(&reply, "x-ratelimit-limit"), 5);
        assert_eq!(number(&reply, "x-ratelimit-remaining"), remaining);
        let reset = number(&reply, "x-ratelimit-reset");
        assert!(
            (spindle_tests::unix_now()..=spindle_tests::unix_now() + 61).contains(&reset),
            "{reset}"
        );
        reply.ok();
    }
    refused(user.get("/users/me", &[]));
    refused(user.post("/messages", &[]));
    other.get("/users/me", &[]).ok();
    // Errors count as well, and a refusal changes nothing.
    other
        .delete("/events", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    let reply = other.get("/users/me", &[]);
    assert_eq!(number(&reply, "x-ratelimit-remaining"), 2);
    server.advance(61);
    user.get("/users/me", &[]).ok();
}

#[test]
fn an_address_is_counted_without_credentials() {
    let server = start(0, 4);
    let anonymous = server.anonymous();
    for _ in 0..4 {
        anonymous.get("/server_settings", &[]).ok();
    }
    refused(anonymous.get("/server_settings", &[]));
    refused(anonymous.get("/users/me", &[]));
    let user = server.user("member");
    user.get("/users/me", &[]).ok();
}

/// Guessing keys must not escape both counts.
#[test]
fn wrong_keys_are_limited() {
    let server = start(200, 10);
    let user = server.user("member");
    let mut limited = false;
    for number in 0..40 {
        let key = format!("{number:032}");
        let guess = Client::new(server.base_url(), Some((&user.email, &key)));
        let reply = guess.get("/users/me", &[]);
        limited |= reply.status == 429;
    }
    assert!(limited, "forty wrong keys in a row");
    user.get("/users/me", &[]).ok();
}

#[test]
fn zero_is_without_limit() {
    let server = start(0, 0);
    let user = server.user("member");
    for _ in 0..300 {
        user.get("/users/me", &[]).ok();
    }
}
