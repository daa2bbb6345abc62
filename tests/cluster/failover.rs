//! The primary server of PostgreSQL is lost under load, by a kill and by a partition: nothing acknowledged is lost.
//!
//! Three servers under Patroni with synchronous replication, three nodes, on three machines (`machines.rs`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use postgres::NoTls;
use spindle_tests::load::{Errors, Load};
use spindle_tests::{Call, Client, Database, Queue, User, env_number, nodes};

use crate::machines::{MACHINES, Machines};
use crate::wait_until;

/// The address of a client whose requests go to each node in turn.
const ANY_NODE: &str = "http://any-node.invalid";

/// An account with a client of the node on a machine.
fn user(machines: &Machines, number: usize, name: &str) -> User {
    let email = format!("{name}@example.org");
    let words = [
        "user",
        "create",
        "--email",
        &email,
        "--full-name",
        name,
        "--role",
        "member",
    ];
    let made = machines.admin(number, &words);
    let text = |field: &str| made[field].as_str().expect("a text").to_owned();
    let (email, api_key) = (text("email"), text("api_key"));
    let user = User {
        user_id: made["user_id"].as_i64().expect("an id"),
        client: Client::new(&machines.node(number), Some((&email, &api_key))),
        email,
        full_name: name.to_owned(),
        api_key,
    };
    let general = [("subscriptions", r#"[{"name": "general"}]"#)];
    user.post("/users/me/subscriptions", &general).ok();
    user
}

/// Waits until more changes are acknowledged than now; returns how long that takes.
fn until_acknowledged(load: &Load) -> Duration {
    let (begin, before) = (Instant::now(), load.changes());
    // More than may have been on their way.
    wait_until("changes are acknowledged", || load.changes() > before + 20);
    begin.elapsed()
}

/// Counts notes of an account to itself that the node of a machine acknowledges although it is cut off.
fn acknowledged_by(client: &Client, user_id: i64, is_over: &AtomicBool) -> u64 {
    let (mut acknowledged, to) = (0, format!("[{user_id}]"));
    while !is_over.load(Ordering::SeqCst) {
        let message = [("type", "direct"), ("to", &*to), ("content", "cut off")];
        let call = Call::new("POST", "/messages").form(&message);
        let call = call.timeout(Duration::from_secs(60));
        let reply = client.try_send(&call);
        // One that was sent before the end may be answered after it.
        if !is_over.load(Ordering::SeqCst) && reply.is_ok_and(|reply| reply.status == 200) {
            acknowledged += 1;
        }
        thread::sleep(Duration::from_millis(100));
    }
    acknowledged
}

/// The primary is killed: a standby that has all that was acknowledged takes over. Where Patroni starts the same server again,
/// because the standbys did not answer it in time, that one is killed again.
fn kill_primary(machines: &Machines, load: &Load) {
    let lost = machines.wait_for_all();
    let another = (0..4).any(|_| {
        machines.kill_postgres(lost);
        let took = until_acknowledged(load).as_secs_f64();
        println!("killed the primary: written again after {took:.1} s");
        machines.wait_for_all() != lost
    });
    assert!(another, "no standby has taken over");
}

/// The machine of the primary is cut off, with its node, which clients still reach.
fn cut_primary_off(machines: &Machines, load: &Load, users: &[User]) {
    let lost = machines.wait_for_all();
    let at_lost = Client::new(
        &machines.node(lost),
        Some((&users[0].email, &users[0].api_key)),
    );
    machines.cut(lost);
    let is_over = AtomicBool::new(false);
    let acknowledged = thread::scope(|scope| {
        let (client, user_id, is_over) = (&at_lost, users[0].user_id, &is_over);
        let asking = scope.spawn(move || acknowledged_by(client, user_id, is_over));
        let begin = Instant::now();
        wait_until("another server is the primary", || {
            let now = machines.primary_without(lost);
            now.is_some_and(|now| now != lost)
        });
        until_acknowledged(load);
        let took = begin.elapsed().as_secs_f64();
        println!("cut the primary off: written again after {took:.1} s");
        wait_until("the node that is cut off says so", || {
            !machines.is_ready(lost)
        });
        is_over.store(true, Ordering::SeqCst);
        machines.join(lost);
        asking.join().expect("a client")
    });
    assert_eq!(
        acknowledged, 0,
        "a primary that was cut off has acknowledged"
    );
    wait_until("the node recovers", || machines.is_ready(lost));
    wait_until("its clients write again", || {
        let me = at_lost.try_send(&Call::new("GET", "/users/me"));
        me.is_ok_and(|reply| reply.status == 200)
    });
    machines.wait_for_all();
}

/// Another machine is cut off, with its node: the locks that this node held do not stop the others, nor their events.
fn cut_node_off(machines: &Machines, load: &Load, users: &[User]) {
    let primary = machines.wait_for_all();
    let lost = MACHINES.into_iter().find(|number| *number != primary);
    let lost = lost.expect("another machine");
    let user = &users[primary - 1];
    let mut queue = Queue::of(user, &["message"]);
    machines.cut(lost);
    let took = until_acknowledged(load).as_secs_f64();
    println!("cut another machine off: written again after {took:.1} s");
    let to = format!("[{}]", user.user_id);
    let message = [("type", "direct"), ("to", &*to), ("content", "beside")];
    let call = Call::new("POST", "/messages").form(&message);
    let mut sent = None;
    wait_until("a note is acknowledged", || {
        let reply = user
            .try_send(&call)
            .ok()
            .filter(|reply| reply.status == 200);
        sent = reply.and_then(|reply| reply.body["id"].as_i64());
        sent.is_some()
    });
    let begin = Instant::now();
    wait_until("its event comes", || {
        let events = queue.try_wait().unwrap_or_default();
        events
            .iter()
            .any(|event| event["message"]["id"].as_i64() == sent)
    });
    let took = begin.elapsed().as_secs_f64();
    println!("its event has come {took:.1} s after the answer");
    machines.join(lost);
    wait_until("the node recovers", || machines.is_ready(lost));
}

/// Whether a server lets one connect, and follows no other.
fn takes_changes(url: &str) -> bool {
    let asked = postgres::Client::connect(url, NoTls)
        .and_then(|mut client| client.query_one("SELECT NOT pg_is_in_recovery()", &[]));
    asked.is_ok_and(|row| row.get(0))
}

#[test]
fn nothing_acknowledged_is_lost_with_the_primary() {
    let Some(mut machines) = Machines::start() else {
        return;
    };
    let primary = machines.wait_for_all();
    let url = machines.url_of(primary, "postgres");
    let mut client = postgres::Client::connect(&url, NoTls).expect("the primary");
    let create = "CREATE DATABASE spindle TEMPLATE template0 ENCODING 'UTF8'";
    client.batch_execute(create).expect("a database");
    drop(client);
    for number in MACHINES {
        machines.start_node(number);
    }
    let writers = MACHINES.map(|number| user(&machines, number, &format!("writer{number}")));
    let addresses = MACHINES.map(|number| machines.node(number));
    nodes::rotate(ANY_NODE, addresses.into());
    let readers = MACHINES.map(|number| {
        let mut reader = user(&machines, number, &format!("reader{number}"));
        let credentials = (&*reader.email, &*reader.api_key);
        reader.client = Client::new(ANY_NODE, Some(credentials));
        reader
    });
    let mut load = Load::start(&writers, &readers, 5, "general", Errors::Unknown);
    until_acknowledged(&load);
    for _ in 0..env_number("SPINDLE_FAILOVERS", 1) {
        kill_primary(&machines, &load);
        cut_node_off(&machines, &load, &writers);
        cut_primary_off(&machines, &load, &writers);
    }
    load.stop();
    let primary = machines.wait_for_all();
    wait_until("the primary takes changes", || {
        takes_changes(&machines.url_of(primary, "spindle"))
    });
    load.check(&Database::server(&machines.url_of(primary, "spindle")));
    machines.kill_nodes();
    load.join();
}
