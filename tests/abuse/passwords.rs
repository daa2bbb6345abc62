//! Guesses of passwords.

use std::time::Duration;

use spindle_tests::{Options, Server, User};

use crate::attack::Attack;
use crate::attacker::{Attacker, refused_at_once};

const PASSWORD: &str = "an owner's password";

fn guess(attacker: &mut Attacker, is_over: &std::sync::atomic::AtomicBool, name: &str, n: usize) {
    let password = format!("guess {n}");
    let pairs = [("username", name), ("password", password.as_str())];
    let answer = attacker.call(is_over, "POST", "/fetch_api_key", &pairs);
    assert!(answer.is_none_or(|answer| answer.status != 200));
}

fn owner(server: &Server) -> User {
    server.user_with("owner", &["--password", PASSWORD])
}

fn at_one(server: &Server, name: &str) -> crate::attack::Work {
    let (stranger, name) = (
        [Attacker::anonymous(server).without_limit()],
        name.to_owned(),
    );
    Box::new(move |is_over| {
        refused_at_once(&stranger, 16, is_over, |attacker, number| {
            guess(attacker, is_over, &name, number);
        });
    })
}

pub const OF_ONE: Attack = Attack::new("guesses at one password", |server| {
    at_one(server, &owner(server).email)
});

/// Each guess is the first for its account, and takes as long as a correct password.
pub const OF_MANY: Attack = Attack::new("guesses at many passwords", |server| {
    let stranger = [Attacker::anonymous(server)];
    Box::new(move |is_over| {
        refused_at_once(&stranger, 32, is_over, |attacker, number| {
            let name = format!("nobody{number}@example.com");
            guess(attacker, is_over, &name, number);
        });
    })
});

/// After the guesses, sign-in as the owner is blocked for half an hour, also with the right
/// password; the owner's API keys go on working.
#[test]
fn guesses_at_one_password_block_its_sign_in() {
    let server = Server::spawn(Options::default());
    let owner = owner(&server);
    let attack = Attack::new(OF_ONE.name, |server| {
        let database = server.database();
        let last = "SELECT email FROM users ORDER BY id DESC LIMIT 1";
        let name: String = database
            .query_row(last, [], |row| row.get(0))
            .expect("the owner");
        at_one(server, &name)
    });
    attack.is_withstood_by(&server);
    let sign_in = || {
        let pairs = [("username", owner.email.as_str()), ("password", PASSWORD)];
        server.anonymous().post("/fetch_api_key", &pairs)
    };
    owner.get("/users/me", &[]).ok();
    sign_in().error(429, "RATE_LIMIT_HIT");
    server.advance(31 * 60);
    sign_in().ok();
}

#[test]
fn guesses_at_many_passwords_are_withstood() {
    OF_MANY.is_withstood();
}

/// Processor time that the server's threads of low priority have used, in hundredths of a second.
fn used_with_low_priority(server: &Server) -> u64 {
    let threads = format!("/proc/{}/task", server.process_id().expect("a process"));
    let stats = std::fs::read_dir(threads)
        .expect("threads")
        // One that has ended has no file any more.
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("stat")).ok());
    let of_thread = |stat: String| {
        let (name, fields) = stat.rsplit_once(')').expect("a name");
        let mut fields = fields.split_whitespace().skip(11);
        let mut next = || -> u64 { fields.next().expect("a time").parse().expect("a number") };
        let used = next() + next();
        name.ends_with("(spindle-long").then_some(used)
    };
    stats.filter_map(of_thread).sum()
}

/// A person, or an office behind one address, hashes with ordinary priority; one that guesses without a pause does not.
#[test]
fn an_address_that_hashes_all_the_time_has_low_priority() {
    let server = Server::spawn(Options::default());
    let email = owner(&server).email;
    let sign_in = || {
        let pairs = [("username", email.as_str()), ("password", PASSWORD)];
        server.anonymous().post("/fetch_api_key", &pairs).ok();
    };
    sign_in();
    let used_by = |work: &dyn Fn()| {
        // What the address owes is paid.
        std::thread::sleep(Duration::from_millis(1100));
        let before = used_with_low_priority(&server);
        work();
        used_with_low_priority(&server) - before
    };
    let calm: u64 = (0..3).map(|_| used_by(&sign_in)).sum();
    let busy = used_by(&|| (0..12).for_each(|_| sign_in()));
    // Each takes four hundredths or more, the first one of which has ordinary priority.
    assert!(calm <= 5 && busy >= 12, "{calm} and {busy} hundredths");
}
