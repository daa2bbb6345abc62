//! The Python library: operations of members and administrators, and `zulip-send`.

use std::process::Command;
use std::time::Duration;

use spindle_tests::Server;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::repository;

use crate::{configuration, installed, run};

/// Registers, receives a channel and a direct message that another account sends with `zulip-send`,
/// sets and reads statuses, deletes its queue and registers again.
#[test]
fn the_python_library_and_zulip_send_exchange_messages() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (reader, sender) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&reader, &sender]);
    let folder = tempfile::tempdir().expect("folder");
    let output = run(
        Command::new(bin.join("python"))
            .arg(repository().join("tests/clients/library.py"))
            .arg(configuration(folder.path(), &reader))
            .arg(configuration(folder.path(), &sender))
            .arg(bin.join("zulip-send"))
            .args([&channel.name, &reader.email]),
        Duration::from_secs(60),
    );
    assert!(output.contains("library: all steps passed"), "{output}");
}

/// Calls every method of the library about users, groups, channels, the organization and own data.
#[test]
fn the_python_library_administers_the_organization() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (owner, member) = (server.user("owner"), server.user("member"));
    let permission = ["--permission", "can_create_users"];
    server.admin(&[&["user", "grant", "--email", &owner.email][..], &permission].concat());
    let folder = tempfile::tempdir().expect("folder");
    let output = run(
        Command::new(bin.join("python"))
            .arg(repository().join("tests/clients/organization.py"))
            .arg(configuration(folder.path(), &owner))
            .arg(configuration(folder.path(), &member)),
        Duration::from_secs(60),
    );
    assert!(
        output.contains("organization: all steps passed"),
        "{output}"
    );
}

/// Calls every method of the library about messages, flags, reactions, topics and bot storage.
#[test]
fn the_python_library_handles_messages() {
    let Some(bin) = installed("python") else {
        return;
    };
    let server = Server::shared();
    let (owner, member, bot) = (server.user("owner"), server.user("member"), server.bot());
    let everybody = [&owner, &member, &bot];
    let channel = fixture::channel(server, ChannelKind::Public, &everybody);
    let other = fixture::channel(server, ChannelKind::Public, &everybody);
    let folder = tempfile::tempdir().expect("folder");
    let output = run(
        Command::new(bin.join("python"))
            .arg(repository().join("tests/clients/messages.py"))
            .args(everybody.map(|user| configuration(folder.path(), user)))
            .args([&channel.name, &other.name]),
        Duration::from_secs(60),
    );
    assert!(output.contains("messages: all steps passed"), "{output}");
}
