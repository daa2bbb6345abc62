//! zulip-js, run by Node.

use std::process::Command;
use std::time::Duration;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::repository;
use spindle_tests::{Server, unique};

use crate::{client_folder, run};

/// Makes every call of the library; the member signs in with a password.
#[test]
fn zulip_js_makes_every_call() {
    let Some(folder) = client_folder("javascript", "node_modules/zulip-js") else {
        return;
    };
    let server = Server::shared();
    let password = unique("password ");
    let owner = server.user("owner");
    let member = server.user_with("member", &["--password", &password]);
    let permission = ["--permission", "can_create_users"];
    server.admin(&[&["user", "grant", "--email", &owner.email][..], &permission].concat());
    let channel = fixture::channel(server, ChannelKind::Public, &[&owner, &member]);
    let output = run(
        Command::new("node")
            .arg(repository().join("tests/clients/javascript.mjs"))
            .arg(folder)
            .args([server.base_url(), &owner.email, &owner.api_key])
            .args([&member.email, &password, &channel.name]),
        Duration::from_secs(60),
    );
    assert!(output.contains("javascript: all steps passed"), "{output}");
}
