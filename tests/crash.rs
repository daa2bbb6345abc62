//! kill -9 at random moments, while writers write and a hundred polls wait.
//!
//! On several nodes, one of them dies while the others go on, in some rounds two or all.
//! `SPINDLE_CRASH_ROUNDS` is the number of rounds (20).

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::load::{Errors, Load};
use spindle_tests::{Options, Server, User, env_number};

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
        let victims = victims(chosen >> 32, server.nodes());
        if victims.len() == server.nodes() {
            server.kill();
            server.restart();
            continue;
        }
        for node in &victims {
            server.kill_node(*node);
        }
        for node in victims {
            server.restart_node(node);
        }
    }
    std::thread::sleep(warm_up);
    load.wait_for_writes();
    load.stop();
    load.check(&server.database());
    // Waiting polls end with the server, and their threads with them.
    server.kill();
    load.join();
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
