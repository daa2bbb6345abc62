//! Components without compiled code: code of the baseline compiler is served, confined as
//! everything else, and exchanged while instances of it are at work.

use crate::common::{self, Server, start_with, until};
use crate::isolation::others_are_served_during;
use spindle_front::{AppOptions, Compiler};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A compiler whose every step the test can choose: `$4` is the message from the server.
const SCRIPT: &str = r#"
compile() { exec "$1" components compile --manifest "$2/spin.toml" --code-cache "$2/code" $3; }
case "$4" in
    baseline) compile "$1" "$2" --baseline ;;
    copy) while [ ! -e "$2/go" ]; do sleep 0.01; done; cp "$2"/better/*.cwasm "$2/code" ;;
    fail) exit 1 ;;
    *) compile "$1" "$2" ;;
esac"#;

fn compiler(folder: &Path, baseline: &str, background: &str) -> Compiler {
    let mut arguments: Vec<OsString> = ["-c", SCRIPT, "compiler"].map(OsString::from).into();
    arguments.extend([common::program().into(), folder.into(), "".into()]);
    Compiler {
        program: "/bin/sh".into(),
        arguments,
        baseline: baseline.into(),
        background: background.into(),
    }
}

/// An application in a folder of its own, of which nothing is compiled.
struct Fresh {
    folder: TempDir,
    tuning: &'static str,
}

impl Fresh {
    fn new(tuning: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("spin.toml");
        std::fs::write(manifest, common::manifest(tuning)).unwrap();
        Self { folder, tuning }
    }

    fn code(&self) -> PathBuf {
        self.folder.path().join("code")
    }

    /// Starts a server; `baseline` and `background` are cases of the script.
    async fn start(&self, baseline: &str, background: &str) -> Server {
        let change = |options: &mut AppOptions| {
            options.cache_dir = self.code();
            options.compiler = Some(compiler(self.folder.path(), baseline, background));
        };
        start_with(self.tuning, change).await
    }

    /// Files of machine code.
    fn files(&self) -> usize {
        let entries = std::fs::read_dir(self.code()).unwrap().flatten();
        let ends = |path: &Path| path.extension().is_some_and(|end| end == "cwasm");
        entries.filter(|entry| ends(&entry.path())).count()
    }

    /// Makes good code where the script looks for it.
    fn compile_aside(&self) {
        let status = Command::new(common::program())
            .args(["components", "compile", "--manifest"])
            .arg(self.folder.path().join("spin.toml"))
            .arg("--code-cache")
            .arg(self.folder.path().join("better"))
            .status();
        assert!(status.unwrap().success());
    }

    /// Lets the script copy that, and waits until the other code is removed.
    async fn exchange(&self) {
        let names = |path: PathBuf| -> Vec<_> {
            let entries = std::fs::read_dir(path).unwrap().flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        let better = names(self.folder.path().join("better"));
        std::fs::write(self.folder.path().join("go"), "").unwrap();
        until("the code is exchanged", || names(self.code()) == better).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn code_is_exchanged_under_instances_at_work() {
    // Each in an instance of its own: ending a loop ends the other requests of its instance as
    // well.
    let fresh = Fresh::new("computing_ms = 4000\nconcurrent_requests_per_instance = 1");
    fresh.compile_aside();
    let server = fresh.start("baseline", "copy").await;
    assert_eq!(server.get("/hello").await.status, 200);
    let looping = tokio::spawn(server.get("/misbehave/loop"));
    let sleeping = tokio::spawn(server.get("/misbehave/sleep?ms=3000"));
    until("all three are at work", || server.instances() >= 3).await;
    fresh.exchange().await;
    assert!(!looping.is_finished() && !sleeping.is_finished());
    // Idle instances of the old code do not take these and then keep them.
    for _ in 0..20 {
        assert_eq!(server.get("/hello").await.status, 200);
        let one = server.get("/misbehave/sql?statement=SELECT%201").await;
        assert_eq!(one.body, "1");
    }
    assert_eq!(sleeping.await.unwrap().status, 200);
    // The engine that is left to this instance alone still has its clock.
    let looping = looping.await.unwrap();
    looping.is_error(500, "INTERNAL_SERVER_ERROR");
    assert_eq!(fresh.files(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn code_of_the_baseline_compiler_is_confined() {
    let fresh = Fresh::new("");
    let server = fresh.start("baseline", "fail").await;
    for path in ["/misbehave/trap", "/misbehave/alloc", "/misbehave/loop"] {
        others_are_served_during(&server, path, 500).await;
    }
    assert_eq!(fresh.files(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_baseline_compiler_a_start_waits() {
    let fresh = Fresh::new("");
    let server = fresh.start("fail", "fail").await;
    assert_eq!(server.get("/hello").await.status, 200);
    assert_eq!(fresh.files(), 2);
    // It is optimized code: a server that finds it makes no other.
    let again = fresh.start("baseline", "fail").await;
    assert_eq!(again.get("/hello").await.status, 200);
    assert_eq!(fresh.files(), 2);
}
