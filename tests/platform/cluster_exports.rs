//! Data exports on servers that share a database: one builds, another one when that is killed, and every one lists,
//! serves and deletes the archive (docs/adr/0058-archives-on-postgresql.md).

use serde_json::Value;
use spindle_test_postgres::Database;
use spindle_tests::database::Transaction;
use spindle_tests::{Client, Queue, Server, until};

use crate::cluster::{beside, options, owner_at};

const EXPORTS: &str = "/export/realm";
const BEGUN: &str = "a data export is begun";
const BUILT: &str = "a data export was built";

/// Longer than a claim lasts.
const CLAIM_IS_OVER: u64 = 91;

/// An archive reads this table, almost last, and hardly anything else does: while it is locked, no archive gets ready.
fn hold(connection: &spindle_tests::Database) -> Transaction<'_> {
    let held = connection.transaction();
    held.execute_batch("LOCK TABLE bot_storage IN ACCESS EXCLUSIVE MODE")
        .expect("a lock");
    held
}

/// Which server has claimed the last export, and until when.
fn claim(database: &Database) -> Option<(String, i64)> {
    let sql = "SELECT claimed_by, claimed_until FROM realm_exports ORDER BY id DESC LIMIT 1";
    let row = database.psql(sql);
    let (builder, until) = row.split_once('|')?;
    (!builder.is_empty()).then(|| (builder.to_owned(), until.parse().expect("a time")))
}

/// Addresses without the server's name, which follows the request's.
fn exports(client: &Client) -> Vec<Value> {
    let mut list = client.get(EXPORTS, &[]).ok()["exports"].take();
    let list = list.as_array_mut().expect("a list");
    for export in list.iter_mut() {
        let url = export["export_url"].as_str();
        let path = url.map(|url| url[url.find("/user_avatars/").expect("an address")..].to_owned());
        export["export_url"] = path.into();
    }
    list.clone()
}

/// The address of the archive of an export, once it is there. Clocks stand still until then: on a slow machine, claims
/// would end before they are renewed.
fn archive(client: &Client, id: &Value) -> String {
    until("the archive", || {
        let export = exports(client).into_iter().find(|one| one["id"] == *id);
        let export = export.expect("the export");
        assert_eq!(export["failed_timestamp"], Value::Null);
        export["export_url"].as_str().map(str::to_owned)
    })
}

fn count(server: &Server, text: &str) -> usize {
    server.log().matches(text).count()
}

/// Waits until the logs of these servers have a line; returns how often each has it.
fn counted<const N: usize>(servers: [&Server; N], text: &str) -> [usize; N] {
    until(text, || {
        let counts = servers.map(|server| count(server, text));
        (counts.iter().sum::<usize>() > 0).then_some(counts)
    })
}

/// Waits until an attempt waits for the lock of [`hold`]; returns its session.
fn waiting(database: &Database) -> String {
    let waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND query LIKE '%bot_storage%' LIMIT 1";
    until("an attempt waits", || {
        Some(database.psql(waits)).filter(|found| !found.is_empty())
    })
}

#[test]
fn each_node_lists_serves_and_deletes_an_archive() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let first = Server::spawn(options(&database));
    let nodes = [beside(&first, &database), first];
    let clients = [owner_at(&nodes[0]), nodes[1].owner()];
    let mut queues = clients
        .each_ref()
        .map(|client| Queue::of(client, &["realm_export"]));
    // Each node builds what was asked for at the other one, or at itself.
    for number in [0, 1] {
        let id = clients[number].post(EXPORTS, &[]).ok()["id"].clone();
        for node in &nodes {
            node.advance(5);
        }
        let path = archive(&clients[1], &id);
        for queue in &mut queues {
            let pending = |event: &Value| event["exports"][number]["pending"].clone();
            let events = queue.until(|event| pending(event) == false);
            assert_eq!(
                events.iter().map(pending).collect::<Vec<_>>(),
                [true, false]
            );
        }
        assert_eq!(exports(&clients[0]), exports(&clients[1]));
        let [one, two] = clients.each_ref().map(|client| client.fetch(&path, &[]));
        assert_eq!((one.status, two.status), (200, 200));
        assert!(one.bytes == two.bytes && one.bytes.starts_with(&[0x1f, 0x8b]));
        clients[number].delete(&format!("{EXPORTS}/{id}"), &[]).ok();
        for (client, queue) in clients.iter().zip(&mut queues) {
            assert_eq!(client.fetch(&path, &[]).status, 404);
            assert!(exports(client)[number]["deleted_timestamp"].is_f64());
            let events = queue.until(|_| true);
            assert!(events[0]["exports"][number]["deleted_timestamp"].is_f64());
            assert_eq!(events.len(), 1);
        }
        clients[1 - number]
            .delete(&format!("{EXPORTS}/{id}"), &[])
            .bad_request();
    }
    until("both are built", || {
        let built = nodes.each_ref().map(|node| count(node, BUILT));
        (built.iter().sum::<usize>() == 2).then_some(())
    });
    for queue in &mut queues {
        assert!(queue.poll().is_empty());
    }
}

