//! The parts of the check that run only when a change touches their subject.
//!
//! Owns the table of paths, and the choice by the files that changed since `SPINDLE_BASE`. Without a base, everything
//! runs. How a subject is tested is not its concern: stages, suites and variants name their subjects.

use std::collections::BTreeSet;
use std::env;
use std::process::Command;

/// A part of the check with its own condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// Clients that attack the server, and overload.
    Attacks,
    /// Several nodes, failover of the database.
    Cluster,
    /// Conformance on PostgreSQL, with one node and with two.
    Postgres,
    /// Backups, upgrades, loss of power.
    Drills,
    /// Packages, containers and machines that they are installed on.
    Packages,
    Fuzzing,
    /// The web client in a second browser.
    Firefox,
    /// Clients that generators make from the OpenAPI document.
    Generators,
    /// `cargo xtask test PATTERN`.
    Loop,
}

/// The beginnings of the paths that belong to each subject.
const PATHS: &[(Subject, &[&str])] = &[
    (
        Subject::Attacks,
        &[
            "crates/guest/",
            "crates/wire/",
            "host/runtime/src/",
            "host/queues/src/",
            "host/front/src/",
            "host/src/handoff/",
            "host/admission/src/heap",
            "host/system/src/low_priority",
            "host/admission/src/memory",
            "host/runtime/src/",
            "spin.toml",
            "tests/abuse/",
            "tests/components/",
            "tests/misbehave.rs",
            "tests/overload.rs",
        ],
    ),
    (
        Subject::Cluster,
        &[
            "crates/store/src/log_order",
            "crates/store/src/pg/",
            "host/postgres/src/",
            "host/database/src/",
            "host/queues/src/",
            "host/jobs/src/",
            "tests/cluster/",
            "tests/postgres/",
        ],
    ),
    (
        Subject::Postgres,
        &[
            "crates/store/",
            "host/postgres/src/",
            "host/database/src/",
            "host/archive/src/transfer/",
            "migrations/",
            "tests/postgres/",
        ],
    ),
    (
        Subject::Drills,
        &[
            "crates/store/src/check",
            "crates/store/src/migrations",
            "host/src/admin/",
            "host/src/backup/",
            "host/src/cli/",
            "host/src/doctor/",
            "migrations/",
            "tests/drills/",
        ],
    ),
    (
        Subject::Packages,
        &[
            "deploy/",
            "host/config/src/",
            "host/front/src/embedded",
            "host/src/setup/",
            "packer/",
            "runtime-config.example.toml",
            "spin.toml",
            "tests/deploy/",
        ],
    ),
    (
        Subject::Fuzzing,
        &["crates/guest/", "crates/markup/", "crates/wire/", "fuzz/"],
    ),
    (Subject::Firefox, &["components/page/", "tests/page/"]),
    (
        Subject::Generators,
        &[
            "crates/domain/src/errors/",
            "crates/domain/src/permission/",
            "crates/domain/src/settings/",
            "crates/openapi/",
            "sdk/",
            "tests/generated/",
        ],
    ),
    (Subject::Loop, &[]),
];

/// The check itself, its tools and the versions of dependencies: a change of these runs everything.
const EVERYTHING: &[&str] = &[
    ".cargo/",
    ".ci/",
    "Cargo.lock",
    "Cargo.toml",
    "rust-toolchain.toml",
    "scripts/",
    "tests/Cargo.toml",
    "tests/src/",
    "xtask/",
];

/// The subjects of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subjects(BTreeSet<Subject>);

impl Subjects {
    pub(crate) fn all() -> Self {
        Self(PATHS.iter().map(|(subject, _)| *subject).collect())
    }

    /// The subjects that the checkout changes compared with the commit in `SPINDLE_BASE`. All of them without a base,
    /// and when the checkout does not have that commit.
    pub(crate) fn of_change() -> Self {
        let base = env::var("SPINDLE_BASE").unwrap_or_default();
        let changed = if base.is_empty() {
            None
        } else {
            changed_since(&base)
        };
        let Some(files) = changed else {
            println!("every subject: there is no commit to compare with (SPINDLE_BASE)");
            return Self::all();
        };
        let subjects = Self::of_files(&files);
        println!("{} files changed since {base}: {subjects:?}", files.len());
        subjects
    }

    fn of_files(files: &[String]) -> Self {
        let touches = |paths: &[&str]| {
            let mut files = files.iter();
            files.any(|file| paths.iter().any(|path| file.starts_with(path)))
        };
        if touches(EVERYTHING) {
            return Self::all();
        }
        let touched = PATHS.iter().filter(|(_, paths)| touches(paths));
        Self(touched.map(|(subject, _)| *subject).collect())
    }

    /// Whether a part of the check runs; parts without a subject always do.
    pub(crate) fn include(&self, subject: Option<Subject>) -> bool {
        subject.is_none_or(|subject| self.0.contains(&subject))
    }
}

/// The files that differ from a commit, uncommitted and untracked ones included; `None` when the commit is unknown.
fn changed_since(base: &str) -> Option<Vec<String>> {
    let mut files = git(&["diff", "--name-only", "--no-renames", base, "--"])?;
    files.extend(git(&["ls-files", "--others", "--exclude-standard"])?);
    Some(files)
}

/// The lines that git prints; `None` when it fails.
fn git(arguments: &[&str]) -> Option<Vec<String>> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(str::to_owned).collect();
    output.status.success().then_some(lines)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn of(file: &str) -> Vec<Subject> {
        Subjects::of_files(&[file.to_owned()])
            .0
            .into_iter()
            .collect()
    }

    #[test]
    fn a_change_runs_the_subjects_of_its_files() {
        assert_eq!(of("components/users/src/update_user.rs"), []);
        assert_eq!(of("components/page/web/app.js"), [Subject::Firefox]);
        assert_eq!(
            of("crates/openapi/paths/server/register.yaml"),
            [Subject::Generators]
        );
        assert_eq!(of("host/front/src/rate.rs"), [Subject::Attacks]);
        assert_eq!(
            of("migrations/0035_x.sql"),
            [Subject::Postgres, Subject::Drills]
        );
        assert_eq!(of("xtask/src/main.rs").len(), PATHS.len());
        assert!(!Subjects::of_files(&[]).include(Some(Subject::Attacks)));
        assert!(Subjects::of_files(&[]).include(None));
    }

    #[test]
    fn every_path_of_the_table_exists() {
        crate::run::enter_repository().unwrap();
        let paths = PATHS.iter().flat_map(|(_, paths)| paths.iter());
        for path in paths.chain(EVERYTHING) {
            let (folder, beginning) = path.rsplit_once('/').unwrap_or((".", path));
            let mut names = std::fs::read_dir(Path::new(folder)).unwrap();
            let begins = names.any(|name| {
                let name = name.unwrap().file_name();
                name.to_string_lossy().starts_with(beginning)
            });
            assert!(begins, "{path}");
        }
    }

    #[test]
    fn an_unknown_base_runs_everything() {
        crate::run::enter_repository().unwrap();
        assert_eq!(changed_since("no-such-commit"), None);
        assert!(changed_since("HEAD").is_some());
    }
}
