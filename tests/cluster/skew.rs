//! Changes that meet: each is right by what it has read, and both together would not be.
//!
//! A meeting is exact. A lock of the table of new events holds every change at its last statement: the second one reads
//! while the first one has written and is not committed, and both go on at the same moment. Under plain snapshot
//! isolation both would succeed.

use std::thread;

use postgres::NoTls;
use serde_json::{Value, json};
use spindle_test_postgres::Database;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, Server, User, env_number, unique};

use crate::proxy::Proxy;
use crate::{database, nodes_on, wait_until};

/// Two nodes on one database, and where it is.
struct Meeting {
    url: String,
    server: Server,
    _database: Database<'static>,
}

/// Runs a test as often as is asked for, on the same nodes.
fn often(test: impl Fn(&Meeting)) {
    let Some(database) = database() else {
        return;
    };
    let meeting = Meeting {
        url: database.url(),
        server: nodes_on(database.url(), 2),
        _database: database,
    };
    for _ in 0..env_number("SPINDLE_CLUSTER_ROUNDS", 2) {
        test(&meeting);
    }
}

/// The statements that wait for a lock, but for those of the server's own work.
fn waiting(observer: &mut postgres::Client) -> Vec<String> {
    let statements = "SELECT query FROM pg_stat_activity WHERE datname = current_database() \
         AND wait_event_type = 'Lock' AND query NOT LIKE '%pg_advisory%'";
    let rows = observer.query(statements, &[]).expect("rows");
    rows.iter().map(|row| row.get(0)).collect()
}

impl Meeting {
    /// Lets two changes meet. The second one begins when the first one has written everything but its events.
    fn of(
        &self,
        first: impl FnOnce() -> Reply + Send,
        second: impl FnOnce() -> Reply + Send,
    ) -> (Reply, Reply) {
        let mut holder = postgres::Client::connect(&self.url, NoTls).expect("a connection");
        let mut observer = postgres::Client::connect(&self.url, NoTls).expect("a connection");
        wait_until("earlier events are in order", || {
            let left = observer.query_one("SELECT count(*) FROM event_outbox", &[]);
            left.expect("a row").get::<_, i64>(0) == 0
        });
        let held = "BEGIN; LOCK TABLE event_outbox IN SHARE MODE";
        holder.batch_execute(held).expect("the lock");
        let mut waiting = || waiting(&mut observer);
        thread::scope(|scope| {
            let first = scope.spawn(first);
            wait_until("the first change waits", || {
                first.is_finished() || !waiting().is_empty()
            });
            let second = scope.spawn(second);
            wait_until("the second change waits, or has ended", || {
                second.is_finished() || waiting().len() > 1
            });
            holder.batch_execute("ROLLBACK").expect("no lock");
            let reply =
                |thread: thread::ScopedJoinHandle<'_, Reply>| thread.join().expect("a reply");
            (reply(first), reply(second))
        })
    }
}

/// Exactly one of two changes was made; the other one was refused for a reason that is in the answer.
#[track_caller]
fn one_of(replies: (Reply, Reply)) {
    let mut status = [replies.0.status, replies.1.status];
    status.sort_unstable();
    assert_eq!(status[0], 200, "{replies:?}");
    assert!((400..500).contains(&status[1]), "{replies:?}");
}

/// A new account that has come: its first request is a change with events, besides what it asks for.
fn account(server: &Server, role: &str) -> User {
    let user = server.user(role);
    user.get("/users/me", &[]).ok();
    user
}

/// Two owners, and no others.
fn two_owners(server: &Server) -> [User; 2] {
    let made = [account(server, "owner"), account(server, "owner")];
    let members = made[0].get("/users", &[]).ok()["members"].clone();
    for member in members.as_array().expect("members") {
        let id = member["user_id"].as_i64().expect("an id");
        let is_other = made.iter().all(|owner| owner.user_id != id);
        if member["role"] == 100 && member["is_active"] == true && is_other {
            let path = format!("/users/{id}");
            made[0].patch(&path, &[("role", "400")]).ok();
        }
    }
    made
}

