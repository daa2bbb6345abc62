//! A node that cannot reach its database: it refuses, reports why, and recovers on its own.

use std::time::Duration;

use serde_json::Value;
use spindle_tests::{Call, Client, Queue, Server, User, free_port};

use crate::proxy::{Path, Proxy};
use crate::{beside, database, nodes_on, wait_until};

/// Two nodes, of which the second one reaches the database through a relay.
struct Cut {
    near: Server,
    far: Server,
    proxy: Proxy,
    ops: Client,
}

impl Cut {
    fn new(url: &str) -> Self {
        let (proxy, through) = Proxy::before(url);
        let near = nodes_on(url.to_owned(), 1);
        let ops = format!("127.0.0.1:{}", free_port());
        let extra = ["--ops-listen".to_owned(), ops.clone()];
        let far = beside(&near, through, extra.into());
        Self {
            near,
            far,
            proxy,
            ops: Client::new(&format!("http://{ops}"), None),
        }
    }

    /// The same account at the node that is cut off.
    fn at_far(&self, user: &User) -> Client {
        Client::new(self.far.base_url(), Some((&user.email, &user.api_key)))
    }

    fn is_ready(&self) -> bool {
        let call = Call::new("GET", "/health/ready").at_root();
        let reply = self.ops.try_send(&call);
        let reply = reply.unwrap_or_else(|error| panic!("readiness is not answered: {error}"));
        assert!(matches!(reply.status, 200 | 503), "{reply:?}");
        reply.status == 200
    }
}

fn send(client: &Client, content: &str) -> Option<i64> {
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", content),
    ];
    let call = Call::new("POST", "/messages").form(&message);
    let reply = client.try_send(&call).ok()?;
    reply.body["id"].as_i64().filter(|_| reply.status == 200)
}

fn texts(events: &[Value]) -> impl Iterator<Item = String> {
    let text = |event: &Value| event["message"]["content"].as_str().map(str::to_owned);
    events.iter().filter_map(text)
}

/// The node answers with the envelope of an error after which a client tries again.
fn refuses(client: &Client) {
    let calls = [
        Call::new("GET", "/users/me"),
        Call::new("POST", "/users/me/status").form(&[("status_text", "lost")]),
    ];
    // At the same time: each may wait for as long as a statement may.
    std::thread::scope(|scope| {
        for call in calls {
            scope.spawn(move || {
                let reply = client.try_send(&call).expect("an answer");
                assert_eq!(reply.status, 503, "{reply:?}");
                assert_eq!(reply.body["result"], "error", "{reply:?}");
                assert!(reply.header("retry-after").is_some(), "{reply:?}");
            });
        }
    });
}

fn a_node_recovers(path: Path) {
    let Some(database) = database() else {
        return;
    };
    let cut = Cut::new(&database.url());
    let user = cut.near.user("member");
    let general = [("subscriptions", r#"[{"name": "general"}]"#)];
    user.post("/users/me/subscriptions", &general).ok();
    let there = cut.at_far(&user);
    assert!(send(&there, "before").is_some());
    wait_until("the node is ready", || cut.is_ready());
    let mut queue = Queue::of(&there, &["message"]);

    cut.proxy.set(path);
    wait_until("the node is not ready", || !cut.is_ready());
    refuses(&there);
    let status = user
        .get(&format!("/users/{}/status", user.user_id), &[])
        .ok();
    assert_ne!(status["status"]["status_text"], "lost");
    assert!(send(&user, "meanwhile").is_some(), "the other node works");
    // A poll of a queue that the node has in memory.
    let poll = Call::new("GET", "/events").timeout(Duration::from_secs(1));
    let poll = poll.query(&[("queue_id", &queue.queue_id), ("last_event_id", "-1")]);
    if let Ok(reply) = there.try_send(&poll) {
        assert_eq!(reply.status, 503, "{reply:?}");
    }

    cut.proxy.set(Path::Open);
    wait_until("the node is ready again", || cut.is_ready());
    wait_until("the node writes again", || send(&there, "after").is_some());
    let mut seen = Vec::new();
    wait_until("all events have come", || {
        seen.extend(texts(&queue.poll()));
        seen.iter().any(|text| text.contains("after"))
    });
    let count = |text: &str| seen.iter().filter(|seen| seen.contains(text)).count();
    assert_eq!((count("meanwhile"), count("after")), (1, 1), "{seen:?}");
}

#[test]
fn a_database_that_does_not_answer() {
    a_node_recovers(Path::Silent);
}

#[test]
fn a_database_that_cannot_be_reached() {
    a_node_recovers(Path::Broken);
}
