//! `docs/ERRORS.md` says what the code does.
#![allow(clippy::unwrap_used)]

use spindle_domain::errors;
use std::path::Path;

#[test]
fn errors_document_is_the_one_of_the_table() {
    let path =
        Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/ERRORS.md");
    let expected = errors::document();
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == expected,
        "write it anew: SPINDLE_WRITE=1 cargo xtask test errors_document"
    );
}
