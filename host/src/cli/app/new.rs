//! `spindle app new`: the folder of a new app.
//!
//! The program carries the crate for apps, so that a new app needs nothing else of this project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};

use crate::cli::output::show;
use spindle_domain::apps::Manifest;

/// The files of an app: `NAME` and `TITLE` in them are replaced.
const APP: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("template/Cargo.toml.template")),
    ("README.md", include_str!("template/README.template")),
    ("app.json", include_str!("template/app.json")),
    ("events.json", include_str!("template/events.json")),
    ("src/lib.rs", include_str!("template/lib.rs")),
    (".gitignore", "/target\n"),
];

/// The crate for apps.
const CRATE: &[(&str, &str)] = &[
    (
        "spindle-app/Cargo.toml",
        include_str!("template/spindle-app.toml.template"),
    ),
    (
        "spindle-app/src/lib.rs",
        include_str!("../../../../crates/app/src/lib.rs"),
    ),
    (
        "spindle-app/src/bindings.rs",
        include_str!("../../../../crates/app/src/bindings.rs"),
    ),
    (
        "spindle-app/src/effects.rs",
        include_str!("../../../../crates/app/src/effects.rs"),
    ),
    (
        "spindle-app/src/events.rs",
        include_str!("../../../../crates/app/src/events.rs"),
    ),
    (
        "spindle-app/src/values.rs",
        include_str!("../../../../crates/app/src/values.rs"),
    ),
    (
        "spindle-app/wit/app.wit",
        include_str!("../../../wit/app/app.wit"),
    ),
];

#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// Name of the app and of the folder: small letters, digits and hyphens.
    #[arg(value_name = "NAME")]
    name: String,
    /// The language in which the app is written.
    #[arg(long, value_enum, default_value_t = Language::Rust, value_name = "LANGUAGE")]
    language: Language,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Rust,
}

impl New {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { name, language } = self;
        let Language::Rust = language;
        let files = files(&name)?;
        let folder = PathBuf::from(&name);
        if folder.exists() {
            bail!("{name} exists already");
        }
        for (path, text) in files {
            write(&folder.join(path), &text)?;
        }
        show(&format!(
            "{name}/README.md says how to build, try and install the app"
        ));
        Ok(ExitCode::SUCCESS)
    }
}

/// Paths and texts of all files.
fn files(name: &str) -> Result<Vec<(&'static str, String)>> {
    let mut title = name.replace('-', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let filled = |text: &str| {
        text.replace("NAME_OF_FILE", &name.replace('-', "_"))
            .replace("NAME", name)
            .replace("TITLE", &title)
    };
    let app = APP.iter().map(|(path, text)| (*path, filled(text)));
    let parts = CRATE.iter().map(|(path, text)| (*path, (*text).to_owned()));
    let files: Vec<_> = app.chain(parts).collect();
    let manifest = files.iter().find(|(path, _)| *path == "app.json");
    // Its rules for names are those of the app.
    Manifest::parse(manifest.map_or(&[], |(_, text)| text.as_bytes()))?;
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<()> {
    let shown = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(shown)?;
    }
    fs::write(path, text).with_context(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_apps_are_checked() {
        for name in ["stand-up", "a", "rss2"] {
            let files = files(name).unwrap();
            assert!(files.iter().all(|(_, text)| !text.contains("NAME")));
        }
        for name in ["", "Stand", "a/b", "..", "-a", "a_b"] {
            assert!(files(name).is_err(), "{name}");
        }
    }

    #[test]
    fn the_whole_crate_is_carried() {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let folder = Path::new(&manifest).join("../crates/app/src");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let place = format!("spindle-app/src/{name}");
            let is_carried = CRATE.iter().any(|(path, _)| *path == place);
            assert!(is_carried, "{name} is not carried");
        }
    }
}
