//! What an attack is, and how one is run beside a bystander.
//!
//! An attack is a value, so that each can be run by itself and all of them mixed
//! (`mixed.rs`). How long it lasts is in `SPINDLE_ABUSE_SECONDS`.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spindle_tests::{Options, Server, env_number};

use crate::bystander::Bystander;

/// What is done until the attack is over.
pub type Deed<'a> = &'a (dyn Fn(&AtomicBool) + Sync);

/// A deed with all that it needs.
pub type Work = Box<dyn Fn(&AtomicBool) + Send + Sync>;

/// Something that the API and the network allow, done too much.
pub struct Attack {
    pub name: &'static str,
    /// Makes on a server what the attack needs.
    pub prepare: fn(&Server) -> Work,
    /// What the server is started with.
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

    /// For an attack that needs a server with these options, or makes one like no other.
    pub const fn on(self, options: fn() -> Options) -> Self {
        Self {
            options,
            mixes: false,
            ..self
        }
    }

    /// Attacks a server of its own. A bystander does not notice, and what was taken is given back.
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

/// Runs attacks that take little of a machine side by side, on one server.
pub fn are_withstood(attacks: &[Attack]) {
    let server = Server::spawn(Options::default());
    for attack in attacks {
        println!("{}", attack.name);
    }
    let works: Vec<Work> = attacks.iter().map(|one| (one.prepare)(&server)).collect();
    let deeds: Vec<Deed<'_>> = works.iter().map(|work| &**work as Deed<'_>).collect();
    Bystander::new(&server).beside_all(&deeds, length());
}

/// Whether what was measured passes or fails, as in `cargo xtask drill abuse`. In the check it is
/// printed: there nothing fails by how long it took.
pub fn is_measured() -> bool {
    length() >= Duration::from_secs(10)
}

/// How long an attack lasts.
pub fn length() -> Duration {
    Duration::from_secs(env_number("SPINDLE_ABUSE_SECONDS", 3))
}

pub fn is_set(is_over: &AtomicBool) -> bool {
    is_over.load(Ordering::SeqCst)
}

/// Waits, but not beyond the end of the attack.
pub fn pause(is_over: &AtomicBool, duration: Duration) {
    let mut left = duration;
    while !is_set(is_over) && !left.is_zero() {
        let step = left.min(Duration::from_millis(20));
        std::thread::sleep(step);
        left -= step;
    }
}

/// Confines this thread, and those that it starts, to one core: what attackers compute by
/// themselves would else be taken from the server and from the bystander. Without effect where
/// there is no `taskset`.
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
