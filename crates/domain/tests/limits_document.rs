//! `docs/LIMITS.md` says what the code does, and its tests exist.
#![allow(clippy::unwrap_used)]

use spindle_domain::limits::table;
use std::path::{Path, PathBuf};

/// The repository in which the tests run.
fn root() -> PathBuf {
    Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

#[test]
fn limits_document_is_the_one_of_the_table() {
    let path = root().join("docs/LIMITS.md");
    let expected = table::document();
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == expected,
        "write it anew: SPINDLE_WRITE=1 cargo xtask test limits_document"
    );
}

/// The folders whose tests a row may name, by the first part of the name.
const FOLDERS: [(&str, &str); 14] = [
    ("abuse", "tests/abuse"),
    ("conformance", "tests/conformance"),
    ("host", "host/tests/host"),
    ("spindle_actions", "crates/actions/src"),
    ("spindle_admission", "host/admission/src"),
    ("spindle_apps", "host/apps/tests"),
    ("spindle_blobs", "host/blobs/src"),
    ("spindle_domain", "crates/domain/src"),
    ("spindle_identity", "host/identity/tests/hostile"),
    ("spindle_integrations", "crates/integrations/src"),
    ("spindle_jobs", "host/jobs/src"),
    ("spindle_postgres", "host/postgres/src"),
    ("spindle_queues", "host/queues/src"),
    ("spindle_store", "crates/store/src"),
];

/// The source of a module of tests, when it has tests.
fn source(test: &str) -> Option<PathBuf> {
    let (folder, rest) = FOLDERS
        .iter()
        .find_map(|(name, folder)| {
            let rest = test.strip_prefix(name)?;
            let is_whole_crate = rest.is_empty();
            Some((
                *folder,
                rest.strip_prefix("::").or(is_whole_crate.then_some(""))?,
            ))
        })
        .unwrap_or(("tests", test));
    let module = rest.strip_suffix("::tests").unwrap_or(rest);
    let path = root().join(folder).join(module.replace("::", "/"));
    let mut files = vec![
        path.with_extension("rs"),
        path.join("mod.rs"),
        path.join("tests.rs"),
    ];
    // The tests of a module may be in a folder of their own, or in its own modules.
    let folders = [path.clone(), path.join("tests")].map(std::fs::read_dir);
    files.extend(
        folders
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.unwrap().path()),
    );
    files.into_iter().find(|file| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.contains("#[test]") || text.contains("#[tokio::test")
    })
}

#[test]
fn every_limit_names_tests_that_exist() {
    let rows = table::GROWTH
        .iter()
        .chain(table::LENGTHS)
        .chain(table::APPS)
        .chain(table::SERVER);
    let missing: Vec<_> = rows.filter(|row| source(row.test).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
