//! `spindle admin move`: an organization goes from a database file to PostgreSQL and back, whatever interrupts it, and clients
//! find everything as it was.

mod interrupted;
mod organization;
mod refusals;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{Options, Server};

/// `spindle admin move` from a file in `data`, or from the server at `url`.
fn command(data: &Path, url: Option<&str>, to: &str) -> Command {
    let mut command = Command::new(binary());
    command.args(["admin", "move", "--output", "json", "--to", to]);
    command.arg("--data-dir").arg(data);
    command.current_dir(repository()).stdin(Stdio::null());
    command
        .env_remove(DATABASE_URL)
        .envs(url.map(|url| (DATABASE_URL, url)));
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Moves and returns what the command has printed.
#[track_caller]
fn moved(data: &Path, url: Option<&str>, to: &str) -> Value {
    let output = command(data, url, to).output().expect("the program runs");
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The one line with which a move is refused.
#[track_caller]
fn refused(data: &Path, url: Option<&str>, to: &str) -> String {
    let output = command(data, url, to).output().expect("the program runs");
    let said = said(&output);
    assert!(!output.status.success(), "it was not refused");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!said.contains(spindle_test_postgres::PASSWORD), "{said}");
    said
}

/// Starts a move that will be killed.
fn started(data: &Path, url: Option<&str>, to: &str) -> Child {
    let mut command = command(data, url, to);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program runs")
}

/// A server on the database at `url`, in a data directory with the files of `data`.
fn node(data: &Path, url: &str) -> Server {
    let folder = tempfile::tempdir().expect("a directory").keep();
    std::os::unix::fs::symlink(data.join("blobs"), folder.join("blobs")).expect("a link");
    let environment = vec![(DATABASE_URL.to_owned(), url.to_owned())];
    Server::spawn_on(
        folder,
        Options {
            environment,
            ..Options::default()
        },
    )
}

/// A server with its database in a file, whatever tests of other programs use.
fn on_a_file() -> Server {
    Server::spawn_on(
        tempfile::tempdir().expect("a directory").keep(),
        Options::default(),
    )
}

#[track_caller]
fn assert_sound(server: &Server) {
    let report = server.admin(&["check"]);
    assert_eq!(report["sound"], true, "{report}");
}

fn rows(report: &Value, table: &str) -> u64 {
    let tables = report["tables"].as_array().expect("tables").iter();
    let mut found = tables.filter(|one| one["name"] == table);
    found.next().expect(table)["rows"]
        .as_u64()
        .expect("a number")
}
