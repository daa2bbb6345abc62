//! A damaged database file: the server notices with the first request that reads the damage, and is
//! no longer ready.

use std::os::unix::fs::FileExt as _;

use spindle_tests::{Call, Client, Options, Server, free_port};

use crate::support::{number, until};

/// Overwrites the root pages of a table and of its indexes.
fn destroy(server: &Server, table: &str) {
    let database = server.database().sqlite();
    let size = number(&database, "PRAGMA page_size");
    database
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("checkpoint");
    let mut statement = database
        .prepare("SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?1 AND rootpage > 0")
        .expect("query");
    let pages = statement.query_map([table], |row| row.get::<_, i64>(0));
    let pages: Vec<i64> = pages.expect("rows").map(|row| row.expect("page")).collect();
    drop(statement);
    drop(database);
    assert!(!pages.is_empty());
    let file = std::fs::File::options()
        .write(true)
        .open(server.database_path())
        .expect("the file");
    for page in pages {
        let place = u64::try_from((page - 1) * size).expect("a place");
        let nothing = vec![0xff; usize::try_from(size).expect("a size")];
        file.write_all_at(&nothing, place).expect("write");
    }
}

#[test]
fn a_server_whose_database_is_damaged_is_not_ready() {
    let ops = format!("127.0.0.1:{}", free_port());
    let mut server = Server::spawn(Options {
        extra: ["--ops-listen".to_owned(), ops.clone()].into(),
        ..Options::default()
    });
    let user = server.user("member");
    server.terminate();
    destroy(&server, "drafts");
    server.restart();

    let health = Client::new(&format!("http://{ops}"), None);
    let readiness = || {
        let call = Call::new("GET", "/health/ready").at_root();
        let reply = health.try_send(&call).expect("an answer");
        let reason = reply.body["checks"]["database"].as_str().map(str::to_owned);
        (reply.status, reason.expect("a reason"))
    };
    assert_eq!(
        readiness(),
        (200, "ok".to_owned()),
        "no request has read it"
    );
    let drafts = Call::new("GET", "/drafts").undocumented();
    let reply = user.try_send(&drafts).expect("an answer");
    assert_eq!(reply.status, 500, "{}", reply.body);
    let (status, reason) = readiness();
    assert_eq!(status, 503);
    assert!(reason.contains("damaged"), "{reason}");
    until("the log says what to do", || {
        server.log().contains("spindle admin check")
    });
}
