//! The packages of the workspace: those built as WebAssembly and those built natively.
//!
//! The folder decides: `apps/`, `components/` and `tests/components/` are built for wasm32-wasip2;
//! everything but the last is built natively, for its tests. Reads only the `name` line of a manifest; it must not grow
//! into a parser of Cargo.toml.

use std::fs;
use std::path::Path;

use crate::run::Outcome;

/// The components of the server, which are libraries as well: their logic is tested natively.
const COMPONENTS: &str = "components";
/// Apps that ship, whose logic is tested natively as well.
const APPS: &str = "apps";
/// Components that only tests load, and that exist as WebAssembly only.
const TEST_COMPONENTS: &str = "tests/components";

/// Names of all packages that are built for wasm32-wasip2, sorted.
pub(crate) fn components() -> Outcome<Vec<String>> {
    in_folders(&[APPS, COMPONENTS, TEST_COMPONENTS])
}

/// Names of the packages without tests of their own: packages that exist as WebAssembly only, and the program that
/// writes the rpm, whose dependencies enable more features of the server's.
pub(crate) fn without_tests() -> Outcome<Vec<String>> {
    let mut names = in_folders(&[TEST_COMPONENTS])?;
    names.push(name_of(Path::new("packer"))?);
    Ok(names)
}

/// Names of all packages of the workspace, sorted.
pub(crate) fn own() -> Outcome<Vec<String>> {
    let mut names = in_folders(&[APPS, "crates", COMPONENTS, "host", TEST_COMPONENTS])?;
    for folder in [
        "bench",
        "fuzz",
        "host",
        "packer",
        "tests",
        "tests/postgres",
        "tests/s3",
        "xtask",
    ] {
        names.push(name_of(Path::new(folder))?);
    }
    names.sort();
    Ok(names)
}

fn in_folders(folders: &[&str]) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            let folder = entry
                .map_err(|error| format!("cannot list {folder}: {error}"))?
                .path();
            if folder.join("Cargo.toml").is_file() {
                names.push(name_of(&folder)?);
            }
        }
    }
    names.sort();
    Ok(names)
}

/// The name of the package in a folder.
pub(crate) fn name_of(folder: &Path) -> Outcome<String> {
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)
        .map_err(|error| format!("cannot read {}: {error}", manifest.display()))?;
    name_in(&text).ok_or_else(|| format!("{} has no package name", manifest.display()))
}

fn name_in(manifest: &str) -> Option<String> {
    let package = manifest.split_once("[package]")?.1;
    package
        .lines()
        .take_while(|line| !line.trim_start().starts_with('['))
        .find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "name").then(|| value.trim().trim_matches('"').to_owned())
        })
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn the_name_of_the_package_is_found() {
        let manifest = "[package]\nname = \"users\"\nversion = \"1\"\n[lib]\nname = \"other\"\n";
        assert_eq!(name_in(manifest).as_deref(), Some("users"));
    }

    #[test]
    fn every_package_of_the_workspace_is_known() {
        crate::run::enter_repository().unwrap();
        let lock = std::fs::read_to_string("Cargo.lock").unwrap();
        // Only external packages have a source.
        let ours = lock
            .split("[[package]]")
            .filter(|package| !package.contains("source = "));
        let mut names: Vec<&str> = ours
            .filter_map(|package| package.split("name = \"").nth(1)?.split('"').next())
            .collect();
        names.sort_unstable();
        assert_eq!(super::own().unwrap(), names);
    }

    #[test]
    fn a_name_outside_the_package_table_does_not_count() {
        assert_eq!(
            name_in("[package]\nversion = \"1\"\n[lib]\nname = \"other\"\n"),
            None
        );
        assert_eq!(name_in("[workspace]\nmembers = []\n"), None);
    }
}
