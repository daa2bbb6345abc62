//! zulip-terminal, in a terminal that a script controls.

use std::process::Command;
use std::time::Duration;

use spindle_tests::Server;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::repository;

use crate::{configuration, installed, run};

/// It starts, lists channels, opens a topic, sends, receives live, edits, reacts, stars, searches.
#[test]
fn zulip_terminal_sends_receives_and_edits() {
    let (Some(terminal), Some(python)) = (installed("terminal"), installed("python")) else {
        return;
    };
    let server = Server::shared();
    let (user, other) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&user, &other]);
    let folder = tempfile::tempdir().expect("folder");
    let output = run(
        Command::new(python.join("python"))
            .current_dir(folder.path())
            .arg(repository().join("tests/clients/terminal.py"))
            .arg(terminal.join("zulip-term"))
            .arg(configuration(folder.path(), &user))
            .arg(configuration(folder.path(), &other))
            .arg(&channel.name),
        Duration::from_secs(90),
    );
    assert!(output.contains("terminal: all steps passed"), "{output}");
}
