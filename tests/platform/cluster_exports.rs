//! Data exports on two servers that share a database: one builds, another one when that is killed, and every one lists,
//! serves and deletes the archive (docs/adr/0058-archives-on-postgresql.md).

use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_postgres::Database;
use spindle_tests::{Client, Server};

use crate::cluster::{beside, options, owner_at};

const PATIENCE: Duration = Duration::from_secs(120);
const BEGUN: &str = "a data export is begun";
const BUILT: &str = "a data export was built";

/// Calls `find` until it finds something.
#[track_caller]
pub fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Which server has claimed the last export, and until when.
fn claim(database: &Database) -> Option<(String, i64)> {
    let sql = "SELECT claimed_by, claimed_until FROM realm_exports ORDER BY id DESC LIMIT 1";
    let row = database.psql(sql);
    let (builder, until) = row.split_once('|')?;
    (!builder.is_empty()).then(|| (builder.to_owned(), until.parse().expect("a time")))
}

fn exports(client: &Client) -> Vec<Value> {
    let list = client.get("/export/realm", &[]).ok()["exports"].take();
    list.as_array().expect("a list").clone()
}

/// The address of the archive of an export, once it is there.
fn archive(client: &Client, id: &Value, mut wait: impl FnMut()) -> String {
    let url = until("the export is still pending", || {
        let export = exports(client).into_iter().find(|one| one["id"] == *id);
        let export = export.expect("the export");
        assert_eq!(export["failed_timestamp"], Value::Null);
        wait();
        export["export_url"].as_str().map(str::to_owned)
    });
    url[url.find("/user_avatars/").expect("an address")..].to_owned()
}

fn count(server: &Server, text: &str) -> usize {
    server.log().matches(text).count()
}

#[test]
fn another_node_builds_the_export_of_one_that_is_killed() {
    let Some(postgres) = spindle_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let first = Server::spawn(options(&database));
    let second = beside(&first, &database);
    let mut nodes = [first, second];
    let clients = [nodes[0].owner(), owner_at(&nodes[1])];
    // As long as this table is locked, no archive is ready: it is read for exports, and almost last.
    let connection = nodes[0].database();
    let held = connection.transaction();
    held.execute_batch("LOCK TABLE bot_storage IN ACCESS EXCLUSIVE MODE")
        .expect("a lock");
    let id = clients[1].post("/export/realm", &[]).ok()["id"].clone();
    let turn = |nodes: &[Server; 2], seconds| nodes.each_ref().map(|node| node.advance(seconds));
    turn(&nodes, 5);
    let (builder, mut claimed_until) = until("it is claimed", || claim(&database));
    // In more time than a claim lasts, the other node does not take it.
    for _ in 0..6 {
        turn(&nodes, 21);
        claimed_until = until("its claim is prolonged", || {
            let (now, later) = claim(&database).expect("a claim");
            assert_eq!(now, builder);
            (later > claimed_until).then_some(later)
        });
    }
    let begun = nodes.each_ref().map(|node| count(node, BEGUN));
    assert_eq!(begun.iter().sum::<usize>(), 1, "{begun:?}");
    let (killed, other) = if begun[0] == 1 { (0, 1) } else { (1, 0) };
    nodes[killed].kill();
    drop(held);
    nodes[other].advance(120);
    let path = archive(&clients[other], &id, || {
        nodes[other].advance(5);
    });
    assert_ne!(claim(&database).expect("a claim").0, builder);
    assert_eq!(count(&nodes[other], BUILT), 1);
    nodes[killed].restart();
    assert_eq!(exports(&clients[0]), exports(&clients[1]));
    let [one, two] = clients.each_ref().map(|client| client.fetch(&path, &[]));
    assert_eq!((one.status, two.status), (200, 200));
    assert!(one.bytes == two.bytes && one.bytes.starts_with(&[0x1f, 0x8b]));
    // What the killed node had begun to write is gone.
    let files = nodes[0].directory().expect("a directory").join("blobs");
    let left = std::fs::read_dir(files.join("incoming")).expect("a folder");
    assert_eq!(left.count(), 0);
    clients[killed]
        .delete(&format!("/export/realm/{id}"), &[])
        .ok();
    for client in &clients {
        assert_eq!(client.fetch(&path, &[]).status, 404);
        assert!(exports(client)[0]["deleted_timestamp"].is_f64());
    }
}

/// A database that is lost while an archive is built costs that attempt, and not the export.
#[test]
fn an_export_outlives_its_connection() {
    let Some(postgres) = spindle_postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let server = Server::spawn(options(&database));
    let owner = server.owner();
    let connection = server.database();
    let held = connection.transaction();
    held.execute_batch("LOCK TABLE bot_storage IN ACCESS EXCLUSIVE MODE")
        .expect("a lock");
    let id = owner.post("/export/realm", &[]).ok()["id"].clone();
    server.advance(5);
    // Its snapshot only reads, and waits for the lock.
    let waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
        AND wait_event_type = 'Lock' AND query LIKE '%bot_storage%'";
    let session = until("it waits", || {
        Some(database.psql(waits)).filter(|found| !found.is_empty())
    });
    database.psql(&format!("SELECT pg_terminate_backend({session})"));
    until("the attempt has failed", || {
        (count(&server, "the connection to the database was lost") > 0
            || count(&server, "57P01") > 0)
            .then_some(())
    });
    drop(held);
    let path = archive(&owner, &id, || {
        server.advance(5);
    });
    assert_eq!(owner.fetch(&path, &[]).status, 200);
    assert_eq!(count(&server, BEGUN), 2);
}
