//! The unit: systemd accepts it and rates its sandbox as strict, and it matches the server's own
//! limits.

use std::path::{Path, PathBuf};
use std::process::Command;

use spindle_tests::server::{binary, repository};

use crate::{deploy, read, run, tool, write};

/// Worst accepted rating, in tenths: the rest is due to network access.
const EXPOSURE: &str = "15";

/// The services: the server, and the nightly backup.
const SERVER: &str = "spindle.service";
const BACKUP: &str = "spindle-backup.service";
const TIMER: &str = "spindle-backup.timer";

/// A copy of a unit that starts the program under test, whose existence systemd checks.
fn unit(folder: &Path, name: &str, drop_in: Option<&str>) -> PathBuf {
    let path = folder.join(name);
    let text = read(&deploy("systemd").join(name));
    let program = binary();
    let program = program.to_str().expect("UTF-8");
    assert!(text.contains("ExecStart=/usr/bin/spindle "));
    let mut text = text.replace("=/usr/bin/spindle ", &format!("={program} "));
    if let Some(name) = drop_in {
        text.push_str(&read(&deploy(name)));
    }
    write(&path, &text);
    path
}

#[test]
fn systemd_accepts_the_unit() {
    let Some(analyze) = tool("systemd-analyze") else {
        return;
    };
    for (name, drop_in) in [
        (SERVER, None),
        (SERVER, Some("systemd/port-443.conf")),
        (BACKUP, None),
        (TIMER, None),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let path = match name {
            TIMER => {
                unit(folder.path(), BACKUP, None);
                let path = folder.path().join(TIMER);
                write(&path, &read(&deploy("systemd").join(TIMER)));
                path
            }
            _ => unit(folder.path(), name, drop_in),
        };
        let verify = ["verify", "--man=no", "--recursive-errors=no"];
        let said = run(Command::new(&analyze).args(verify).arg(&path));
        assert!(!said.contains("spindle"), "{said}");
    }
}

#[test]
fn the_service_is_sandboxed() {
    let Some(analyze) = tool("systemd-analyze") else {
        return;
    };
    for name in [SERVER, BACKUP] {
        let folder = tempfile::tempdir().expect("folder");
        let said = run(Command::new(&analyze)
            .args(["security", "--offline=true", "--no-pager", "--threshold"])
            .arg(EXPOSURE)
            .arg(unit(folder.path(), name, None)));
        assert!(said.contains("Overall exposure level"), "{said}");
    }
}

#[test]
fn the_account_can_be_created() {
    let Some(sysusers) = tool("systemd-sysusers") else {
        return;
    };
    let root = tempfile::tempdir().expect("folder");
    let said = run(Command::new(sysusers)
        .arg("--dry-run")
        .arg(format!("--root={}", root.path().display()))
        .arg(deploy("systemd/spindle.sysusers")));
    assert!(said.contains("Creating user 'spindle'"), "{said}");
}

/// File limit and stop timeout match the server's own defaults.
#[test]
fn the_unit_allows_the_limits_of_the_server() {
    let folder = tempfile::tempdir().expect("folder");
    let checked = run(Command::new(binary())
        .args(["config", "check", "--data-dir"])
        .arg(folder.path())
        .current_dir(repository()));
    let config: toml::Table = checked.parse().expect("TOML");
    let unit = read(&deploy("systemd/spindle.service"));
    let set = |name: &str| -> i64 {
        let line = unit.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.parse().ok())
            .unwrap_or_else(|| panic!("{name} in the unit"))
    };
    let default = |name: &str| config[name].as_integer().expect("a number");
    assert!(set("LimitNOFILE=") > default("max_connections") + 1000);
    assert!(set("TimeoutStopSec=") > default("stop_timeout") + 5);
    assert!(unit.contains("Type=notify") && unit.contains("ExecReload="));
}