fn owners(meeting: &Meeting) -> i64 {
    let count = "SELECT count(*) FROM users WHERE role = 100 AND is_active = 1 AND is_bot = 0";
    let database = meeting.server.database();
    let count = database.query_row(count, [], |row| row.get(0));
    count.expect("a count")
}

fn demote(by: &User, whom: &User) -> Reply {
    by.patch(&format!("/users/{}", whom.user_id), &[("role", "400")])
}

#[test]
fn two_owners_who_demote_each_other() {
    often(|meeting| {
        let [one, two] = two_owners(&meeting.server);
        one_of(meeting.of(|| demote(&one, &two), || demote(&two, &one)));
        assert_eq!(owners(meeting), 1);
    });
}

/// The meetings are exact: where the server makes REPEATABLE READ of SERIALIZABLE, both changes are made.
#[test]
fn under_snapshot_isolation_no_owner_would_be_left() {
    const SERIALIZABLE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
    let Some(database) = database() else {
        return;
    };
    let plain = format!("{:width$}", "BEGIN", width = SERIALIZABLE.len());
    let (_proxy, through) = Proxy::rewriting(&database.url(), SERIALIZABLE, &plain);
    database.psql(&format!(
        "ALTER DATABASE {} SET default_transaction_isolation = 'repeatable read'",
        database.name()
    ));
    let meeting = Meeting {
        url: database.url(),
        server: nodes_on(through, 2),
        _database: database,
    };
    let [one, two] = two_owners(&meeting.server);
    let replies = meeting.of(|| demote(&one, &two), || demote(&two, &one));
    assert_eq!(
        (replies.0.status, replies.1.status),
        (200, 200),
        "{replies:?}"
    );
    assert_eq!(owners(&meeting), 0);
}

#[test]
fn two_owners_who_leave() {
    often(|meeting| {
        let [one, two] = two_owners(&meeting.server);
        let leave = |owner: &User| owner.delete("/users/me", &[]);
        one_of(meeting.of(|| leave(&one), || leave(&two)));
        assert_eq!(owners(meeting), 1);
    });
}

fn group(owner: &User) -> i64 {
    let name = unique("group ");
    let made = [("name", &*name), ("description", ""), ("members", "[]")];
    let made = owner.post("/user_groups/create", &made).ok();
    made["group_id"].as_i64().expect("an id")
}

#[test]
fn two_groups_that_contain_each_other() {
    often(|meeting| {
        let owner = account(&meeting.server, "owner");
        let groups = [group(&owner), group(&owner)];
        let add = |to: i64, part: i64| {
            let path = format!("/user_groups/{to}/subgroups");
            owner.post(&path, &[("add", &format!("[{part}]"))])
        };
        one_of(meeting.of(|| add(groups[0], groups[1]), || add(groups[1], groups[0])));
    });
}

#[test]
fn a_group_that_is_deactivated_and_put_to_use() {
    often(|meeting| {
        let owner = account(&meeting.server, "owner");
        let (inner, outer) = (group(&owner), group(&owner));
        let deactivate = || owner.post(&format!("/user_groups/{inner}/deactivate"), &[]);
        let path = format!("/user_groups/{outer}/subgroups");
        let use_it = || owner.post(&path, &[("add", &format!("[{inner}]"))]);
        one_of(meeting.of(deactivate, use_it));
    });
}

/// The events that a client has after a meeting, in their order, up to `last`.
fn events_until(queue: &mut Queue, last: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut events = queue.until(last);
    // What follows is of interest, too; it has been committed.
    events.extend(queue.poll());
    events
}

fn place(events: &[Value], fits: impl Fn(&Value) -> bool) -> Option<usize> {
    events.iter().position(fits)
}

fn send(sender: &User, channel: &str) -> Reply {
    let message = [
        ("type", "channel"),
        ("to", channel),
        ("topic", "tea"),
        ("content", "who reads this?"),
    ];
    sender.post("/messages", &message)
}

