//! tus-js-client, the library with which browsers upload large files, run by Node.

use std::process::Command;
use std::time::Duration;

use spindle_tests::server::repository;
use spindle_tests::{Options, Server};

use crate::{client_folder, run};

/// Files in one request and in several, an upload that is interrupted and resumed, and one that is
/// cancelled.
#[test]
fn tus_js_client_uploads() {
    let Some(folder) = client_folder("resumable", "node_modules/tus-js-client") else {
        return;
    };
    let server = Server::own(Options::default());
    server.admin(&["quota", "--file-mib", "40"]);
    let member = server.user("member");
    let output = run(
        Command::new("node")
            .arg(repository().join("tests/clients/resumable.mjs"))
            .arg(folder)
            .args([server.base_url(), &member.email, &member.api_key]),
        Duration::from_secs(60),
    );
    assert!(output.contains("resumable: all steps passed"), "{output}");
}
