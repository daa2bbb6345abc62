//! A full disk: writes are refused, everything else works, no acknowledged change is lost, and the server needs no
//! restart once there is space again.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Client, Options, PATIENCE, Queue, Reply, Server, User, free_port};

use crate::small_disk::SmallDisk;
use crate::support::{
    assert_sound, code, contents, poll_in_background, received, refusal_to_serve, send, until,
    until_it_waits,
};

/// A message large enough to need new pages.
fn long(number: usize) -> String {
    format!("number {number}: {}", "x".repeat(5000))
}

/// Repeats a call until it is refused, since small ones still fit for a while; every answer is a
/// success or the error for a full disk.
#[track_caller]
fn until_refused(what: &str, mut call: impl FnMut(usize) -> Reply) {
    for number in 0..2000 {
        let reply = call(number);
        match (reply.status, code(&reply).as_str()) {
            (200, _) => {}
            (503, "STORAGE_FULL") => return,
            _ => panic!("{what}: {} {}", reply.status, reply.body),
        }
    }
    panic!("{what} is never refused");
}

/// Until nothing fits at all; the reserve is the subject of another test.
fn without_reserve(ops: &str) -> Options {
    let extra = ["--disk-reserve", "0", "--ops-listen", ops];
    Options {
        extra: extra.map(str::to_owned).to_vec(),
        ..Options::default()
    }
}

/// Whether the server is ready, and its report about the disk.
fn readiness(ops: &str) -> (bool, String) {
    let client = Client::new(&format!("http://{ops}"), None);
    let reply = client
        .try_send(&Call::new("GET", "/health/ready").at_root())
        .expect("an answer");
    let reason = reply.body["checks"]["disk"].as_str().expect("a reason");
    (reply.status == 200, reason.to_owned())
}

/// A metric without labels.
fn metric(ops: &str, name: &str) -> f64 {
    let client = Client::new(&format!("http://{ops}"), None);
    let text = String::from_utf8(client.fetch("/metrics", &[]).bytes).expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.expect("the metric").trim().parse().expect("a number")
}

struct Drill {
    disk: SmallDisk,
    /// Answers of health and metrics.
    ops: String,
    server: Server,
    ann: User,
    bob: User,
    channel: String,
    acknowledged: BTreeMap<i64, String>,
}

impl Drill {
    fn start(mebibytes: u32) -> Option<Self> {
        let disk = SmallDisk::mount(mebibytes)?;
        let ops = format!("127.0.0.1:{}", free_port());
        let server = Server::spawn_on(disk.data(), without_reserve(&ops));
        let ann = server.user_with("member", &["--password", "right password"]);
        let bob = server.user("member");
        let channel = fixture::channel(&server, ChannelKind::Public, &[&ann, &bob]).id();
        Some(Self {
            disk,
            ops,
            server,
            ann,
            bob,
            channel,
            acknowledged: BTreeMap::new(),
        })
    }

    fn send(&mut self, content: String) -> Reply {
        let reply = send(&self.ann, &self.channel, &content).expect("an answer");
        if reply.status == 200 {
            let id = reply.body["id"].as_i64().expect("id");
            self.acknowledged.insert(id, content);
        }
        reply
    }

    /// Fills the disk until not even one more message fits.
    fn fill(&mut self) {
        self.disk.fill();
        until_refused("a message", |number| self.send(long(number)));
        self.disk.fill();
    }

    /// The stored messages are the acknowledged ones.
    fn check(&self) {
        let stored = contents(&self.server.database().sqlite());
        assert_eq!(stored, self.acknowledged);
        assert_sound(&self.server);
    }
}

