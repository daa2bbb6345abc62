//! Permissions and ownership of the server's files.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Finding, Level, Scene};
use spindle_config::claim::LOCKS;
use spindle_config::data_dir::DataDir;

const NAME: &str = "permissions";
/// Permission bits of the group and of others.
const OF_OTHERS: u32 = 0o077;
/// Permission bits of others.
const OF_EVERYBODY: u32 = 0o007;

/// The finding when the data directory cannot be read, which ends all checks.
pub(super) fn is_closed(data: &DataDir) -> Option<Finding> {
    let path = data.path();
    let error = fs::read_dir(path).err()?;
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "name the directory of the server: --data-dir or --config",
        _ => "run this as the account that the server runs as: sudo -u spindle spindle doctor",
    };
    let found = format!("{}: {error}", path.display());
    Some(Finding::error(NAME, found, advice))
}

/// Checks modes and owners.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let Ok(folder) = fs::metadata(scene.data.path()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let blobs = scene.data.blobs();
    if !blobs.is_dir() && blobs.symlink_metadata().is_ok() {
        findings.push(Finding::error(
            NAME,
            format!("{} is not a folder", blobs.display()),
            "stop the server and remove it; the files of messages are in the last backup",
        ));
    }
    let is_open = folder.mode() & OF_OTHERS != 0;
    if is_open {
        findings.push(open(scene.data.path(), &folder));
    }
    for path in files(scene) {
        let Ok(found) = fs::metadata(&path) else {
            continue;
        };
        if found.mode() & OF_OTHERS != 0 {
            let finding = open(&path, &found);
            // Other users cannot reach the file while the directory is closed to them.
            let level = if is_open {
                Level::Error
            } else {
                Level::Warning
            };
            findings.push(Finding { level, ..finding });
        }
        if found.uid() != folder.uid() {
            findings.push(Finding::error(
                NAME,
                format!(
                    "{} belongs to account {}, the data directory to {}",
                    path.display(),
                    found.uid(),
                    folder.uid()
                ),
                format!(
                    "chown --reference={} {}",
                    scene.data.path().display(),
                    path.display()
                ),
            ));
        }
    }
    // A group for readers of certificates is common.
    let keys = [
        &scene.config.tls_key,
        &scene.config.push_service_key_file,
        &scene.config.mail_password_file,
    ];
    for path in keys.into_iter().flatten() {
        if let Ok(found) = fs::metadata(path)
            && found.mode() & OF_EVERYBODY != 0
        {
            findings.push(open(path, &found));
        }
    }
    findings.extend(account(scene, folder.uid()));
    if findings.is_empty() {
        findings.push(Finding::ok(
            NAME,
            "files are for the server's account alone",
        ));
    }
    findings
}

/// Files that contain secrets, or that the server writes.
fn files(scene: &Scene<'_>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for database in [
        scene.database.to_owned(),
        scene.data.queues(),
        scene.data.key_value(),
    ] {
        for end in ["", "-wal", "-shm"] {
            let mut name = database.as_os_str().to_owned();
            name.push(end);
            files.push(name.into());
        }
    }
    files.extend([
        scene.data.owner_zuliprc(),
        scene.data.last_backup(),
        scene.data.address(),
    ]);
    let names = ["internal-token"].into_iter().chain(LOCKS);
    files.extend(names.map(|name| scene.data.path().join(name)));
    files
}

fn open(path: &Path, found: &Metadata) -> Finding {
    let mode = if found.is_dir() { "700" } else { "600" };
    Finding::error(
        NAME,
        format!(
            "others may use {} (mode {:o})",
            path.display(),
            found.mode() & 0o777
        ),
        format!("chmod {mode} {}", path.display()),
    )
}

/// Checks that the server's user owns the data directory.
fn account(scene: &Scene<'_>, owner: u32) -> Option<Finding> {
    const ROOT: u32 = 0;
    let process = scene.server.as_ref()?.file("status")?;
    let user = fs::metadata(process).ok()?.uid();
    (user != owner && user != ROOT).then(|| {
        Finding::error(
            NAME,
            format!("the server runs as account {user}, and the data directory belongs to {owner}"),
            format!("chown -R {user} {}", scene.data.path().display()),
        )
    })
}
