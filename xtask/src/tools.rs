//! Programs from Debian, PyPI and npm that tests use in addition to the server: how they are installed, and which tests
//! are skipped without them.
//!
//! A test skips itself where its tool is missing, and records that. This module does so for repetitions of whole
//! programs (`variants.rs`), whose tests do not know that they are repeated.

use std::process::{Command, Stdio};

use crate::run::{Outcome, run};
use crate::schedule::Task;
use crate::subjects::{Subject, Subjects};
use crate::variants;

const POSTGRES: &str = "scripts/install-postgres";

/// Installs the tools of the tests that a run includes: real clients, proxies, databases and browsers.
///
/// # Errors
///
/// When one cannot be installed.
pub(crate) fn install(subjects: &Subjects) -> Outcome {
    let mut clients = Command::new("scripts/install-test-clients");
    if subjects.include(Some(Subject::Generators)) {
        clients.arg("--generators");
    }
    run(&mut clients)?;
    run(&mut Command::new(POSTGRES))?;
    let mut browsers = Command::new("scripts/install-browser");
    if subjects.include(Some(Subject::Firefox)) {
        browsers.arg("--firefox");
    }
    run(&mut browsers)?;
    let mut deploy = Command::new("scripts/install-deploy-tools");
    if subjects.include(Some(Subject::Packages)) {
        deploy.arg("--machines");
    }
    run(&mut deploy)
}

/// Leaves out the repetitions on PostgreSQL where it is not installed. Returns a line for each.
pub(crate) fn leave_out_missing(tasks: &mut Vec<Task>) -> Vec<String> {
    if !tasks.iter().any(variants::is_on_postgres) || is_installed(POSTGRES) {
        return Vec::new();
    }
    let missing = tasks.extract_if(.., |task| variants::is_on_postgres(task));
    let reason = |name: &str| format!("{name}: PostgreSQL is missing ({POSTGRES})\n");
    missing.map(|task| reason(&task.program.name)).collect()
}

/// Whether a script has nothing to install.
fn is_installed(script: &str) -> bool {
    let mut command = Command::new(script);
    command.arg("--check").stdin(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