/// Every kind of write of a client is refused, one after the other.
fn every_write_is_refused(drill: &Drill) {
    let Drill { ann, channel, .. } = drill;
    let (first, _) = drill.acknowledged.first_key_value().expect("a message");
    let path = format!("/messages/{first}");
    let ids = format!("[{first}]");
    let star = |number| if number % 2 == 0 { "add" } else { "remove" };
    until_refused("a star", |number| {
        let pairs = [
            ("messages", &*ids),
            ("op", star(number)),
            ("flag", "starred"),
        ];
        ann.post("/messages/flags", &pairs)
    });
    until_refused("a change of topic", |number| {
        let topic = format!("topic {number}");
        let silent = [
            ("topic", &*topic),
            ("send_notification_to_new_thread", "false"),
        ];
        ann.patch(&path, &silent)
    });
    until_refused("a status", |number| {
        let text = format!("status {number}");
        ann.post("/users/me/status", &[("status_text", &text)])
    });
    until_refused("typing", |number| {
        let op = if number % 2 == 0 { "start" } else { "stop" };
        let pairs = [
            ("type", "channel"),
            ("stream_id", channel),
            ("topic", "t"),
            ("op", op),
        ];
        ann.post("/typing", &pairs)
    });
    until_refused("a queue", |_| {
        ann.post("/register", &[("fetch_event_types", "[]")])
    });
    until_refused("an upload", |number| {
        ann.upload("/user_uploads", &format!("{number}.txt"), &[b'x'; 9000])
    });
    // Sign-in attempts are counted in the database; an attempt that cannot be counted is refused.
    until_refused("signing in", |_| {
        let pairs = [("username", &*ann.email), ("password", "right password")];
        drill.server.anonymous().post("/fetch_api_key", &pairs)
    });
}

/// Read-only requests are served, and quickly. Returns the events in the queue.
fn reads_go_on(drill: &Drill, queue: &mut Queue, file: &str) -> Vec<String> {
    let started = Instant::now();
    let ann = &drill.ann;
    let newest = [
        ("anchor", "newest"),
        ("num_before", "10"),
        ("num_after", "0"),
    ];
    let found = ann.get("/messages", &newest).ok();
    let last = found["messages"].as_array().expect("messages").last();
    let (id, _) = drill.acknowledged.last_key_value().expect("a message");
    assert_eq!(last.expect("a message")["id"], *id);
    ann.get("/users/me", &[]).ok();
    ann.get("/streams", &[]).ok();
    drill.server.anonymous().get("/server_settings", &[]).ok();
    let address = ann.get(file, &[]).ok()["url"]
        .as_str()
        .expect("url")
        .to_owned();
    assert_eq!(ann.fetch(&address, &[]).bytes, b"kept");
    let heard = received(&queue.poll());
    for _ in 0..4 {
        assert!(queue.poll().is_empty());
    }
    assert!(started.elapsed() < PATIENCE, "reads wait");
    heard
}

/// A poll that has waited its full time is answered, although no heartbeat can be stored.
fn polls_end_in_time(drill: &Drill, quiet: &mut Queue) {
    for _ in 0..2 {
        let poll = poll_in_background(&drill.bob, quiet);
        drill.server.until_polls_wait(1);
        drill.server.advance(56);
        let started = Instant::now();
        let body = poll.join().expect("the poll").ok();
        assert!(started.elapsed() < PATIENCE, "{body}");
        for event in body["events"].as_array().expect("events") {
            assert_eq!(event["type"], "heartbeat");
            quiet.last_event_id = event["id"].as_i64().expect("id");
        }
        let started = Instant::now();
        quiet.poll();
        assert!(started.elapsed() < PATIENCE, "it waits");
    }
}

