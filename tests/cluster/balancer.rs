//! haproxy with the configuration of `deploy/haproxy` in front of two nodes: clients go on when one of them dies.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use spindle_tests::{Call, Client, Queue, User, free_port};

use crate::programs::{Program, find};
use crate::{beside, database, nodes_on, wait_until};

const CONFIGURATION: &str = include_str!("../../deploy/haproxy/haproxy.cfg");

/// The configuration for nodes at these ports, each with its state's port, behind `port`.
fn configuration(port: u16, nodes: [(u16, u16); 2]) -> String {
    let mut text = CONFIGURATION.to_owned();
    let mut replace = |from: &str, to: &str| {
        assert!(text.contains(from), "{from:?} is not in {CONFIGURATION}");
        text = text.replace(from, to);
    };
    replace("bind :80\n", &format!("bind 127.0.0.1:{port}\n"));
    // As many open files as an account has that may not raise its limit.
    replace("maxconn 20000", "maxconn 500");
    replace("balance leastconn", "balance roundrobin");
    replace("    server node3 10.0.0.13:3000\n", "");
    for (number, (listens, state)) in (1..).zip(nodes) {
        let from = format!("server node{number} 10.0.0.1{number}:3000");
        replace(
            &from,
            &format!("server node{number} 127.0.0.1:{listens} check port {state}"),
        );
    }
    text
}

/// Sends a message until it is acknowledged, as a client does that has lost an answer: `local_id` names it.
fn send(user: &User, queue: &str, number: usize, is_over: &AtomicBool) -> Option<i64> {
    let (content, local_id) = (format!("message {number}"), format!("{number}.01"));
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", &*content),
        ("queue_id", queue),
        ("local_id", &*local_id),
    ];
    let call = Call::new("POST", "/messages").form(&message);
    while !is_over.load(Ordering::Relaxed) {
        match user.try_send(&call) {
            Ok(reply) if reply.status == 200 => return reply.body["id"].as_i64(),
            // The balancer's own answers, and those of a node that ends.
            Ok(reply) => assert!(reply.status >= 500, "{reply:?}"),
            Err(_) => {}
        }
    }
    None
}

/// The messages that a queue has got until the one with the id `last`, by polls that wait.
fn received(user: &User, mut queue: Queue, last: &dyn Fn() -> Option<i64>) -> Vec<i64> {
    let mut ids = Vec::new();
    loop {
        let position = queue.last_event_id.to_string();
        let query = [("queue_id", &*queue.queue_id), ("last_event_id", &position)];
        let Ok(reply) = user.try_send(&Call::new("GET", "/events").query(&query)) else {
            continue;
        };
        if reply.status >= 500 {
            continue;
        }
        for event in reply.ok()["events"].as_array().expect("events") {
            queue.last_event_id += 1;
            assert_eq!(event["id"], queue.last_event_id, "{event}");
            ids.extend(event["message"]["id"].as_i64());
        }
        if last().is_some_and(|last| ids.contains(&last)) {
            return ids;
        }
    }
}

#[test]
fn clients_behind_a_balancer_go_on_when_a_node_dies() {
    const MESSAGES: usize = 150;
    let Some(database) = database() else {
        return;
    };
    let Some(path) = find("haproxy") else {
        return;
    };
    let ports: [u16; 3] = [(); 3].map(|()| free_port());
    let listen = |port: u16| vec!["--ops-listen".to_owned(), format!("127.0.0.1:{port}")];
    let first = nodes_on(database.url(), 1);
    let mut nodes = [ports[0], ports[1]].map(|port| beside(&first, database.url(), listen(port)));
    let port_of = |server: &spindle_tests::Server| {
        let (_, port) = server.address().rsplit_once(':').expect("a port");
        port.parse().expect("a port")
    };
    let behind = [
        (port_of(&nodes[0]), ports[0]),
        (port_of(&nodes[1]), ports[1]),
    ];
    let configuration = configuration(ports[2], behind);
    let files = [("haproxy.cfg", configuration)];
    let balancer = Program::start(
        &path,
        &["-db", "-f", "FOLDER/haproxy.cfg"],
        &files,
        ports[2],
    );
    let front = format!("http://127.0.0.1:{}", ports[2]);
    let users: [User; 2] = [(); 2].map(|()| {
        let mut user = first.user("member");
        let general = [("subscriptions", r#"[{"name": "general"}]"#)];
        user.post("/users/me/subscriptions", &general).ok();
        user.client = Client::new(&front, Some((&user.email, &user.api_key)));
        user
    });
    wait_until("the balancer knows the nodes", || {
        let me = users[0].try_send(&Call::new("GET", "/users/me"));
        me.is_ok_and(|reply| reply.status == 200)
    });
    let queues = users.each_ref().map(|user| Queue::of(user, &["message"]));
    let own = Queue::of(&users[0], &["heartbeat"]).queue_id;
    let (is_over, last) = (AtomicBool::new(false), std::sync::Mutex::new(None));
    let known = || *last.lock().expect("lock");
    let count = AtomicUsize::new(0);
    let (sent, received): (Vec<i64>, Vec<Vec<i64>>) = thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let sent = (0..MESSAGES).map(|number| {
                let id = send(&users[0], &own, number, &is_over);
                count.fetch_add(1, Ordering::Relaxed);
                id
            });
            let sent: Option<Vec<i64>> = sent.collect();
            let sent = sent.expect("all were sent");
            *last.lock().expect("lock") = sent.last().copied();
            // Wakes the polls that had the last message before it was known.
            send(&users[0], &own, MESSAGES, &is_over).expect("sent");
            sent
        });
        let (known, pairs) = (&known, users.iter().zip(queues));
        let readers: Vec<_> = pairs
            .map(|(user, queue)| scope.spawn(move || received(user, queue, known)))
            .collect();
        // Messages are sent to both nodes, and to one alone, all the time.
        for step in 0..8 {
            wait_until("more messages are sent", || {
                count.load(Ordering::Relaxed) >= MESSAGES * (step + 1) / 10
            });
            match step % 2 {
                0 => nodes[step / 2 % 2].kill(),
                _ => nodes[step / 2 % 2].restart(),
            }
        }
        let sent = sender.join().expect("a sender");
        let readers = readers.into_iter();
        (
            sent,
            readers
                .map(|reader| reader.join().expect("a reader"))
                .collect(),
        )
    });
    is_over.store(true, Ordering::Relaxed);
    for ids in received {
        let of_ours: Vec<i64> = ids.iter().copied().filter(|id| sent.contains(id)).collect();
        assert_eq!(of_ours, sent, "each message came once");
    }
    let texts = "SELECT content FROM messages WHERE content LIKE 'message %'";
    let stored = first
        .database()
        .rows(texts, [], |row| row.get::<_, String>(0));
    let stored = stored.expect("rows").len();
    assert_eq!(
        stored,
        MESSAGES + 1,
        "a repeated send made one message: {}",
        balancer.log()
    );
    let _: Value = users[0].get("/users/me", &[]).ok();
}
