//! Debian's haproxy with the files of `deploy`: they are accepted, and with affinity a client stays at one of two nodes
//! until that ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use spindle_test_postgres::Database;
use spindle_tests::server::DATABASE_URL;
use spindle_tests::{Client, Options, Queue, Server, free_port};

use crate::{Running, deploy, read, run, tool, write};

const PASSWORD: &str = "correct-horse-9-battery";

/// A node, and the port of its health.
struct Node {
    server: Server,
    ops: u16,
}

impl Node {
    fn start(database: &Database, blobs: Option<&Path>) -> Self {
        let folder = tempfile::tempdir().expect("a directory").keep();
        if let Some(blobs) = blobs {
            std::os::unix::fs::symlink(blobs, folder.join("blobs")).expect("a link");
        }
        let ops = free_port();
        let options = Options {
            extra: [
                "--ops-listen",
                &format!("127.0.0.1:{ops}"),
                "--access-log",
                "true",
            ]
            .map(str::to_owned)
            .to_vec(),
            environment: vec![
                (DATABASE_URL.to_owned(), database.url()),
                ("SPINDLE_OWNER_PASSWORD".to_owned(), PASSWORD.to_owned()),
            ],
            ..Options::default()
        };
        let server = Server::spawn_on(folder, options);
        Self { server, ops }
    }

    /// How many requests for this path it has answered.
    fn answered(&self, path: &str) -> usize {
        let log = self.server.log();
        log.lines()
            .filter(|line| line.contains("access") && line.contains(path))
            .count()
    }
}

/// The configuration with affinity: the lines that its comment names.
fn with_affinity(text: &str) -> String {
    let (before, after) = text.split_once("    balance leastconn\n").expect("a line");
    let mut lines = String::from(before);
    for line in after.lines() {
        let is_option = ["#http-request ", "#balance ", "#hash-type "]
            .iter()
            .any(|start| line.trim_start().starts_with(start));
        lines += &match is_option {
            true => line.replacen('#', "", 1),
            false => line.to_owned(),
        };
        lines.push('\n');
    }
    assert!(lines.contains("\n    balance hash"), "{lines}");
    lines
}

/// The configuration with the addresses of this test.
fn for_nodes(text: &str, port: u16, nodes: &[Node]) -> String {
    let (before, _) = text.split_once("    server node1 ").expect("servers");
    let mut text = before
        .replace("bind :80", &format!("bind 127.0.0.1:{port}"))
        .replace("check port 3001 ", "check ")
        // As many open files as an account has that may not raise its limit.
        .replace("maxconn 20000", "maxconn 500");
    for (place, node) in nodes.iter().enumerate() {
        let (address, ops) = (node.server.address(), node.ops);
        text += &format!("    server node{place} {address} port {ops}\n");
    }
    text
}

/// A balancer, until it is dropped.
fn start(haproxy: &Path, folder: &Path, text: &str, port: u16) -> Running {
    let path = folder.join(format!("{port}.cfg"));
    write(&path, text);
    let child = Command::new(haproxy)
        .arg("-db")
        .arg("-f")
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.expect("haproxy starts")).listening(port)
}

fn owner_at(port: u16) -> Client {
    let url = format!("http://127.0.0.1:{port}");
    let credentials = [("username", "owner@example.org"), ("password", PASSWORD)];
    let key = Client::new(&url, None).post("/fetch_api_key", &credentials);
    let key = key.ok();
    let key = key["api_key"].as_str().expect("a key").to_owned();
    Client::new(&url, Some(("owner@example.org", &key)))
}

fn send(client: &Client, content: &str) -> i64 {
    let message = [
        ("type", "channel"),
        ("to", "general"),
        ("topic", "tea"),
        ("content", content),
    ];
    let sent = client.post("/messages", &message).ok();
    sent["id"].as_i64().expect("an id")
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    spindle_tests::until(what, || is_so().then_some(()));
}

/// haproxy itself accepts the files as they are, and with affinity.
#[test]
fn the_configurations_are_accepted() {
    let Some(haproxy) = tool("haproxy") else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let single = read(&deploy("haproxy/haproxy.cfg"));
    let affine = folder.path().join("affinity.cfg");
    write(&affine, &with_affinity(&single));
    let files: [PathBuf; 3] = [
        deploy("haproxy/haproxy.cfg"),
        affine,
        deploy("compose/cluster-haproxy.cfg"),
    ];
    for file in files {
        let said = run(Command::new(&haproxy).arg("-c").arg("-f").arg(file));
        assert!(!said.contains("WARNING"), "{said}");
    }
}

/// What the file of the compose project has beyond its addresses is the same.
#[test]
fn both_files_treat_requests_alike() {
    let lines = |file: &str| -> Vec<String> {
        let text = read(&deploy(file));
        let kept = text.lines().map(str::trim).filter(|line| {
            let is_own = ["#", "bind ", "server "];
            !line.is_empty() && !is_own.iter().any(|start| line.starts_with(start))
        });
        kept.map(str::to_owned).collect()
    };
    assert_eq!(
        lines("haproxy/haproxy.cfg"),
        lines("compose/cluster-haproxy.cfg")
    );
}

/// Without affinity, `tests/cluster` runs it.
#[test]
fn with_affinity_a_client_stays_at_one_node_while_it_is_up() {
    let (Some(haproxy), Some(postgres)) = (tool("haproxy"), spindle_test_postgres::shared()) else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let database = postgres.database();
    let first = Node::start(&database, None);
    let blobs = first.server.directory().expect("a directory").join("blobs");
    let second = Node::start(&database, Some(&blobs));
    let mut nodes = [first, second];
    let text = with_affinity(&read(&deploy("haproxy/haproxy.cfg")));
    let port = free_port();
    let configuration = for_nodes(&text, port, &nodes);
    let _balancer = start(&haproxy, folder.path(), &configuration, port);

    // One node answers all requests of one client.
    let owner = owner_at(port);
    let answered = |nodes: &[Node; 2]| nodes.each_ref().map(|node| node.answered("/users/me"));
    for _ in 0..10 {
        owner.get("/users/me", &[]).ok();
    }
    until("ten requests are logged", || {
        answered(&nodes).iter().sum::<usize>() == 10
    });
    let counted = answered(&nodes);
    assert!(counted.contains(&10), "{counted:?}");

    // It is killed: the client's requests go to the other one immediately, with the queue and the file.
    let mut queue = Queue::of(&owner, &["message"]);
    let file = owner.upload("/user_uploads", "a.txt", b"tea leaves").ok();
    let url = file["url"].as_str().expect("an address");
    let killed = usize::from(counted[1] == 10);
    nodes[killed].server.kill();
    for round in 0..5 {
        let sent = send(&owner, &format!("after the end {round}"));
        assert_eq!(queue.wait()[0]["message"]["id"], sent);
    }
    let signed = owner.get(url, &[]).ok();
    let signed = signed["url"].as_str().expect("a signed address");
    assert_eq!(owner.fetch(signed, &[]).bytes, b"tea leaves");

    // The client is there again when the node is back.
    nodes[killed].server.restart();
    let before = nodes[killed].answered("/users/me");
    until("the node is back", || {
        owner.get("/users/me", &[]).ok();
        nodes[killed].answered("/users/me") > before
    });
}