#[test]
fn a_full_disk_refuses_only_writes() {
    let Some(mut drill) = Drill::start(40) else {
        return;
    };
    let uploaded = drill.ann.upload("/user_uploads", "kept.txt", b"kept").ok();
    let file = uploaded["url"].as_str().expect("url").to_owned();
    // The first such address of an organization creates the secret that signs them.
    drill.ann.get(&file, &[]).ok();
    let mut queue = Queue::of(&drill.bob, &["message"]);
    let mut quiet = Queue::of(&drill.bob, &["alert_words"]);
    for number in 0..20 {
        drill.send(format!("before {number}")).ok();
    }
    assert_eq!(readiness(&drill.ops), (true, "ok".to_owned()));
    drill.fill();
    every_write_is_refused(&drill);
    let (is_ready, reason) = readiness(&drill.ops);
    let says = |word: &str| reason.contains(word);
    assert!(!is_ready && (says("fit") || says("full")), "{reason}");
    assert_eq!(metric(&drill.ops, "spindle_disk_full "), 1.0);
    let log = drill.server.log();
    assert!(log.matches("the disk is full").count() < 10, "{log}");
    let mut heard = reads_go_on(&drill, &mut queue, &file);
    polls_end_in_time(&drill, &mut quiet);

    // Space again: writes go on within seconds, without a restart.
    drill.disk.free();
    until("writes go on", || {
        drill.send("after".to_owned()).status == 200
    });
    until("it is ready", || readiness(&drill.ops).0);
    assert_eq!(readiness(&drill.ops), (true, "ok".to_owned()));
    assert_eq!(metric(&drill.ops, "spindle_disk_full "), 0.0);
    let text = [("status_text", "room again")];
    drill.ann.post("/users/me/status", &text).ok();
    let pairs = [
        ("username", &*drill.ann.email),
        ("password", "right password"),
    ];
    drill.server.anonymous().post("/fetch_api_key", &pairs).ok();
    drill
        .ann
        .upload("/user_uploads", "after.txt", b"after")
        .ok();
    until("a heartbeat", || {
        let poll = poll_in_background(&drill.bob, &quiet);
        until_it_waits(&drill.server, &poll);
        drill.server.advance(56);
        let body = poll.join().expect("the poll").ok();
        body["events"][0]["type"] == "heartbeat"
    });
    drill.check();

    // On a full disk the server stops on request, and reports why it cannot start.
    drill.fill();
    let started = Instant::now();
    let held = poll_in_background(&drill.bob, &quiet);
    until_it_waits(&drill.server, &held);
    assert!(drill.server.terminate().success());
    assert!(started.elapsed() < PATIENCE, "it hangs");
    held.join().expect("the poll").ok();
    drill.disk.fill();
    let said = refusal_to_serve(&drill.disk.data());
    assert!(said.contains("full"), "{said}");
    drill.disk.free();
    drill.server.restart();
    drill.check();
    // The queue has received everything that was acknowledged, once and in order.
    heard.extend(received(&queue.poll()));
    assert_eq!(heard, Vec::from_iter(drill.acknowledged.into_values()));
}

/// Bytes that do not compress.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

/// A request that does not fit fails; smaller ones succeed.
#[test]
fn only_requests_that_do_not_fit_are_refused() {
    let Some(mut drill) = Drill::start(64) else {
        return;
    };
    let admin = drill.server.user("administrator");
    let mut exports = Queue::of(&admin, &["realm_export"]);
    let file = noise(5 << 20);
    let large = drill.ann.upload("/user_uploads", "large.bin", &file).ok();
    // Contained in every archive.
    let link = format!("[large.bin]({})", large["url"].as_str().expect("url"));
    drill.send(link).ok();
    let used = |drill: &Drill| drill.ann.get("/attachments", &[]).ok()["upload_space_used"].clone();
    let before = used(&drill);

    drill.disk.fill_but(3 << 20);
    let reply = drill.ann.upload("/user_uploads", "larger.bin", &file);
    reply.error(503, "STORAGE_FULL");
    assert_eq!(used(&drill), before);
    let incoming = drill.disk.data().join("blobs/incoming");
    assert_eq!(std::fs::read_dir(incoming).expect("incoming").count(), 0);
    drill.send("this one fits".to_owned()).ok();
    drill.ann.upload("/user_uploads", "small.txt", b"fits").ok();

    admin.post("/export/realm", &[]).ok();
    drill.server.advance(6);
    let failed = |event: &serde_json::Value| {
        let list = event["exports"].as_array().expect("exports");
        list.iter()
            .any(|export| export["failed_timestamp"] != json!(null))
    };
    exports.expect(failed);
    drill.send("exports do not concern it".to_owned()).ok();

    drill.disk.free();
    drill.ann.upload("/user_uploads", "larger.bin", &file).ok();
    admin.post("/export/realm", &[]).ok();
    drill.server.advance(6);
    let built = |event: &serde_json::Value| {
        let list = event["exports"].as_array().expect("exports");
        list.iter()
            .any(|export| export["export_url"] != json!(null))
    };
    exports.expect(built);
    drill.check();
}

