//! The deployment files for operators: packages, unit, proxy configurations, manifests of a cluster
//! and of a container. Each is checked by the tool that reads or runs it.
//!
//! `scripts/install-deploy-tools` installs those tools and `cargo xtask package` makes the
//! packages; where one is missing, a test reports that it was skipped.

mod caddy;
mod compose;
mod compose_nodes;
mod container;
mod debian;
mod engine;
mod fail2ban;
mod haproxy;
mod kubernetes;
mod logs;
mod machine;
mod manifests;
mod nginx;
mod nodes;
mod proxies;
mod rpm;
mod setup;
mod spin_replicas;
mod systemd;
mod tarball;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use spindle_tests::server::repository;
use spindle_tests::skip;

/// A file of `deploy/`.
fn deploy(name: &str) -> PathBuf {
    repository().join("deploy").join(name)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// The path of a program of Debian, if it is installed.
fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    if found.is_none() {
        skip(&format!(
            "deployment: {name}: run scripts/install-deploy-tools"
        ));
    }
    found
}

/// The finished package with this suffix, if packages were made.
fn package(end: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let found: Vec<PathBuf> = std::fs::read_dir(target.join("package"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_str().is_some_and(|path| path.ends_with(end)))
        .collect();
    assert!(found.len() < 2, "one package of a kind: {found:?}");
    if found.is_empty() {
        skip(&format!("packages ({end}): run cargo xtask package"));
    }
    found.into_iter().next()
}

/// Runs a command that must succeed, and returns its output.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let said = said(&output);
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

fn said(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    format!("{stdout}{}", String::from_utf8_lossy(&output.stderr))
}

/// The version of this source.
fn version() -> String {
    let manifest: toml::Table = read(&repository().join("Cargo.toml"))
        .parse()
        .expect("TOML");
    let version = &manifest["workspace"]["package"]["version"];
    version.as_str().expect("a version").to_owned()
}

/// A process that this one has started, with one of these names.
fn child_of(parent: u32, names: &[&str]) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let name = status
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("Name:\t"));
        name.is_some_and(|name| names.contains(&name))
            && status.contains(&format!("\nPPid:\t{parent}\n"))
    })
}

/// Kills its process when it is dropped.
struct Running(Child);

impl Running {
    /// Waits until a process listens on the port.
    #[track_caller]
    fn listening(mut self, port: u16) -> Self {
        let deadline = Instant::now() + Duration::from_secs(60);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = self.0.try_wait().expect("wait");
            assert!(ended.is_none(), "it ended with {ended:?}");
            assert!(Instant::now() < deadline, "nothing listens on {port}");
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
