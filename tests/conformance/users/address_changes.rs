//! How often an e-mail address may change (docs/protocol/limits.md#rate-limits): by PATCH /settings
//! and by PATCH /users/{user_id}.

use serde_json::{Value, json};
use spindle_tests::{Client, Queue, Reply, User, unique};

use super::{bot_of, grant, shown};
use crate::support::{server, settle};

fn new_address() -> String {
    format!("{}@example.com", unique("moved").to_lowercase())
}

/// A user who signs in with their current address.
struct Mover {
    user: User,
    address: String,
}

impl Mover {
    fn new() -> Self {
        let user = server().user("member");
        let address = user.email.clone();
        Self { user, address }
    }

    fn patch(&self, pairs: &[(&str, &str)]) -> Reply {
        let credentials = (self.address.as_str(), self.user.api_key.as_str());
        Client::new(server().base_url(), Some(credentials)).patch("/settings", pairs)
    }

    /// Requests a new address.
    fn change(&mut self) -> Reply {
        let address = new_address();
        let reply = self.patch(&[("email", &address)]);
        if reply.status == 200 {
            self.address = address;
        }
        reply
    }
}

/// Backdates the address changes of an account.
fn seconds_pass(user: &User, seconds: i64) {
    let sql = "UPDATE audit_log SET time = time - ?2 \
               WHERE modified_user_id = ?1 AND event_type = 'user_email_changed'";
    server()
        .database()
        .execute(sql, [user.user_id, seconds])
        .unwrap();
}

/// The error has its code, the seconds in the body, and whole seconds in the header.
fn refused(reply: Reply, at_most: f64) {
    let header: f64 = reply.header("retry-after").unwrap().parse().unwrap();
    let body = reply.error(429, "RATE_LIMIT_HIT");
    let seconds = body["retry-after"].as_f64().unwrap();
    assert!(seconds > 0.0 && seconds <= at_most, "{seconds}");
    assert_eq!(header, seconds.ceil());
}

#[test]
fn an_address_changes_at_most_twice_an_hour_and_five_times_a_day() {
    let mut mover = Mover::new();
    // An unchanged address, or a request refused for another reason, does not count.
    mover.patch(&[("email", &mover.address)]).ok();
    mover.patch(&[("email", "no address")]).bad_request();
    mover.change().ok();
    mover.change().ok();
    refused(mover.change(), 3600.0);
    // All or nothing: the setting is unchanged.
    let address = new_address();
    let pairs = [("email", address.as_str()), ("enter_sends", "true")];
    refused(mover.patch(&pairs), 3600.0);
    let database = server().database();
    let sql = "SELECT settings ->> 'enter_sends' FROM users WHERE id = ?1";
    let stored: Option<i64> = database
        .query_row(sql, [mover.user.user_id], |row| row.get(0))
        .unwrap();
    assert_eq!(stored, None);
    seconds_pass(&mover.user, 3600);
    mover.change().ok();
    mover.change().ok();
    seconds_pass(&mover.user, 3600);
    mover.change().ok();
    refused(mover.change(), 86_400.0);
    seconds_pass(&mover.user, 86_400 - 7200);
    mover.change().ok();
}

#[test]
fn the_limit_applies_to_changes_by_administrators_too() {
    let admin = server().user("administrator");
    grant(server(), &admin, "can_change_user_emails");
    let (mut mover, other) = (Mover::new(), server().user("member"));
    let change = |user: &User| {
        let path = format!("/users/{}", user.id());
        admin.patch(&path, &[("new_email", &new_address())])
    };
    change(&mover.user).ok();
    let person = shown(&admin, &mover.user);
    mover.address = person["delivery_email"].as_str().unwrap().to_owned();
    mover.change().ok();
    refused(change(&mover.user), 3600.0);
    refused(mover.change(), 3600.0);
    change(&other).ok();
}

/// All users who can see the bot receive its new address; the small object of `realm_bot` has none.
#[test]
fn the_new_address_of_a_bot_is_broadcast_and_sent_to_its_managers() {
    let (owner, watcher) = (server().user("member"), server().user("guest"));
    let bot = bot_of(server(), &owner);
    let types = ["realm_user", "realm_bot", "user_status"];
    let mut queues = [&owner, &watcher].map(|user| Queue::of(user, &types));
    let short_name = unique("renamed");
    let path = format!("/bots/{}", bot.id());
    owner.patch(&path, &[("short_name", &short_name)]).ok();
    let email = format!("{short_name}-bot@127.0.0.1");
    for (queue, manages) in queues.iter_mut().zip([true, false]) {
        let events = settle(queue);
        let of_bot: Vec<&Value> = events
            .iter()
            .filter(|event| event["type"] == "realm_bot")
            .map(|event| &event["bot"])
            .collect();
        let change = json!({"user_id": bot.user_id, "email": email});
        assert_eq!(of_bot, if manages { vec![&change] } else { vec![] });
        let received: Vec<&Value> = events
            .iter()
            .map(|event| &event["person"])
            .filter(|person| person["user_id"] == bot.user_id && person.get("new_email").is_some())
            .collect();
        assert_eq!(
            received,
            [&json!({"user_id": bot.user_id, "new_email": email})]
        );
    }
}

/// The server says five times an hour whether an address is taken. After that it refuses every address, so that a
/// refusal reveals nothing.
#[test]
fn taken_addresses_can_be_tried_five_times_an_hour() {
    let mover = Mover::new();
    let taken: Vec<String> = (0..6).map(|_| server().user("member").email).collect();
    for address in &taken[..5] {
        mover.patch(&[("email", address)]).bad_request();
    }
    refused(mover.patch(&[("email", &taken[5])]), 3600.0);
    refused(mover.patch(&[("email", &new_address())]), 3600.0);
    mover.patch(&[("email", &mover.address)]).ok();
    let sql = "UPDATE audit_log SET time = time - ?2 \
               WHERE acting_user_id = ?1 AND event_type = 'hidden_name_tried'";
    let database = server().database();
    database.execute(sql, [mover.user.user_id, 3600]).unwrap();
    mover.patch(&[("email", &taken[5])]).bad_request();
    mover.patch(&[("email", &new_address())]).ok();
}