/// The reserve is not for clients: below it, no request of theirs is written.
#[test]
fn clients_do_not_write_into_the_reserve() {
    let ops = format!("127.0.0.1:{}", free_port());
    let reserve = (1_u64 << 50).to_string();
    let extra = ["--disk-reserve", &reserve, "--ops-listen", &ops];
    let mut server = Server::spawn(Options {
        extra: extra.map(str::to_owned).to_vec(),
        ..Options::default()
    });
    // Administration may use the reserve.
    let ann = server.user("member");
    ann.get("/users/me", &[]).ok();
    let text = [("status_text", "no room")];
    for _ in 0..20 {
        let reply = ann.post("/users/me/status", &text);
        assert_eq!(reply.header("retry-after"), Some("10"));
        reply.error(503, "STORAGE_FULL");
    }
    let (is_ready, reason) = readiness(&ops);
    assert!(!is_ready && reason.contains("reserve"), "{reason}");
    assert_eq!(metric(&ops, "spindle_disk_full "), 1.0);
    let log = server.log();
    assert_eq!(log.matches("the disk is full").count(), 1, "{log}");
    assert!(server.terminate().success());
}

/// Half of the reserve is for what frees space, and for ending the access of the account that fills the disk.
#[test]
fn half_of_the_reserve_is_for_deletions_and_deactivations() {
    const RESERVE: u64 = 24 << 20;
    let Some(disk) = SmallDisk::mount(64) else {
        return;
    };
    let options = Options {
        extra: vec!["--disk-reserve".to_owned(), RESERVE.to_string()],
        ..Options::default()
    };
    let mut server = Server::spawn_on(disk.data(), options);
    let (ann, bob) = (server.user("member"), server.user("member"));
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&ann, &bob, &admin]).id();
    let message = || {
        let sent = send(&ann, &channel, "too much").expect("an answer").ok();
        format!("/messages/{}", sent["id"])
    };
    let messages = [message(), message()];
    let file = ann.upload("/user_uploads", "large.bin", &noise(1 << 20));
    file.ok();
    let files = ann.get("/attachments", &[]).ok();
    let file = format!("/attachments/{}", files["attachments"][0]["id"]);
    let drafts = json!([{"type": "private", "to": [], "topic": "", "content": "c"}]);
    let drafts = ann.post("/drafts", &[("drafts", &drafts.to_string())]).ok();
    let draft = format!("/drafts/{}", drafts["ids"][0]);
    let is_refused = |reply: &Reply| reply.status == 503 && code(reply) == "STORAGE_FULL";

    disk.fill_but(RESERVE * 3 / 4);
    until("writes are refused", || {
        is_refused(&send(&ann, &channel, "more").expect("an answer"))
    });
    // Filling the disk leaves no space at all for a moment.
    until("a deletion is accepted", || {
        !is_refused(&admin.delete(&messages[0], &[]))
    });
    admin.get(&messages[0], &[]).error(400, "BAD_REQUEST");
    admin.delete(&messages[1], &[]).ok();
    ann.delete(&file, &[]).ok();
    ann.delete(&draft, &[]).ok();
    admin
        .post(
            "/bots",
            &[("full_name", "Helper"), ("short_name", "helper")],
        )
        .error(503, "STORAGE_FULL");
    admin.delete(&format!("/users/{}", bob.user_id), &[]).ok();
    bob.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    admin.delete(&format!("/streams/{channel}"), &[]).ok();
    let reply = send(&ann, &channel, "more").expect("an answer");
    assert!(is_refused(&reply), "{}", reply.body);

    disk.fill_but(RESERVE / 4);
    until("deletions are refused too", || {
        is_refused(&ann.delete("/sessions", &[]))
    });
    disk.free();
    until("deletions go on", || {
        ann.delete("/sessions", &[]).status == 200
    });
    assert_sound(&server);
    assert!(server.terminate().success());
}
