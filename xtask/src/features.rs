//! Whether the server's dependencies have the same features in every native build.
//!
//! Cargo enables the features that the packages of one call ask for together. Where a test program asks for more of a
//! dependency than the server does, that dependency and all crates above it are compiled twice.

use std::collections::BTreeSet;

use crate::build::HOST;
use crate::packages;
use crate::run::{Outcome, cargo, describe};

/// Compares the features in a build of the server with those in a build of all test programs.
///
/// # Errors
///
/// The dependencies whose features differ, or a failure of cargo.
pub(crate) fn check() -> Outcome {
    let server = tree(&["--package", HOST, "--edges", "normal"])?;
    let excluded = packages::without_tests()?;
    let mut all = vec!["--workspace", "--edges", "normal,dev"];
    all.extend(excluded.iter().flat_map(|name| ["--exclude", name]));
    let all = tree(&all)?;
    let missing: Vec<&str> = server.difference(&all).map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "tests enable more features of these dependencies than the server does; name them in host/Cargo.toml\n  {}",
        missing.join("\n  ")
    ))
}

/// The packages that cargo would build, each with its version and features.
fn tree(arguments: &[&str]) -> Outcome<BTreeSet<String>> {
    let mut cargo = cargo();
    cargo.args(["tree", "--locked", "--prefix", "none"]);
    cargo.args(["--format", "{p} {f}"]).args(arguments);
    let output = cargo
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", describe(&cargo)))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let external = text.lines().filter(|line| !line.contains(" (/"));
    let external = external.map(|line| line.trim_end_matches(" (*)"));
    Ok(external.map(str::to_owned).collect())
}
