//! A container engine without a daemon: podman of Debian, in namespaces of its own.
//!
//! It has its own mounts, network and storage, so that containers can publish the ports that the
//! documents name. Where the machine does not allow namespaces, the engine is `None`. Owns the
//! engine; the tests own the containers.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use spindle_tests::forbidden;
use spindle_tests::server::repository;

use crate::{child_of, run, said, tool, write};

/// The command of the first process in the namespaces, which confirms when it is done. Runtimes
/// accept either version of control groups, but not both at once; their state in `/run` and about
/// networks is private.
const PREPARE: &str = "set -e
if mountpoint --quiet /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
mount -t tmpfs none /run
mkdir -p /var/lib/cni && mount -t tmpfs none /var/lib/cni
ip link set lo up
echo ready
exec sleep infinity";

/// The engine; when it is dropped, or its process ends, all its containers end.
pub(crate) struct Engine {
    holder: Child,
    /// The first process of the namespaces.
    first: u32,
    folder: tempfile::TempDir,
}

impl Engine {
    /// `None` where a tool is missing, or the machine does not allow it.
    pub(crate) fn start() -> Option<Self> {
        for name in [
            "podman", "crun", "unshare", "nsenter", "ip", "curl", "iptables",
        ] {
            tool(name)?;
        }
        let folder = tempfile::tempdir().expect("folder");
        let mut holder = Command::new("unshare")
            .args([
                "--mount",
                "--net",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
            ])
            .args(["--propagation", "private", "sh", "-c", PREPARE])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("unshare starts");
        let mut line = String::new();
        let stdout = holder.stdout.take().expect("stdout");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        if line.trim() != "ready" {
            let output = holder.wait_with_output().expect("it ends");
            forbidden(&format!(
                "namespaces of mounts and networks, for containers: {}",
                said(&output)
            ));
            return None;
        }
        let first = child_of(holder.id(), &["sh", "sleep"]).expect("the first process");
        let engine = Self {
            holder,
            first,
            folder,
        };
        engine.configure();
        Some(engine)
    }

    fn configure(&self) {
        let shown = self.folder.path().display();
        // A file limit above this process's is refused where root may not raise limits.
        let files = open_files();
        write(
            &self.file("containers.conf"),
            &format!(
                "[containers]\ndefault_ulimits = [\"nofile={files}:{files}\", \"nproc=4096:4096\"]\n\
                 log_driver = \"k8s-file\"\n[engine]\ncgroup_manager = \"cgroupfs\"\n\
                 events_logger = \"file\"\nruntime = \"crun\"\n\
                 [network]\nnetwork_backend = \"cni\"\nnetwork_config_dir = \"{shown}/networks\"\n"
            ),
        );
        write(
            &self.file("storage.conf"),
            &format!(
                "[storage]\ndriver = \"vfs\"\ngraphroot = \"{shown}/storage\"\nrunroot = \"{shown}/run\"\n"
            ),
        );
    }

    /// A file of the engine's own folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command inside the engine's network and mounts.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args([
                "--target",
                &self.first.to_string(),
                "--mount",
                "--net",
                "--pid",
            ])
            .arg(format!("--wd={}", self.folder.path().display()))
            .arg(program.as_ref())
            .env("HOME", self.folder.path())
            .env("CONTAINERS_CONF", self.file("containers.conf"))
            .env("CONTAINERS_STORAGE_CONF", self.file("storage.conf"))
            .stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPINDLE_")) {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn podman(&self, words: &[&str]) -> Command {
        let mut command = self.command("podman");
        command.args(words);
        command
    }

    /// Imports the files of an archive as an image.
    pub(crate) fn import(&self, archive: &Path, image: &str) {
        run(self.podman(&["import", "--quiet"]).arg(archive).arg(image));
    }

    /// Builds an image; nothing is fetched from a registry.
    pub(crate) fn build(&self, file: &Path, image: &str, arguments: &[String], context: &Path) {
        let mut command = self.podman(&["build", "--isolation", "chroot", "--format", "docker"]);
        // One copy of all files instead of one per line.
        command.args(["--layers=false", "--pull-never", "--tag", image]);
        for argument in arguments {
            command.args(["--build-arg", argument]);
        }
        run(command.arg("--file").arg(file).arg(context));
    }

    /// One value of podman's description of a container.
    pub(crate) fn inspect(&self, container: &str, template: &str) -> String {
        let said = run(&mut self.podman(&["inspect", "--format", template, container]));
        said.trim().to_owned()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Its mounts in the storage would keep the folder from being removed.
        let remove = ["rm", "--all", "--force", "--depend", "--time", "0"];
        let _ = self.podman(&remove).output();
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// The limit of open files of this process.
pub(crate) fn open_files() -> u64 {
    let limits = std::fs::read_to_string("/proc/self/limits").expect("limits");
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let hard = line.and_then(|line| line.split_whitespace().nth(4));
    hard.and_then(|hard| hard.parse().ok()).unwrap_or(1_048_576)
}

/// The archive that `scripts/install-deploy-tools` makes.
pub(crate) fn base() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let base = target.join("container-base.tar");
    if !base.is_file() {
        spindle_tests::skip(
            "a base of the container image: run scripts/install-deploy-tools --machines",
        );
        return None;
    }
    Some(base)
}

/// podman-compose, from PyPI.
pub(crate) fn compose() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let program = target.join("test-clients/compose/bin/podman-compose");
    if !program.is_file() {
        spindle_tests::skip("podman-compose: run scripts/install-test-clients");
        return None;
    }
    Some(program)
}
