//! A run under a real Spin, when `SPIN_BIN` names one; without it the test does nothing.

use spindle_tests::spin::program;
use spindle_tests::{Options, Queue, Server};

/// `spin up` beside `spindle events`: settings are served, an account signs in, a message arrives.
/// With the same variable the tests `conformance`, `limits` and `crash` cover the rest.
#[test]
fn spin_up_serves_the_same_components() {
    if program().is_none() {
        println!("not run: SPIN_BIN names no Spin");
        return;
    }
    let server = Server::own(Options::default());
    let user = server.user("member");
    user.get("/server_settings", &[]).ok();
    let mut queue = Queue::of(&user, &["message"]);
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "on Spin"),
    ];
    user.post("/messages", &pairs).ok();
    queue.expect(|event| event["message"]["content"] == "on Spin");
}
