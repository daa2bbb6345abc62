//! An attack, and how to run one while a bystander uses the server.
//!
//! An attack is a value, so that each can run alone and all of them together (`mixed.rs`).
//! `SPINDLE_ABUSE_SECONDS` sets how long it lasts.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spindle_tests::{Options, Server, env_number};

use crate::bystander::Bystander;

/// The work of an attacker, repeated until the attack is over.
pub type Deed<'a> = &'a (dyn Fn(&AtomicBool) + Sync);

/// The same work as an owned closure.
pub type Work = Box<dyn Fn(&AtomicBool) + Send + Sync>;

/// A use that the API and the network allow, in excess.
pub struct Attack {
    pub name: &'static str,
    /// Creates the accounts and data that the attack needs.
    pub prepare: fn(&Server) -> Work,
    /// Options of the server under attack.
    pub options: fn() -> Options,
    /// Whether it can share a server with other attacks.
    pub mixes: bool,
}

impl Attack {
    pub const fn new(name: &'static str, prepare: fn(&Server) -> Work) -> Self {
        Self {
            name,
            prepare,
            options: Options::default,
            mixes: true,
        }
    }

    /// An attack that needs a server with these options, and does not share it with other attacks.
    pub const fn on(self, options: fn() -> Options) -> Self {
        Self {
            options,
            mixes: false,
            ..self
        }
    }

    /// Attacks a server of its own. The bystander is not slowed down, and the server releases what
    /// the attack took.
    pub fn is_withstood(&self) {
        let server = Server::spawn((self.options)());
        self.is_withstood_by(&server);
    }

    /// As [`Attack::is_withstood`], on this server.
    pub fn is_withstood_by(&self, server: &Server) {
        println!("{}", self.name);
        let work = (self.prepare)(server);
        Bystander::new(server).beside(work);
    }
}

/// Runs attacks that need little CPU at the same time, on one server.
pub fn are_withstood(attacks: &[Attack]) {
    let server = Server::spawn(Options::default());
    for attack in attacks {
        println!("{}", attack.name);
    }
    let works: Vec<Work> = attacks.iter().map(|one| (one.prepare)(&server)).collect();
    let deeds: Vec<Deed<'_>> = works.iter().map(|work| &**work as Deed<'_>).collect();
    Bystander::new(&server).beside_all(&deeds, length());
}

/// Whether an attack is long enough to hold the bystander to its bounds, as in `cargo xtask drill abuse`, and
/// to wait until the server has released what the attack took.
pub fn is_long() -> bool {
    length() >= Duration::from_secs(10)
}

/// How long an attack lasts.
pub fn length() -> Duration {
    Duration::from_secs(env_number("SPINDLE_ABUSE_SECONDS", 3))
}

pub fn is_set(is_over: &AtomicBool) -> bool {
    is_over.load(Ordering::SeqCst)
}

/// Waits, at most until the end of the attack.
pub fn pause(is_over: &AtomicBool, duration: Duration) {
    let mut left = duration;
    while !is_set(is_over) && !left.is_zero() {
        let step = left.min(Duration::from_millis(20));
        std::thread::sleep(step);
        left -= step;
    }
}

/// Confines this thread and its children to one core: otherwise the attackers' own computing would take CPU time from
/// the server and from the bystander. Has no effect where `taskset` is missing.
pub fn on_one_core() {
    let Ok(thread) = std::fs::read_link("/proc/thread-self") else {
        return;
    };
    let Some(id) = thread.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let _ = Command::new("taskset")
        .args(["-pc", "0", id])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
