//! kill -9 at random moments, while writers write and a hundred polls wait.
//!
//! On several nodes, one of them dies while the others go on, in some rounds two or all.
//! `SPINDLE_CRASH_ROUNDS` is the number of rounds (20).

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use serde_json::Value;
use spindle_tests::apps::{built_component, install};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::load::{Errors, Load};
use spindle_tests::{Options, Server, User, env_number, until_within};

const READERS: usize = 10;
const QUEUES_OF_A_READER: usize = 10;
const WRITERS: usize = 4;

#[test]
fn kill_9_loses_and_duplicates_nothing() {
    let rounds = env_number("SPINDLE_CRASH_ROUNDS", 20);
    let mut server = Server::own(Options::default());
    let readers: Vec<User> = (0..READERS).map(|_| server.user("member")).collect();
    let writers: Vec<User> = (0..WRITERS).map(|_| server.user("member")).collect();
    let everybody: Vec<&User> = readers.iter().chain(&writers).collect();
    let channel = fixture::channel(&server, ChannelKind::Public, &everybody).id();
    // A node that has just started may have no connection to its database in time for everyone who was waiting.
    let errors = match server.database().is_postgres() {
        true => Errors::Busy,
        false => Errors::Never,
    };
    let mut load = Load::start(&writers, &readers, QUEUES_OF_A_READER, &channel, errors);
    // A Spin that has just started creates instances and answers all polls before writers make
    // progress.
    let warm_up = Duration::from_secs(if server.has_test_clock() { 0 } else { 3 });
    let random = RandomState::new();
    for round in 0..rounds {
        let chosen = random.hash_one(round);
        std::thread::sleep(Duration::from_millis(150 + chosen % 500) + warm_up);
        // In every third round heartbeats are being sent when the host dies.
        if round.is_multiple_of(3) && server.has_test_clock() {
            server.advance(56);
        }
        kill_and_restart(&mut server, chosen >> 32);
    }
    std::thread::sleep(warm_up);
    load.wait_for_writes();
    load.stop();
    load.check(&server.database());
    // Waiting polls end with the server, and their threads with them.
    server.kill();
    load.join();
}

/// An app counts commands: each adds one and is answered, once, whatever it was doing when the server died.
#[test]
fn kill_9_makes_effects_of_apps_once() {
    const COMMANDS: usize = 4;
    let rounds = env_number("SPINDLE_CRASH_ROUNDS", 20) / 4;
    let mut server = Server::own(Options::default());
    let (owner, member) = (server.user("owner"), server.user("member"));
    let channel = fixture::channel(&server, ChannelKind::Public, &[&member]).id();
    let app = install(&owner, &built_component("test_app"));
    let command = || {
        let message = [
            ("type", "channel"),
            ("to", channel.as_str()),
            ("topic", "counts"),
            ("content", "/test count"),
        ];
        member.post("/messages", &message).ok();
    };
    // Its component is compiled.
    command();
    let mut sent = 1;
    wait_for_counts(&member, &app, sent);
    let random = RandomState::new();
    for round in 0..rounds {
        for _ in 0..COMMANDS {
            command();
            sent += 1;
        }
        let chosen = random.hash_one(round);
        std::thread::sleep(Duration::from_millis(chosen % 40));
        kill_and_restart(&mut server, chosen >> 32);
        // An app that was running is free when its lease has ended. An app may only send 200 messages a minute.
        if server.has_test_clock() {
            server.advance(20);
        } else {
            std::thread::sleep(Duration::from_secs(3));
        }
    }
    wait_for_counts(&member, &app, sent);
}

/// Waits until the app has answered this many commands, and compares the answers.
fn wait_for_counts(member: &User, app: &Value, sent: usize) {
    let parameters = [
        ("anchor", "newest"),
        ("num_before", "5000"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let (patience, pause) = (Duration::from_secs(90), Duration::from_millis(100));
    let counts = until_within(patience, pause, "every command is answered", || {
        let answer = member.get("/messages", &parameters).ok();
        let messages = answer["messages"].as_array().expect("messages").iter();
        let own = messages.filter(|message| message["sender_id"] == app["bot_user_id"]);
        let counts: Vec<String> = own
            .map(|message| message["content"].as_str().expect("text").to_owned())
            .collect();
        (counts.len() >= sent).then_some(counts)
    });
    let expected: Vec<String> = (1..=sent).map(|count| count.to_string()).collect();
    assert_eq!(counts, expected);
}

fn kill_and_restart(server: &mut Server, chosen: u64) {
    let victims = victims(chosen, server.nodes());
    if victims.len() == server.nodes() {
        server.kill();
        server.restart();
        return;
    }
    for node in &victims {
        server.kill_node(*node);
    }
    for node in victims {
        server.restart_node(node);
    }
}

/// The nodes that die in a round: mostly one, sometimes two or all of them.
fn victims(chosen: u64, nodes: usize) -> Vec<usize> {
    let first = usize::try_from(chosen % nodes as u64).expect("a small number");
    let count = match (chosen / nodes as u64) % 8 {
        0 => nodes,
        1 => nodes.min(2),
        _ => 1,
    };
    (0..count).map(|step| (first + step) % nodes).collect()
}
