//! The bystander, and what it must not notice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use spindle_tests::fixture::{self, Kind};
use spindle_tests::{Queue, Server, User};

/// How long an attack takes.
const ATTACK: Duration = Duration::from_secs(3);
/// How long the bystander is measured alone.
const ALONE: Duration = Duration::from_millis(1500);
/// A request may take four times as long as alone; one that takes less than this is not looked at.
const UNNOTICED: Duration = Duration::from_millis(50);
/// Anonymous memory that the server may have.
const BUDGET_KIB: u64 = 512 << 10;

/// An account that goes on with its work.
pub struct Bystander<'a> {
    server: &'a Server,
    sender: User,
    channel: String,
    queue: Queue,
}

/// What it has met.
#[derive(Debug)]
struct Met {
    /// The 99th percentile of what its requests took.
    late: Duration,
    /// The slowest way from sending a message to its event.
    told: Duration,
    memory_kib: u64,
}

impl<'a> Bystander<'a> {
    pub fn new(server: &'a Server) -> Self {
        let (sender, reader) = (server.user("member"), server.user("member"));
        let channel = fixture::channel(server, Kind::Public, &[&sender, &reader]).id();
        Self {
            queue: Queue::of(&reader, &["message"]),
            server,
            sender,
            channel,
        }
    }

    /// Attacks for a while, again and again until told to stop, and holds what the bystander has
    /// met against what it met alone. A miss is repeated once.
    pub fn beside(&mut self, attack: impl Fn(&AtomicBool) + Sync) {
        let alone = self.work(ALONE);
        for is_last in [false, true] {
            let is_over = AtomicBool::new(false);
            let met = std::thread::scope(|scope| {
                scope.spawn(|| attack(&is_over));
                // Also when the bystander fails: the scope waits for the attacker.
                let _ends = Ends(&is_over);
                self.work(ATTACK)
            });
            assert!(met.memory_kib < BUDGET_KIB, "{met:?}");
            let limit = UNNOTICED.max(alone.late * 4);
            let soon = Duration::from_millis(100).max(alone.told * 4);
            if met.late <= limit && met.told <= soon {
                return;
            }
            assert!(!is_last, "under attack {met:?}, alone {alone:?}");
        }
    }

    fn work(&mut self, duration: Duration) -> Met {
        let until = Instant::now() + duration;
        let (mut took, mut told, mut memory_kib) = (Vec::new(), Duration::ZERO, 0);
        while Instant::now() < until {
            let content = format!("message {}", took.len());
            let message = [
                ("type", "channel"),
                ("to", self.channel.as_str()),
                ("topic", "work"),
                ("content", content.as_str()),
            ];
            let sent = timed(&mut took, || self.sender.post("/messages", &message));
            let events = self.queue.wait();
            told = told.max(sent.elapsed());
            assert_eq!(events.len(), 1, "{events:?}");
            let narrow = [
                ("anchor", "newest"),
                ("num_before", "10"),
                ("num_after", "0"),
            ];
            timed(&mut took, || self.sender.get("/messages", &narrow));
            timed(&mut took, || self.sender.get("/users/me", &[]));
            memory_kib = memory_kib.max(self.memory_kib());
        }
        took.sort();
        Met {
            late: took[took.len() * 99 / 100],
            told,
            memory_kib,
        }
    }

    /// Anonymous memory of the server; nothing for one that runs elsewhere.
    fn memory_kib(&self) -> u64 {
        let Some(id) = self.server.process_id() else {
            return 0;
        };
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"))
            .expect("RssAnon");
        let number = line.trim().split(' ').next().expect("a number");
        number.parse().expect("a number")
    }
}

/// Ends the attack when it is dropped.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn timed(took: &mut Vec<Duration>, call: impl FnOnce() -> spindle_tests::Reply) -> Instant {
    let started = Instant::now();
    let reply = call();
    took.push(started.elapsed());
    reply.ok();
    Instant::now()
}
