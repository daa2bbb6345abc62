//! `spindle app new`: the folder of a new app.
//!
//! The program carries what each language needs, so that a new app needs nothing else of this project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};

use crate::cli::output::show;
use spindle_domain::apps::Manifest;

/// Paths and texts of files.
type Files = &'static [(&'static str, &'static str)];

/// The files of an app in every language: `NAME` and `TITLE` in them are replaced, as in those of its language.
const APP: Files = &[
    ("app.json", include_str!("template/app.json")),
    ("events.json", include_str!("template/events.json")),
];

const RUST: Files = &[
    ("Cargo.toml", include_str!("template/Cargo.toml.template")),
    ("README.md", include_str!("template/README.template")),
    ("src/lib.rs", include_str!("template/lib.rs")),
    (".gitignore", "/target\n"),
];

const PYTHON: Files = &[
    (
        "README.md",
        include_str!("../../../../sdk/python/template/README.template"),
    ),
    (
        "app.py",
        include_str!("../../../../sdk/python/template/app.py"),
    ),
    (
        "build.sh",
        include_str!("../../../../sdk/python/template/build.sh"),
    ),
    (
        "requirements.txt",
        include_str!("../../../../sdk/python/template/requirements.txt"),
    ),
    (".gitignore", "/.venv\n__pycache__\n*.wasm\n"),
];

const JS: Files = &[
    (
        "README.md",
        include_str!("../../../../sdk/js/template/README.template"),
    ),
    ("app.js", include_str!("../../../../sdk/js/template/app.js")),
    (
        "package.json",
        include_str!("../../../../sdk/js/template/package.json"),
    ),
    (".gitignore", "/node_modules\n*.wasm\n"),
];

/// The crate for apps.
const CRATE: Files = &[
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
        "spindle-app/src/text.rs",
        include_str!("../../../../crates/app/src/text.rs"),
    ),
    (
        "spindle-app/src/values.rs",
        include_str!("../../../../crates/app/src/values.rs"),
    ),
    (
        "spindle-app/src/markdown.rs",
        include_str!("../../../../crates/app/src/markdown.rs"),
    ),
    (
        "spindle-app/src/testing.rs",
        include_str!("../../../../crates/app/src/testing.rs"),
    ),
    (
        "spindle-app/src/time.rs",
        include_str!("../../../../crates/app/src/time.rs"),
    ),
    (
        "spindle-app/wit/app.wit",
        include_str!("../../../wit/app/app.wit"),
    ),
];

const PYTHON_MODULE: Files = &[
    (
        "spindle_app.py",
        include_str!("../../../../sdk/python/spindle_app.py"),
    ),
    ("wit/app.wit", include_str!("../../../wit/app/app.wit")),
];

const JS_MODULE: Files = &[
    (
        "spindle-app.js",
        include_str!("../../../../sdk/js/spindle-app.js"),
    ),
    ("wit/app.wit", include_str!("../../../wit/app/app.wit")),
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
    Python,
    Js,
}

impl Language {
    /// The files of an app, to be filled in, and those that each app has alike.
    const fn files(self) -> (Files, Files) {
        match self {
            Self::Rust => (RUST, CRATE),
            Self::Python => (PYTHON, PYTHON_MODULE),
            Self::Js => (JS, JS_MODULE),
        }
    }
}

impl New {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { name, language } = self;
        let files = files(&name, language)?;
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
fn files(name: &str, language: Language) -> Result<Vec<(&'static str, String)>> {
    let mut title = name.replace('-', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let filled = |text: &str| {
        text.replace("NAME_OF_FILE", &name.replace('-', "_"))
            .replace("NAME", name)
            .replace("TITLE", &title)
    };
    let (app, parts) = language.files();
    let app = APP.iter().chain(app);
    let app = app.map(|(path, text)| (*path, filled(text)));
    let parts = parts.iter().map(|(path, text)| (*path, (*text).to_owned()));
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
            for language in Language::value_variants() {
                let files = files(name, *language).unwrap();
                for (path, text) in files {
                    assert!(!text.contains("NAME") && !text.contains("TITLE"), "{path}");
                }
            }
        }
        for name in ["", "Stand", "a/b", "..", "-a", "a_b"] {
            assert!(files(name, Language::Js).is_err(), "{name}");
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
