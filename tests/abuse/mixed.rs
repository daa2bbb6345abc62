//! Twenty attackers at the same time, chosen at random from the attacks that can share a server.
//!
//! Runs in `cargo xtask drill abuse` only: without `SPINDLE_ABUSE_MIX_SECONDS` the test does
//! nothing, because the ordinary check has no time for it. What an attacker expects of its own requests is
//! checked where it attacks alone: here others take the memory and the connections that it wants.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spindle_tests::{Options, Server, env_number};

use crate::attack::{Attack, Deed, Work, is_set};
use crate::bystander::Bystander;
use crate::{
    archives, bodies, codes, downloads, groups, marks, markup, pages, passwords, pictures, queues,
    storms, transfers,
};

/// Attacks that can share a server.
const MIXING: &[Attack] = &[
    archives::BOMBS,
    bodies::OF_AN_ACCOUNT,
    bodies::OF_STRANGERS,
    codes::OF_MANY,
    codes::OF_ONE,
    downloads::ANSWERS,
    downloads::FILES,
    groups::MEMBERS,
    marks::OF_MANY,
    markup::TEXTS,
    passwords::OF_MANY,
    passwords::OF_ONE,
    pictures::BOMBS,
    queues::HELD_POLLS,
    queues::UNREAD,
    pages::LARGE,
    pages::SEARCHES,
    storms::PRESENCE,
    storms::STATUSES,
    storms::TYPING,
    transfers::BODIES,
    transfers::DOWNLOADS,
    transfers::HEADS,
    transfers::UPLOADS,
];
const ATTACKERS: usize = 20;

/// Pseudo-random numbers, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        // A linear congruential generator; its upper bits are random enough to choose with.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

/// Twenty different attacks: together they open as many sockets as a process may.
fn picked(chance: &mut Chance) -> Vec<&'static Attack> {
    let mut left: Vec<&Attack> = MIXING.iter().collect();
    let pick = |_| left.swap_remove(chance.below(left.len()));
    (0..ATTACKERS).map(pick).collect()
}

#[test]
fn twenty_random_attacks_at_once_are_withstood() {
    let seconds = env_number("SPINDLE_ABUSE_MIX_SECONDS", 0);
    if seconds == 0 {
        return;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let seed = env_number("SPINDLE_SEED", now);
    println!("SPINDLE_SEED={seed}");
    let server = Server::spawn(Options::default());
    let mut chance = Chance(seed);
    let attacks = picked(&mut chance);
    for attack in &attacks {
        assert!(attack.mixes, "{}", attack.name);
        println!("  {}", attack.name);
    }
    let works: Vec<Work> = attacks.iter().map(|one| (one.prepare)(&server)).collect();
    // An attack that has finished early, or was refused, begins again.
    let deeds: Vec<_> = works
        .iter()
        .map(|work| {
            move |is_over: &std::sync::atomic::AtomicBool| {
                while !is_set(is_over) {
                    let _ = catch_unwind(AssertUnwindSafe(|| work(is_over)));
                }
            }
        })
        .collect();
    let deeds: Vec<Deed<'_>> = deeds.iter().map(|deed| deed as Deed<'_>).collect();
    Bystander::new(&server).beside_all(&deeds, Duration::from_secs(seconds));
}
