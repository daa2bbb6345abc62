//! Clients that generators make from the served OpenAPI document: `openapi-python-client` for Python,
//! `openapi-typescript` for TypeScript. Each is used against the server; TypeScript is type-checked too. And apps in
//! languages whose tools generate components.
//!
//! `scripts/install-test-clients --generators` installs them into `target/test-clients`. Where they are missing, the
//! tests report that they were skipped, which CI does not allow.

mod apps;

use std::path::{Path, PathBuf};
use std::process::Command;

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::repository;
use spindle_tests::{Server, User, skip, unique};

/// A folder of `target/test-clients` that contains `part`, if the generator is installed.
fn installed(generator: &str, part: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    let folder = target.join("test-clients").join(generator);
    if folder.join(part).exists() {
        return Some(folder);
    }
    skip(&format!(
        "generated clients ({generator}): run scripts/install-test-clients --generators"
    ));
    None
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}: {}", text.concat());
    text.concat()
}

/// What a generated client is used with.
struct Stage {
    server: &'static Server,
    member: User,
    password: String,
    channel: String,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let server = Server::shared();
        let password = unique("password ");
        let member = server.user_with("member", &["--password", &password]);
        let channel = fixture::channel(server, ChannelKind::Public, &[&member]).name;
        let folder = tempfile::tempdir().expect("folder");
        Self {
            server,
            member,
            password,
            channel,
            folder,
        }
    }

    /// Stores the document that the server publishes.
    fn document(&self) -> PathBuf {
        let document = self.server.anonymous().fetch("/api/v1/openapi.json", &[]);
        let path = self.folder.path().join("openapi.json");
        std::fs::write(&path, document.bytes).expect("the document");
        path
    }

    fn arguments(&self) -> [&str; 4] {
        [
            self.server.base_url(),
            &self.member.email,
            &self.password,
            &self.channel,
        ]
    }
}

fn copy(name: &str, folder: &Path) {
    std::fs::copy(
        repository().join("tests/generated").join(name),
        folder.join(name),
    )
    .expect(name);
}

/// Every module of the client can be imported; it signs in, receives its own message as an event, and reads it.
#[test]
fn a_client_in_python_is_generated_and_works() {
    let Some(generator) = installed("generators", "bin/openapi-python-client") else {
        return;
    };
    let stage = Stage::new();
    let folder = stage.folder.path();
    let report = run(Command::new(generator.join("bin/openapi-python-client"))
        .args(["generate", "--meta", "none", "--path"])
        .arg(stage.document())
        .arg("--output-path")
        .arg(folder.join("spindle_client")));
    // Only a body of the type that tus demands is unknown to the generator.
    let missing: Vec<&str> = report
        .lines()
        .filter(|line| line.contains("will not be generated"))
        .collect();
    assert_eq!(missing.len(), 1, "{report}");
    assert!(!report.contains("Unable to"), "{report}");
    copy("use_python.py", folder);
    let output = run(Command::new(generator.join("bin/python"))
        .arg("use_python.py")
        .args(stage.arguments())
        .current_dir(folder));
    assert!(output.contains("python: all steps passed"), "{output}");
}

/// The program that uses the types is accepted by the compiler, and does the same as the one in Python.
#[test]
fn types_for_typescript_are_generated_and_fit() {
    let Some(generator) = installed("typescript", "node_modules/openapi-typescript") else {
        return;
    };
    let stage = Stage::new();
    let folder = stage.folder.path();
    let modules = generator.join("node_modules");
    std::os::unix::fs::symlink(
        std::path::absolute(&modules).expect("a path"),
        folder.join("node_modules"),
    )
    .expect("modules");
    run(Command::new("node")
        .arg(modules.join("openapi-typescript/bin/cli.js"))
        .arg(stage.document())
        .arg("--output")
        .arg(folder.join("spindle.d.ts")));
    copy("use-typescript.mts", folder);
    run(Command::new("node")
        .arg(modules.join("typescript/bin/tsc"))
        .args(["--strict", "--target", "es2022", "--module", "nodenext"])
        .args([
            "--lib",
            "es2022,dom",
            "--skipLibCheck",
            "use-typescript.mts",
        ])
        .current_dir(folder));
    let output = run(Command::new("node")
        .arg("use-typescript.mjs")
        .args(stage.arguments())
        .current_dir(folder));
    assert!(output.contains("typescript: all steps passed"), "{output}");
}
