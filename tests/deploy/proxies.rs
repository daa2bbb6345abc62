//! Runs a part of the black-box suite through a proxy: its own binary, with the proxy's address.

use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;

use spindle_tests::{Call, Client, Server};

use crate::run;

/// Tests of the black-box suite that run again through each proxy: forms and errors, waiting for
/// events, sessions of browsers, whole files, and files in parts, also ones that break off.
pub(crate) const FILTERS: [&str; 6] = [
    "conventions::",
    "events::get_events::",
    "messages::send_message::",
    "sessions::",
    "files::upload_file::",
    "files::resumable::",
];

/// Runs the tests of the conformance suite whose names contain one of `filters`, against a proxy in
/// front of `server`. Tests that start servers of their own are left out.
#[track_caller]
pub(crate) fn black_box(server: &Server, port: u16, filters: &[&str]) {
    let said = run(Command::new(conformance())
        .args(filters)
        // Which of several connections wins says nothing about a proxy.
        .args(["--skip", "simultaneous_parts_are_never_mixed"])
        .env("SPINDLE_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("SPINDLE_DATABASE", server.database_path()));
    let passed = said
        .split("test result: ok. ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    // A filter that no longer matches a test would test nothing.
    assert!(
        passed.is_some_and(|passed| passed >= 5 * filters.len() as u32),
        "{said}"
    );
}

/// The newest binary of the conformance tests: cargo builds all tests before it runs one.
fn conformance() -> PathBuf {
    let own = std::env::current_exe().expect("this test's program");
    let folder = own.parent().expect("a folder");
    let entries = std::fs::read_dir(folder).expect("the folder of test programs");
    let programs = entries.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("conformance-") && !name.contains('.'))
    });
    let changed = |path: &PathBuf| {
        let found = path.metadata().and_then(|found| found.modified());
        found.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    programs
        .max_by_key(changed)
        .expect("the conformance tests: cargo test -p spindle-tests --no-run")
}

/// An error of the proxy itself, in the form of the API.
#[track_caller]
pub(crate) fn reports_an_unreachable_server(port: u16) {
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None);
    let reply = client.send(Call::new("GET", "/server_settings").undocumented());
    let body = reply.error(502, "INTERNAL_SERVER_ERROR");
    assert!(
        body["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("restart")),
        "{body}"
    );
}
