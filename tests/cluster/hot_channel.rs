//! Many concurrent writers to one channel, at two nodes: their transactions hardly ever run again.

use std::thread;

use spindle_tests::server::DATABASE_URL;
use spindle_tests::{Client, Options, Server, User, env_number, free_port};

use crate::{beside, database};

const SENDERS: usize = 32;
/// Messages of each in a round.
const MESSAGES: u64 = 5;

/// A number among the metrics of a node, whatever its labels are.
fn metric(ops: &str, name: &str) -> u64 {
    let metrics = Client::new(&format!("http://{ops}"), None).fetch("/metrics", &[]);
    let text = String::from_utf8(metrics.bytes).expect("UTF-8");
    let values = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        let (labels, value) = rest.rsplit_once(' ')?;
        (labels.is_empty() || labels.starts_with('{')).then(|| value.parse::<u64>())
    });
    let values: Vec<u64> = values.map(|value| value.expect("a number")).collect();
    assert!(!values.is_empty(), "{name} in {text}");
    values.iter().sum()
}

/// Transactions that were undone because of another one.
fn conflicts(ops: &[String; 2]) -> u64 {
    let of = |ops: &String| metric(ops, "spindle_postgres_conflicts_total");
    ops.iter().map(of).sum()
}

#[test]
fn senders_in_one_channel_hardly_ever_run_again() {
    let Some(database) = database() else {
        return;
    };
    let rounds = env_number("SPINDLE_CLUSTER_ROUNDS", 2);
    let ops = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
    let listen = |place: usize| vec!["--ops-listen".to_owned(), ops[place].clone()];
    let one = Server::spawn(Options {
        environment: vec![(DATABASE_URL.to_owned(), database.url())],
        extra: listen(0),
        ..Options::default()
    });
    let two = beside(&one, database.url(), listen(1));
    let senders: Vec<User> = (0..SENDERS)
        .map(|number| {
            let mut user = one.user("member");
            let general = [("subscriptions", r#"[{"name": "general"}]"#)];
            user.post("/users/me/subscriptions", &general).ok();
            let node = [&one, &two][number % 2];
            user.client = Client::new(node.base_url(), Some((&user.email, &user.api_key)));
            user
        })
        .collect();
    let send = |sender: &User, content: &str| {
        let message = [
            ("type", "channel"),
            ("to", "general"),
            ("topic", "tea"),
            ("content", content),
        ];
        sender.post("/messages", &message).ok();
    };
    for sender in &senders {
        send(sender, "the first one");
    }
    let before = conflicts(&ops);
    thread::scope(|scope| {
        for sender in &senders {
            scope.spawn(move || {
                for number in 0..MESSAGES * rounds {
                    send(sender, &format!("message {number}"));
                }
            });
        }
    });
    let conflicts = conflicts(&ops) - before;
    let sent = SENDERS as u64 * MESSAGES * rounds;
    println!("{sent} messages of {SENDERS} senders: {conflicts} were made again");
    assert!(
        conflicts * 100 <= sent,
        "{conflicts} of {sent} were made again"
    );
}
