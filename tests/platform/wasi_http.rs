//! The native host calling components through WASI HTTP, as Spin does: what it needs for each kind of operation.
//!
//! All of `conformance` runs in this way in the long check.

use spindle_tests::{Call, Options, Queue, Server};

#[test]
fn operations_of_every_kind_are_answered() {
    let server = Server::spawn(Options {
        environment: vec![("SPINDLE_DIRECT_CALLS".to_owned(), "false".to_owned())],
        ..Options::default()
    });
    let user = server.user("member");
    assert_eq!(user.get("/users/me", &[]).ok()["user_id"], user.user_id);
    server
        .anonymous()
        .get("/users/me", &[])
        .error(401, "UNAUTHORIZED");
    user.get("/users/99999999", &[]).error(400, "BAD_REQUEST");
    let head = user.try_send(&Call::new("HEAD", "/users/me"));
    assert_eq!(head.expect("an answer").status, 200);

    // A transaction, a poll that the host holds, and the event.
    let mut queue = Queue::of(&user, &["message"]);
    let to = user.id();
    let sent = user.post(
        "/messages",
        &[
            ("type", "direct"),
            ("to", &format!("[{to}]")),
            ("content", "hello"),
        ],
    );
    let sent = sent.ok();
    assert_eq!(queue.wait()[0]["message"]["id"], sent["id"]);

    // A blob that the component stores, and one that the host sends in its place.
    let stored = user
        .upload("/user_uploads", "notes.txt", b"some notes")
        .ok();
    let found = user.fetch(stored["url"].as_str().expect("url"), &[]);
    assert_eq!(
        (found.status, found.bytes.as_slice()),
        (200, &b"some notes"[..])
    );

    // The key-value store, and an instance of its own.
    let wrong = [
        ("username", user.email.as_str()),
        ("password", "not this one"),
    ];
    server
        .anonymous()
        .post("/fetch_api_key", &wrong)
        .error(401, "AUTHENTICATION_FAILED");
}
