//! Guesses of passwords.

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
