//! Third-party command line clients of the library: `zulipcli`, and `zlp`, which also archives.

use std::process::Command;
use std::time::Duration;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Server, unique};

use crate::{configuration, installed, run};

const LIMIT: Duration = Duration::from_secs(60);

/// One account sends; the other reads, searches, uploads a file and archives the channel.
#[test]
fn zulipcli_and_zlp_send_read_and_archive() {
    let Some(bin) = installed("commands") else {
        return;
    };
    let server = Server::shared();
    let (ada, grace) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(server, ChannelKind::Public, &[&ada, &grace]);
    let folder = tempfile::tempdir().expect("folder");
    let (of_ada, of_grace) = (
        configuration(folder.path(), &ada),
        configuration(folder.path(), &grace),
    );
    let zulipcli = |words: &[&str]| {
        let mut command = Command::new(bin.join("zulipcli"));
        command.arg("--zuliprc").arg(&of_ada).args(words);
        run(command.env("HOME", folder.path()), LIMIT)
    };
    let zlp = |words: &[&str]| {
        let mut command = Command::new(bin.join("zlp"));
        command.arg("--config").arg(&of_grace);
        command
            .arg("--archive-root")
            .arg(folder.path().join("archive"));
        command.arg("--run-root").arg(folder.path().join("run"));
        run(command.args(words).env("HOME", folder.path()), LIMIT)
    };
    let word = unique("word");
    let name = channel.name.as_str();
    zulipcli(&["send", "--stream", name, "--topic", "tools", &word]);
    assert!(zlp(&["topics", "--stream", name]).contains("tools"));
    let read = zlp(&["messages", "--stream", name, "--topic", "tools"]);
    assert!(read.contains(&word), "{read}");
    assert!(zlp(&["search", "--query", &word]).contains(&word));
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "the notes").expect("file");
    let path = file.to_str().expect("UTF-8");
    zlp(&[
        "upload", "--file", path, "--stream", name, "--topic", "tools", "--msg", "Here:",
    ]);
    let read = zulipcli(&["read", name, "tools"]);
    assert!(read.contains("notes.txt"), "{read}");
    let archived = zlp(&["pull", "--stream", name, "--import-history"]);
    assert!(archived.contains("archived=2"), "{archived}");
}
