//! The components as machine code, compiled once for all tests.
//!
//! A server starts with slow code where it finds none, and replaces it later: right for users, but
//! no two runs of a test would be equal.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::server::{binary, repository};

/// Directory of compiled components that all servers of the tests share.
#[must_use]
pub fn code_cache() -> PathBuf {
    let target = binary()
        .parent()
        .expect("the binary lies in a directory")
        .to_owned();
    let path = target.join("test-code-cache");
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&path)
        .expect("code cache");
    path
}

/// Compiles the components of `manifest`, or else those of the repository's, into [`code_cache`]
/// where they are missing. Test programs that start at the same time wait for the first.
pub fn compile_ahead(manifest: Option<&Path>) {
    static COMPILED: Mutex<Vec<Option<PathBuf>>> = Mutex::new(Vec::new());
    let mut compiled = COMPILED.lock().expect("lock");
    let manifest = manifest.map(Path::to_owned);
    if compiled.contains(&manifest) {
        return;
    }
    let cache = code_cache();
    let lock = File::create(cache.with_extension("lock")).expect("lock file");
    lock.lock().expect("lock");
    let mut command = Command::new(binary());
    command.current_dir(repository());
    command
        .args(["components", "compile", "--code-cache"])
        .arg(cache);
    if let Some(manifest) = &manifest {
        command.arg("--manifest").arg(manifest);
    }
    let output = command.output().expect("spindle components compile runs");
    // A manifest that is wrong on purpose is an error of the server that is started with it.
    assert!(
        output.status.success() || manifest.is_some(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    compiled.push(manifest);
}