#[test]
fn another_node_builds_the_export_of_one_that_is_killed() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let first = Server::spawn(options(&database));
    let second = beside(&first, &database);
    let mut nodes = [first, second];
    let clients = [nodes[0].owner(), owner_at(&nodes[1])];
    let connection = nodes[0].database();
    let held = hold(&connection);
    let id = clients[1].post(EXPORTS, &[]).ok()["id"].clone();
    let advance = |nodes: &[Server; 2], seconds| {
        for node in nodes {
            node.advance(seconds);
        }
    };
    advance(&nodes, 5);
    let (builder, mut claimed_until) = until("it is claimed", || claim(&database));
    // In more time than a claim lasts, the other node does not take it.
    for _ in 0..6 {
        advance(&nodes, 21);
        claimed_until = until("its claim is prolonged", || {
            let (now, later) = claim(&database).expect("a claim");
            assert_eq!(now, builder);
            (later > claimed_until).then_some(later)
        });
    }
    waiting(&database);
    // One attempt, or several on a machine on which the above took longer than a statement may.
    let begun = counted(nodes.each_ref(), BEGUN);
    let (killed, other) = if begun[0] > 0 { (0, 1) } else { (1, 0) };
    assert_eq!(begun[other], 0);
    nodes[killed].kill();
    drop(held);
    nodes[other].advance(CLAIM_IS_OVER);
    let path = archive(&clients[other], &id);
    assert_ne!(claim(&database).expect("a claim").0, builder);
    let record = exports(&clients[other]);
    nodes[killed].restart();
    // It keeps finished archives, and removes unfinished ones.
    for _ in 0..4 {
        advance(&nodes, CLAIM_IS_OVER);
    }
    for client in &clients {
        assert_eq!(exports(client), record);
        assert_eq!(client.fetch(&path, &[]).status, 200);
    }
    assert_eq!(counted([&nodes[other]], BUILT), [1]);
    assert_eq!(count(&nodes[killed], BUILT), 0);
    let files = nodes[0].directory().expect("a directory").join("blobs");
    let left = std::fs::read_dir(files.join("incoming")).expect("a folder");
    assert_eq!(left.count(), 0);
}

/// A database that is lost while an archive is built costs that attempt, and a server that is killed the claim: neither costs
/// the export.
#[test]
fn an_export_outlives_its_connection_and_its_server() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let mut server = Server::spawn(options(&database));
    let owner = server.owner();
    let connection = server.database();
    let held = hold(&connection);
    let id = owner.post(EXPORTS, &[]).ok()["id"].clone();
    server.advance(5);
    let session = waiting(&database);
    let before = count(&server, BEGUN);
    database.psql(&format!("SELECT pg_terminate_backend({session})"));
    until("it is begun anew", || {
        server.advance(5);
        (count(&server, BEGUN) > before).then_some(())
    });
    assert_ne!(waiting(&database), session);
    server.kill();
    let (builder, claimed_until) = claim(&database).expect("a claim");
    drop(held);
    server.restart();
    // The new process waits until the claim is over. Its clock begins again at the time of the machine.
    let left = u64::try_from(claimed_until - server.advance(0));
    server.advance(left.unwrap_or_default() + 1);
    let path = archive(&owner, &id);
    assert_eq!(owner.fetch(&path, &[]).status, 200);
    assert_ne!(claim(&database).expect("a claim").0, builder);
    assert_eq!(counted([&server], BUILT), [1]);
}
