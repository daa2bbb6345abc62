//! Calls to apps, and requests of apps.

use std::io::{Read, Write};
use std::net::TcpListener;

use spindle_tests::{Call, until};

use super::world;

#[test]
fn a_call_reaches_the_app() {
    let world = world();
    world.say("/test home");
    assert_eq!(world.wait_for(1), ["home"]);
    let url = world.app["webhook_url"].as_str().unwrap().to_owned();
    let (_, path) = url.split_once("/api/v1").unwrap();
    let anonymous = world.server.anonymous();
    let call = |path: &str, body: &[u8]| {
        let call = Call::new("POST", path).raw(Some("text/plain"), body);
        anonymous.send(call)
    };
    call(path, b"over there").ok();
    assert_eq!(world.wait_for(2)[1], "webhook over there");
    call("/external/app", b"").error(400, "REQUEST_VARIABLE_MISSING");
    let wrong = "/external/app?api_key=abcdefghijklmnopqrstuvwxyz012345";
    call(wrong, b"").error(401, "INVALID_API_KEY");
    call(path, &vec![b'x'; (256 << 10) + 1]).bad_request();
    // The key opens nothing else.
    let key = path.split_once("api_key=").unwrap().1;
    let own = format!("/external/json?api_key={key}");
    call(&own, b"{}").error(401, "INVALID_API_KEY");
    spindle_tests::apps::change(&world.owner, &world.app, &[("is_paused", "true")]).ok();
    call(path, b"").bad_request();
}

#[test]
fn a_request_has_the_secret_and_its_answer_is_an_event() {
    let world = world();
    world.say("/test home");
    assert_eq!(world.wait_for(1), ["home"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "http://localhost:{}/x",
        listener.local_addr().unwrap().port()
    );
    let service = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let mut part = [0; 4096];
        while !seen.windows(4).any(|end| end == b"\r\n\r\n") {
            let length = stream.read(&mut part).unwrap();
            seen.extend_from_slice(&part[..length]);
        }
        let answer = b"HTTP/1.1 201 X\r\ncontent-length: 4\r\n\r\ndone";
        stream.write_all(answer).unwrap();
        String::from_utf8_lossy(&seen).into_owned()
    });
    let secrets = [("secrets", r#"{"token": "S3cret"}"#)];
    spindle_tests::apps::change(&world.owner, &world.app, &secrets).ok();
    world.say(&format!("/test fetch-with-secret {url}"));
    world.server.hasten(2);
    let request = service.join().unwrap();
    assert!(request.starts_with("POST /x HTTP/1.1\r\n"), "{request}");
    let head = request.to_lowercase();
    assert!(head.contains("authorization: bearer s3cret"), "{request}");
    let (_, key) = head.split_once("idempotency-key: ").expect("a key");
    let key = key.lines().next().expect("a line");
    assert!(
        key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{request}"
    );
    assert_eq!(world.wait_for(2)[1], "answer two 201 done");
    assert!(!world.log().concat().contains("S3cret"));
}

#[test]
fn a_request_goes_only_to_granted_hosts_and_its_secret_only_to_its_own() {
    let world = world();
    for (command, refused) in [
        ("fetch http://evil.example/", "evil.example"),
        ("fetch http://localhost@evil.example/", "no host"),
        ("fetch-with-secret http://127.0.0.1:9/", "does not go to"),
    ] {
        world.say(&format!("/test {command}"));
        until("the refusal", || {
            let log = world.log();
            log.iter().any(|line| line.contains(refused)).then_some(())
        });
    }
    // The address is checked when it is called, as those of outgoing bots are: this server allows 127.0.0.0/8 alone.
    world.say("/test fetch-with-secret http://localhost:9/");
    world.settle();
}
