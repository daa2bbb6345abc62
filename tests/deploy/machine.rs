//! Both packages on a Debian with systemd, from installation to removal.
//!
//! systemd-nspawn of Debian boots the folder that `scripts/install-deploy-tools` makes; changes
//! stay in memory. Where the machine does not allow that, the tests do not run. The commands are
//! those of OPERATIONS.md.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_tests::forbidden;
use spindle_tests::server::repository;

use crate::{child_of, package, said, tool};

const PATIENCE: Duration = Duration::from_secs(60);

/// Machines have their control groups in one tree: with two of them, the end of a service removes the group in
/// which the other machine starts the same one.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A booted system; dropping it ends it.
struct Machine {
    nspawn: Child,
    /// Its first process.
    first: u32,
    _only: MutexGuard<'static, ()>,
}

impl Machine {
    /// Boots a system with the folder `shared` at `/mnt`; `None` where that is impossible.
    fn start(shared: &std::path::Path) -> Option<Self> {
        let nspawn = tool("systemd-nspawn")?;
        tool("nsenter")?;
        let root = root()?;
        let only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut nspawn = Command::new("unshare")
            .args(["--mount", "--propagation", "private"])
            .arg(nspawn)
            .arg(format!("--directory={}", root.display()))
            .arg(format!("--bind-ro={}:/mnt", shared.display()))
            .args(["--machine=spindle-test", "--boot", "--volatile=overlay"])
            .args([
                "--private-network",
                "--register=no",
                "--keep-unit",
                "--console=pipe",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("unshare starts");
        let deadline = Instant::now() + PATIENCE;
        loop {
            if nspawn.try_wait().expect("wait").is_some() {
                let output = nspawn.wait_with_output().expect("it ended");
                forbidden(&format!("a machine with systemd: {}", said(&output)));
                return None;
            }
            if let Some(first) = child_of(nspawn.id(), &["systemd"]) {
                let machine = Self {
                    nspawn,
                    first,
                    _only: only,
                };
                machine.wait_until_up(deadline);
                return Some(machine);
            }
            assert!(Instant::now() < deadline, "it does not start");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn wait_until_up(&self, deadline: Instant) {
        loop {
            let output = self.command("systemctl is-system-running").output();
            let state = said(&output.expect("nsenter"));
            if ["running", "degraded"].contains(&state.trim()) {
                return;
            }
            assert!(Instant::now() < deadline, "it is not up: {state}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Runs a line in a shell as root.
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args([
                "--target",
                &self.first.to_string(),
                "--mount",
                "--uts",
                "--ipc",
            ])
            .args(["--net", "--pid", "--root", "--wd", "sh", "-c", line])
            .env_clear()
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("HOME", "/root")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn run(&self, line: &str) -> String {
        let output = self.command(line).output().expect("nsenter");
        let text = said(&output);
        if !output.status.success() {
            panic!("{line}: {text}\n{}", self.journal());
        }
        text
    }

    /// Its end, to say why something has failed.
    fn journal(&self) -> String {
        let journal = "journalctl --lines=60 --output=short-monotonic";
        said(&self.command(journal).output().expect("nsenter"))
    }

    /// A property of the service, as `systemctl show` prints it.
    #[track_caller]
    fn shows(&self, property: &str) -> String {
        let line = format!("systemctl show --value --property={property} spindle.service");
        self.run(&line).trim().to_owned()
    }

    /// The service is up, immediately or soon, and none of its starts has failed. A busy system may answer before its
    /// job is done.
    #[track_caller]
    fn is_active(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.shows("ActiveState") == "activating" && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(100));
        }
        let state = [self.shows("ActiveState"), self.shows("NRestarts")];
        assert_eq!(state, ["active", "0"], "{}", self.journal());
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.command("systemctl poweroff").output();
        let deadline = Instant::now() + Duration::from_secs(15);
        while Instant::now() < deadline && matches!(self.nspawn.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.nspawn.kill();
        let _ = self.nspawn.wait();
    }
}

/// The folder with a Debian in it.
fn root() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let root = target.join("debian");
    if !root.join("usr").is_dir() {
        spindle_tests::skip("a Debian with systemd: run scripts/install-deploy-tools --machines");
        return None;
    }
    Some(root)
}

/// How a kind of package is installed, upgraded and removed.
struct PackageKind {
    end: &'static str,
    install: &'static str,
    upgrade: &'static str,
    remove: &'static str,
    /// Where the changed configuration file is after the removal.
    configuration: &'static str,
}

const DEBIAN: PackageKind = PackageKind {
    end: ".deb",
    install: "dpkg --install /mnt/spindle.deb",
    upgrade: "dpkg --install /mnt/spindle.deb",
    remove: "dpkg --remove spindle",
    configuration: "/etc/spindle/spindle.toml",
};
/// The rpm database on Debian knows of no other package, hence --nodeps.
const RPM: PackageKind = PackageKind {
    end: ".rpm",
    install: "rpm --install --nodeps /mnt/spindle.rpm",
    upgrade: "rpm --upgrade --force --nodeps /mnt/spindle.rpm",
    remove: "rpm --erase --nodeps spindle",
    configuration: "/etc/spindle/spindle.toml.rpmsave",
};

#[test]
fn the_debian_package_serves_under_systemd() {
    serves_under_systemd(&DEBIAN);
}

#[test]
fn the_rpm_serves_under_systemd() {
    serves_under_systemd(&RPM);
}

fn serves_under_systemd(kind: &PackageKind) {
    let Some(path) = package(kind.end) else {
        return;
    };
    let shared = tempfile::tempdir().expect("folder");
    std::fs::copy(&path, shared.path().join(format!("spindle{}", kind.end))).expect("copy");
    let Some(machine) = Machine::start(shared.path()) else {
        return;
    };
    waits_for_its_setup(&machine, kind);
    let setup = "spindle setup --organization-name Example --owner-email ada@example.org \
                 --owner-full-name Ada --external-url http://127.0.0.1:3000";
    machine.run(setup);
    machine.run("systemctl start spindle");
    machine.is_active();
    works(&machine);
    keeps_backups(&machine);

    let before = machine.shows("MainPID");
    machine.run(kind.upgrade);
    machine.is_active();
    assert_ne!(machine.shows("MainPID"), before, "an upgrade restarts it");
    assert_eq!(machine.shows("UnitFileState"), "enabled");
    works(&machine);

    machine.run(kind.remove);
    assert_eq!(machine.shows("ActiveState"), "inactive");
    machine.run("test -f /var/lib/spindle/spindle.db && getent passwd spindle");
    machine.run(&format!("grep external_url {}", kind.configuration));
    assert_eq!(machine.run("systemctl --failed --quiet"), "");
}

/// After the installation the service is enabled, but not started.
fn waits_for_its_setup(machine: &Machine, kind: &PackageKind) {
    let said = machine.run(kind.install);
    assert!(said.contains("sudo spindle setup"), "{said}");
    assert_eq!(machine.shows("ActiveState"), "inactive");
    assert_eq!(machine.shows("UnitFileState"), "enabled");
    machine.run("systemctl start spindle");
    assert_eq!(machine.shows("Result"), "exec-condition");
    let modes = machine
        .run("stat --format '%a %U %G %n' /etc/spindle /var/lib/spindle /var/backups/spindle");
    assert_eq!(
        modes,
        "750 root spindle /etc/spindle\n700 spindle spindle /var/lib/spindle\n\
         700 spindle spindle /var/backups/spindle\n"
    );
}

/// Under its own account and in its sandbox, it answers, reloads certificates on request, and
/// passes its checks.
fn works(machine: &Machine) {
    machine.run("spindle health");
    let status =
        machine.run("cat /proc/$(systemctl show --value --property=MainPID spindle)/status");
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    assert!(status.contains("CapEff:\t0000000000000000"), "{status}");
    let process = machine.shows("MainPID");
    machine.run("systemctl reload spindle");
    assert_eq!(machine.shows("MainPID"), process);
    let report = machine.run("runuser -u spindle -- spindle doctor --json");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["errors"], 0, "{report}");
}

fn keeps_backups(machine: &Machine) {
    machine.run("systemctl enable --now spindle-backup.timer");
    machine.run("systemctl start spindle-backup.service");
    let listed = machine.run("ls /var/backups/spindle/*/manifest.json");
    assert_eq!(listed.lines().count(), 1, "{listed}");
}
