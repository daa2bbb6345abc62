//! One shell that runs the blocks of a document on a new server.
//!
//! The working directory contains what a reader has: `data` of a running server, a picture, an
//! archive of a data export. `cargo xtask serve` finds the server running; the port in the
//! documents is replaced by its port.

use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use spindle_tests::server::{binary, repository};
use spindle_tests::{Client, Options, Server, images, skip, until};

use crate::blocks::Block;

/// The default port of a server, which the documents use.
const DOCUMENTED: &str = "127.0.0.1:3000";
/// A line in the output that marks the start of a block.
const BEGIN: &str = "=== block ";
/// Programs other than `spindle` that the documents use.
const NEEDED: [&str; 3] = ["curl", "jq", "openssl"];
/// Timeout of a command that waits, in seconds.
const PATIENCE: &str = "120";

/// Runs the blocks one after the other; each has to succeed, and no answer may be an error.
#[track_caller]
pub(crate) fn run(blocks: &[&Block]) {
    let Some(path) = path() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let work = folder.path().join("work");
    let bin = folder.path().join("bin");
    for folder in [&work, &bin] {
        std::fs::create_dir(folder).expect("folder");
    }
    let server = Server::spawn_on(work.join("data"), Options::default());
    std::fs::write(work.join("parrot.png"), images::png(64, 64)).expect("picture");
    std::fs::write(work.join("export.tar.gz"), export(&server)).expect("archive");
    symlink(binary(), bin.join("spindle")).expect("link");
    stand_in(&bin.join("cargo"));

    let script = folder.path().join("document.sh");
    std::fs::write(&script, document(blocks, folder.path(), server.address())).expect("script");
    let mut command = Command::new("timeout");
    command.args([PATIENCE, "bash"]).arg(&script);
    command.current_dir(&work).env("HOME", &work);
    command.env("PATH", format!("{}:{path}", bin.display()));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPINDLE_")) {
        command.env_remove(name);
    }
    // `spindle config check` reads these files of a clone.
    let manifest = std::env::var_os("SPINDLE_MANIFEST").map(PathBuf::from);
    let manifest = manifest.unwrap_or_else(|| repository().join("spin.toml"));
    command.env("SPINDLE_MANIFEST", manifest);
    // The client is already installed; nothing is downloaded.
    command.envs([
        ("PIP_NO_INDEX", "1"),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ]);
    let output = command.output().expect("bash");
    let said = String::from_utf8_lossy(&output.stdout);
    judge(blocks, &said, output.status.success());
}

/// Paths of the programs; `None` where one is missing.
fn path() -> Option<String> {
    let own = std::env::var("PATH").unwrap_or_default();
    for name in NEEDED {
        if !std::env::split_paths(&own).any(|folder| folder.join(name).is_file()) {
            skip(&format!(
                "commands of the documents: {name}: run scripts/install-deploy-tools"
            ));
            return None;
        }
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let clients = target.join("test-clients/python/bin");
    if !clients.join("zulip-send").is_file() {
        skip("commands of the documents: zulip-send: run scripts/install-test-clients");
        return None;
    }
    Some(format!("{}:{own}", clients.display()))
}

/// A `cargo` that accepts one command, which has been carried out already.
fn stand_in(path: &Path) {
    let text = "#!/bin/sh\n[ \"$*\" = \"xtask serve\" ]\n";
    std::fs::write(path, text).expect("script");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("mode");
}

/// An archive of a public export.
fn export(server: &Server) -> Vec<u8> {
    let directory = server.directory().expect("an own server");
    let text = std::fs::read_to_string(directory.join("owner.zuliprc")).expect("credentials");
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.expect("a value").to_owned()
    };
    let credentials = (value("email="), value("key="));
    let owner = Client::new(
        server.base_url(),
        Some((credentials.0.as_str(), credentials.1.as_str())),
    );
    owner
        .post("/export/realm", &[("export_type", "public")])
        .ok();
    until("the export is built", || {
        let exports = owner.get("/export/realm", &[]).ok()["exports"].take();
        if let Some(url) = exports[0]["export_url"].as_str() {
            let place = url.find("/user_avatars/").expect("an address");
            let reply = owner.fetch(&url[place..], &[]);
            assert_eq!(reply.status, 200);
            return Some(reply.bytes.clone());
        }
        server.advance(5);
        None
    })
}

/// The blocks as one script: it prints every command before running it, and the first failure ends
/// it.
fn document(blocks: &[&Block], folder: &Path, address: &str) -> String {
    let mut script = String::from("set -euo pipefail\nexec 2>&1\n");
    for (number, block) in blocks.iter().enumerate() {
        let path = folder.join(format!("block-{number}.sh"));
        std::fs::write(&path, block.text.replace(DOCUMENTED, address)).expect("block");
        let _ = writeln!(script, "echo '{BEGIN}{}'", block.place);
        let _ = writeln!(script, "set -x\n. {}", path.display());
        script.push_str("{ set +x; } 2>/dev/null\n");
    }
    script
}

#[track_caller]
fn judge(blocks: &[&Block], said: &str, is_done: bool) {
    let sections: Vec<(&str, &str)> = said
        .split(BEGIN)
        .skip(1)
        .filter_map(|section| section.split_once('\n'))
        .collect();
    for (place, section) in &sections {
        for error in ["\"result\":\"error\"", "\"result\": \"error\""] {
            assert!(!section.contains(error), "{place}:\n{section}");
        }
    }
    let last = sections.last().copied().unwrap_or(("nothing", said));
    assert!(is_done, "{} fails:\n{}", last.0, last.1);
    let begun: Vec<&str> = sections.iter().map(|(place, _)| *place).collect();
    let wanted: Vec<&str> = blocks.iter().map(|block| block.place.as_str()).collect();
    assert_eq!(begun, wanted, "blocks that were run");
}
