//! Who may read the directory, and that no link is followed.

use super::{DataDir, write_private};
use std::os::unix::fs::PermissionsExt as _;

fn mode(path: &std::path::Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn other_users_may_not_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::new(folder.path().join("a/data"));
    data.create().unwrap();
    assert_eq!(mode(data.path()), 0o700);
    write_private(&data.owner_zuliprc(), "secret").unwrap();
    assert_eq!(mode(&data.owner_zuliprc()), 0o600);
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 1);
    data.create_databases().unwrap();
    let connection = spindle_store::open(&data.database()).unwrap();
    connection.execute("CREATE TABLE x (y)", []).unwrap();
    for entry in std::fs::read_dir(data.path()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn a_database_that_others_could_read_is_closed_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::new(folder.path());
    let log = folder.path().join("spindle.db-wal");
    for path in [&data.database(), &data.queues(), &log] {
        std::fs::write(path, "").unwrap();
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(path, open).unwrap();
    }
    data.create_databases().unwrap();
    for entry in std::fs::read_dir(data.path()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn a_command_that_creates_a_database_creates_it_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.db");
    let connection = spindle_store::open(&path).unwrap();
    connection.execute("CREATE TABLE x (y)", []).unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

/// The owner of a directory must not lead a server of root to other files.
#[test]
fn links_to_other_files_are_not_followed() {
    for name in ["spindle.db", "queues.db", "key_value.db", "spindle.db-wal"] {
        for is_hard in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let data = DataDir::new(folder.path().join("data"));
            data.create().unwrap();
            let other = folder.path().join("other");
            std::fs::write(&other, "text").unwrap();
            let open = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(&other, open).unwrap();
            let link = data.path().join(name);
            if is_hard {
                std::fs::hard_link(&other, &link).unwrap();
            } else {
                std::os::unix::fs::symlink(&other, &link).unwrap();
            }
            let refusal = data.create_databases().unwrap_err().to_string();
            assert!(refusal.contains("link"), "{refusal}");
            assert_eq!(mode(&other), 0o644, "{name}");
            assert_eq!(std::fs::read_to_string(&other).unwrap(), "text");
        }
    }
}

#[test]
fn a_temporary_file_is_not_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    std::fs::write(&other, "text").unwrap();
    let temporary = format!(".address.{}", std::process::id());
    std::os::unix::fs::symlink(&other, folder.path().join(temporary)).unwrap();
    write_private(&folder.path().join("address"), "new").unwrap();
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "text");
}

#[test]
fn the_token_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::new(folder.path());
    assert_eq!(
        data.internal_token(|| Ok("first".to_owned())).unwrap(),
        "first"
    );
    assert_eq!(
        data.internal_token(|| Ok("second".to_owned())).unwrap(),
        "first"
    );
    assert_eq!(mode(&data.token()), 0o600);
}
