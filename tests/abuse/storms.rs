//! Small changes that are broadcast to all accounts, as many as accounts can make.

use spindle_tests::{Server, User};

use crate::attack::{self, Attack, Work};
use crate::attacker::{Attacker, at_once};

const ACCOUNTS: usize = 4;

/// Accounts whose queues receive all events.
fn accounts(server: &Server) -> Vec<User> {
    let users: Vec<User> = (0..ACCOUNTS).map(|_| server.user("member")).collect();
    for user in &users {
        let pairs = [("all_public_streams", "true"), ("fetch_event_types", "[]")];
        user.post("/register", &pairs).ok();
    }
    users
}

fn of(server: &Server, users: &[User]) -> Vec<Attacker> {
    let attackers = users.iter().map(|user| Attacker::of(server, user));
    attackers.collect()
}

/// Typing, presence and status events, which are broadcast to many accounts.
fn broadcasts(
    server: &Server,
    path: &'static str,
    pairs: fn(&str) -> Vec<(&'static str, String)>,
) -> Work {
    let users = accounts(server);
    let ids: Vec<String> = users.iter().map(User::id).collect();
    let (attackers, all) = (of(server, &users), format!("[{}]", ids.join(",")));
    Box::new(move |is_over| {
        let pairs = pairs(&all);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(k, v)| (*k, v.as_str())).collect();
        at_once(&attackers, 4, is_over, |member, _| {
            member.call(is_over, "POST", path, &pairs);
        });
    })
}

pub const TYPING: Attack = Attack::new("a storm of typing", |server| {
    broadcasts(server, "/typing", |all| {
        vec![("op", "start".to_owned()), ("to", all.to_owned())]
    })
});

pub const PRESENCE: Attack = Attack::new("a storm of presence", |server| {
    broadcasts(server, "/users/me/presence", |_| {
        vec![("status", "active".to_owned())]
    })
});

pub const STATUSES: Attack = Attack::new("a storm of statuses", |server| {
    broadcasts(server, "/users/me/status", |_| {
        vec![("status_text", "here, and everybody is notified".to_owned())]
    })
});

#[test]
fn many_broadcasts_of_typing_presence_and_status_are_withstood() {
    attack::are_withstood(&[TYPING, PRESENCE, STATUSES]);
}