/// A private channel with a message, its subscribers, and the event queue of the second one.
fn channel_of_two(meeting: &Meeting) -> (fixture::Channel, User, User, Queue) {
    let server = &meeting.server;
    let (sender, reader) = (account(server, "owner"), account(server, "member"));
    let subscribers = [&sender, &reader];
    let channel = fixture::channel(server, ChannelKind::PrivateShared, &subscribers);
    send(&sender, &channel.id()).ok();
    let queue = Queue::of(&reader, &["message", "subscription", "stream"]);
    (channel, sender, reader, queue)
}

/// Of a person: the server itself says that a channel was archived.
fn is_message(event: &Value) -> bool {
    event["type"] == "message" && event["message"]["client"] != "Internal"
}

fn is_removal(event: &Value) -> bool {
    event["type"] == "subscription" && event["op"] == "remove"
}

#[test]
fn a_message_to_a_subscriber_who_is_removed() {
    often(|meeting| {
        for removal_first in [true, false] {
            let (channel, sender, reader, mut queue) = channel_of_two(meeting);
            let administrator = account(&meeting.server, "owner");
            let fields = [
                ("subscriptions", json!([channel.name]).to_string()),
                ("principals", json!([reader.user_id]).to_string()),
            ];
            let fields = fields.each_ref().map(|(name, value)| (*name, &**value));
            let remove = || administrator.delete("/users/me/subscriptions", &fields);
            let write = || send(&sender, &channel.id());
            let (first, second) = match removal_first {
                true => meeting.of(remove, write),
                false => meeting.of(write, remove),
            };
            assert_eq!(
                (first.status, second.status),
                (200, 200),
                "{first:?} {second:?}"
            );
            let events = events_until(&mut queue, is_removal);
            let (message, removal) = (place(&events, is_message), place(&events, is_removal));
            assert_eq!(message.is_none(), removal_first, "{events:?}");
            assert!(message < removal, "{events:?}");
        }
    });
}

#[test]
fn a_message_to_a_channel_that_is_archived() {
    often(|meeting| {
        for archived_first in [true, false] {
            let (channel, sender, _reader, mut queue) = channel_of_two(meeting);
            let administrator = account(&meeting.server, "owner");
            let path = format!("/streams/{}", channel.id());
            let archive = || administrator.delete(&path, &[]);
            let write = || send(&sender, &channel.id());
            let is_archived = |event: &Value| event["type"] == "stream" && event["op"] != "create";
            let replies = match archived_first {
                true => meeting.of(archive, write),
                false => meeting.of(write, archive),
            };
            let expected = if archived_first { 400 } else { 200 };
            assert_eq!(
                (replies.0.status, replies.1.status),
                (200, expected),
                "{replies:?}"
            );
            let events = events_until(&mut queue, is_archived);
            let message = place(&events, is_message);
            assert_eq!(message.is_none(), archived_first, "{events:?}");
            assert!(message < place(&events, is_archived), "{events:?}");
        }
    });
}

#[test]
fn a_member_of_a_group_who_is_deactivated() {
    often(|meeting| {
        let owner = account(&meeting.server, "owner");
        let (group, member) = (group(&owner), account(&meeting.server, "member"));
        let mut queue = Queue::of(&owner, &["realm_user", "user_group"]);
        let path = format!("/users/{}", member.user_id);
        let deactivate = || owner.delete(&path, &[]);
        let of_group = format!("/user_groups/{group}/members");
        let add = || owner.post(&of_group, &[("add", &format!("[{}]", member.user_id))]);
        let (gone, added) = meeting.of(deactivate, add);
        assert_eq!(gone.status, 200, "{gone:?}");
        let is_gone = |event: &Value| {
            event["type"] == "realm_user"
                && (event["op"] == "remove" || event["person"]["is_active"] == false)
        };
        let is_added = |event: &Value| {
            event["op"] == "add_members"
                && event["group_id"] == group
                && event["user_ids"] == json!([member.user_id])
        };
        let events = events_until(&mut queue, is_gone);
        // A deactivated account is no member of any group that clients know.
        let (gone, place) = (place(&events, is_gone), place(&events, is_added));
        assert!(place < gone, "{} {events:?}", added.status);
        let listed = owner.get(&of_group, &[]).ok()["members"].clone();
        assert_eq!(listed, json!([]));
    });
}
