//! pgbouncer between nodes and PostgreSQL: it works when a connection keeps its session, and is refused otherwise.

use std::process::Command;

use spindle_test_postgres::{PASSWORD, USER};
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{Queue, free_port};

use crate::programs::{Program, find};
use crate::{database, nodes_on};

/// Starts pgbouncer with this mode; returns it and the URL of the database through it.
fn pgbouncer(mode: &str, url: &str) -> Option<(Program, String)> {
    let path = find("pgbouncer")?;
    let (rest, database) = url.rsplit_once('/').expect("a path");
    let (account, behind) = rest.rsplit_once(':').expect("a port");
    let port = free_port();
    let configuration = format!(
        "[databases]\n* = host=127.0.0.1 port={behind}\n\
         [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir = FOLDER\n\
         auth_type = scram-sha-256\nauth_file = FOLDER/users\npool_mode = {mode}\n\
         max_client_conn = 500\ndefault_pool_size = 200\n"
    );
    let users = format!("\"{USER}\" \"{PASSWORD}\"\n");
    let files = [("pgbouncer.ini", configuration), ("users", users)];
    let program = Program::start(&path, &["FOLDER/pgbouncer.ini"], &files, port);
    Some((program, format!("{account}:{port}/{database}")))
}

#[test]
fn nodes_work_through_a_pooler_of_sessions() {
    let Some(database) = database() else {
        return;
    };
    let Some((_pooler, url)) = pgbouncer("session", &database.url()) else {
        return;
    };
    let nodes = nodes_on(url, 2);
    let users = [nodes.user("member"), nodes.user("member")];
    let mut queues = users.each_ref().map(|user| Queue::of(user, &["message"]));
    let to = format!("[{}]", users[1].user_id);
    for _ in 0..20 {
        let message = [("type", "direct"), ("to", &*to), ("content", "tea?")];
        let sent = users[0].post("/messages", &message).ok();
        for queue in &mut queues {
            let event = queue.expect(|event| event["type"] == "message");
            assert_eq!(event["message"]["id"], sent["id"]);
        }
    }
}

#[test]
fn a_pooler_of_transactions_is_refused_at_the_start() {
    let Some(database) = database() else {
        return;
    };
    let Some((_pooler, url)) = pgbouncer("transaction", &database.url()) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "none"])
        .arg("--data-dir")
        .arg(folder.path())
        .env(DATABASE_URL, url)
        .current_dir(repository())
        .output()
        .expect("the program runs");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("pool_mode"), "{said}");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(database.psql(tables), "0", "nothing was changed");
}
