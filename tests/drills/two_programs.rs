//! Two programs on one directory: a second server refuses to start, and administration next to a
//! server never changes the schema.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use spindle_tests::server::{binary, repository};
use spindle_tests::{Options, Server, free_port};

use crate::support::{number, refusal_to_serve, run, until};

/// `spindle events` on a directory.
fn events(directory: &Path, address: &str) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["60"])
        .arg(binary())
        .args(["events", "--token", "secret", "--listen", address])
        .arg("--database")
        .arg(directory.join("spindle.db"))
        .current_dir(repository())
        .stdin(Stdio::null());
    command
}

/// Ends a program and waits for it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // `timeout` passes the signal on.
        let id = self.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.0.wait();
    }
}

fn refusal(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    said
}

#[test]
fn only_one_server_of_any_kind_runs_on_a_directory() {
    let server = Server::spawn(Options::default());
    let directory = server.directory().expect("own").to_owned();
    let said = refusal_to_serve(&directory);
    assert!(said.contains("(spindle serve "), "{said}");
    let output = events(&directory, "127.0.0.1:0").output().expect("events");
    let said = refusal(&output);
    assert!(said.contains("(spindle serve "), "{said}");
    drop(server);

    let folder = tempfile::tempdir().expect("folder");
    let address = format!("127.0.0.1:{}", free_port());
    let first = events(folder.path(), &address)
        .stdout(Stdio::null())
        .spawn();
    let first = Running(first.expect("events"));
    until("it listens", || {
        std::net::TcpStream::connect(&address).is_ok()
    });
    let said = refusal_to_serve(folder.path());
    assert!(said.contains("(spindle events "), "{said}");
    let output = events(folder.path(), "127.0.0.1:0").output();
    refusal(&output.expect("events"));
    // Spin has the database open too, and takes none of these locks.
    let spin = rusqlite::Connection::open(folder.path().join("spindle.db")).expect("database");
    spin.execute("UPDATE realms SET name = name", [])
        .expect("a write");
    drop(first);
    assert!(number(&spin, "SELECT count(*) FROM realms") > 0);
}

#[test]
fn no_migration_runs_under_a_running_server() {
    let mut server = Server::spawn(Options::default());
    let directory = server.directory().expect("own").to_owned();
    let schema = "SELECT user_version FROM pragma_user_version";
    let known = number(&server.database().sqlite(), schema);
    let set = |version: i64| {
        let sql = format!("PRAGMA user_version = {version}");
        server.database().execute_batch(&sql).expect("pragma");
    };
    server.admin(&["user", "list"]);

    // For this program, the running server is now an older version.
    set(known - 1);
    for words in [
        &["user", "list"][..],
        &["organization", "deactivate"],
        &["quota", "--mib", "7"],
    ] {
        let said = refusal(&server.admin_output(words));
        assert!(said.contains("stop it first"), "{words:?}: {said}");
        assert_eq!(number(&server.database().sqlite(), schema), known - 1);
    }
    // Read-only commands work while a server of any version runs.
    let backup = directory.with_extension("backup");
    server.admin(&["backup", backup.to_str().expect("text")]);
    let words = ["admin", "restore", backup.to_str().expect("text")];
    let said = refusal(&run(&words, &directory));
    assert!(said.contains("stop it first"), "{said}");
    std::fs::remove_dir_all(&backup).expect("backup");

    // A newer one.
    set(known + 1);
    let said = refusal(&server.admin_output(&["user", "list"]));
    assert!(said.contains("newer"), "{said}");
    set(known);
    server.admin(&["user", "list"]);
    assert!(server.terminate().success());
    server.admin(&["user", "list"]);
}
