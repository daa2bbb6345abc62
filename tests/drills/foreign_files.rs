//! Files in the data directory that are not the server's: databases of other programs, and pipes.

use std::fs;
use std::process::Command;

use spindle_tests::{Options, Server};

use crate::support::run;

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("spindle.db");
    let other = rusqlite::Connection::open(&path).expect("a database");
    other.execute_batch("CREATE TABLE a (b)").expect("a table");
    drop(other);
    let content = fs::read(&path).expect("the file");
    for words in [
        &["admin", "user", "list"][..],
        &["admin", "check"],
        &["admin", "organization", "show"],
        &["doctor"],
    ] {
        let output = run(words, folder.path());
        assert!(!output.status.success(), "{words:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("another program"), "{words:?}: {said}");
        assert_eq!(fs::read(&path).expect("the file"), content, "{words:?}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_does_not_hold_up_the_doctor() {
    let mut server = Server::spawn(Options::default());
    server.terminate();
    let directory = server.directory().expect("own server");
    let aside = directory.join("aside");
    for name in [
        "spindle.db",
        "queues.db",
        "key_value.db",
        "spindle.toml",
        "address",
        "last-backup",
        "internal-token",
        "spindle.lock",
        "blobs/pipe",
    ] {
        let path = directory.join(name);
        let is_there = path.exists();
        if is_there {
            fs::rename(&path, &aside).expect("the file moves");
        }
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success(), "{name}");
        let output = run(&["doctor"], directory);
        let said = [output.stdout, output.stderr].concat();
        assert!(!said.is_empty(), "{name}");
        if name == "spindle.db" {
            assert!(!output.status.success());
        }
        fs::remove_file(&path).expect("the pipe");
        if is_there {
            fs::rename(&aside, &path).expect("the file moves");
        }
    }
}
