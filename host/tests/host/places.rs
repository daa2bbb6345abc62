//! Where commands find a server, its configuration and its components, and whose the files are that they write.

use std::os::unix::fs::{MetadataExt as _, chown, lchown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use spindle_actions::NewRealm;
use spindle_actions::users::NewAccount;

/// An account that does not exist.
const SERVER: u32 = 65_533;

fn spindle(arguments: &[&str]) -> Output {
    let mut command = Command::new(crate::common::program());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPINDLE_")) {
        command.env_remove(name);
    }
    command.args(arguments).output().expect("spindle runs")
}

fn succeed(arguments: &[&str]) -> String {
    let output = spindle(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

/// A data directory with an organization.
fn data_directory(folder: &Path) -> String {
    let data = folder.join("data");
    std::fs::create_dir(&data).expect("folder");
    let owner = NewAccount {
        email: "owner@example.org".to_owned(),
        full_name: "Owner".to_owned(),
        ..NewAccount::default()
    };
    let name = "Test".to_owned();
    spindle_host::admin::Session::open(data.join("spindle.db"))
        .expect("database")
        .create_realm(&NewRealm { name, owner })
        .expect("realm");
    text(data)
}

fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().expect("text")
}

/// Everything below a folder, and the folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    if folder.is_dir() {
        for entry in std::fs::read_dir(folder).expect("folder").flatten() {
            found.extend(below(&entry.path()));
        }
    }
    found
}

fn assert_all_of_server(folder: &str) {
    for path in below(Path::new(folder)) {
        let found = std::fs::symlink_metadata(&path).expect("a file");
        assert_eq!(found.uid(), SERVER, "{}", path.display());
    }
}

#[test]
fn what_root_writes_belongs_to_the_account_of_the_server() {
    if !rustix::process::geteuid().is_root() {
        println!("forbidden here: only root gives files to another account");
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let data = data_directory(folder.path());
    for path in below(Path::new(&data)) {
        lchown(path, Some(SERVER), Some(SERVER)).expect("another owner");
    }
    let place = |name: &str| text(folder.path().join(name));
    let (nightly, single) = (place("nightly"), place("single"));
    let keep = ["--keep", "2", &nightly, "--data-dir", &data];
    for _ in 0..2 {
        succeed(&[&["admin", "backup"][..], &keep].concat());
    }
    assert_eq!(std::fs::read_dir(&nightly).expect("backups").count(), 2);
    succeed(&["admin", "backup", &single, "--data-dir", &data]);
    let person = ["--email", "ada@example.org", "--full-name", "Ada"];
    let create = ["admin", "user", "create", "--data-dir", &data];
    succeed(&[&create[..], &person].concat());

    let restored = place("restored");
    std::fs::create_dir(&restored).expect("folder");
    chown(&restored, Some(SERVER), Some(SERVER)).expect("another owner");
    succeed(&["admin", "restore", &single, "--data-dir", &restored]);
    for folder in [&nightly, &single, &data, &restored] {
        assert_all_of_server(folder);
    }
}

#[test]
fn a_configuration_is_used_with_another_data_directory() {
    let folder = tempfile::tempdir().expect("folder");
    let data = data_directory(folder.path());
    let file = text(folder.path().join("own.toml"));
    let config = "data_dir = \"/nowhere\"\nexternal_url = \"https://chat.example.org\"\n";
    std::fs::write(&file, config).expect("file");
    let both = ["--config", &file, "--data-dir", &data];
    let with = |words: &[&str]| succeed(&[words, &both].concat());
    assert!(with(&["admin", "user", "list"]).contains("owner@example.org"));
    let email = ["--email", "owner@example.org"];
    let zuliprc = with(&[&["admin", "user", "zuliprc"][..], &email].concat());
    assert!(
        zuliprc.contains("site=https://chat.example.org"),
        "{zuliprc}"
    );
    with(&["admin", "check"]);
    with(&["setup", "--check"]);
}

#[test]
fn a_program_without_components_says_where_it_looks_for_them() {
    let folder = tempfile::tempdir().expect("folder");
    let listen = ["--listen", "127.0.0.1:0", "--ops-listen", "none"];
    for words in [["config", "check"].as_slice(), &["serve"]] {
        let mut command = Command::new(crate::common::program());
        command.args(words).args(listen).current_dir(folder.path());
        let output = command.env_remove("SPINDLE_MANIFEST").output();
        let output = output.expect("spindle runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{words:?}");
        for part in ["spin.toml", "carries no components", "--manifest"] {
            assert!(said.contains(part), "{words:?}: {said}");
        }
    }
}
