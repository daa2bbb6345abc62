//! `docs/ERRORS.md`, written from the table.

use std::fmt::Write as _;

use super::Code;

const HEAD: &str = "\
# Errors

What the server answers when a request does not succeed. The table is written from `crates/domain/src/errors/table.rs`; a test
compares the two and writes this file anew: `SPINDLE_WRITE=1 cargo xtask test errors_document`.

An error is a JSON object with `result` (`error`), `msg` (a text for people, which may change), `code` and the fields
of the code, and no others. Which errors an operation has is in the OpenAPI document. A status other than the one of
the code is answered for a missing object of the caller or a missing address (404), a method that an address does not
have (405), a body that is too large (413), a server that is too busy or does not reach a service that it needs (503), and
by uploads in parts. `BAD_REQUEST` alone has further forms: with `errors` (texts by field of an object that cannot be stored), `allowed_methods` (with 405), and
`parameters` (those that exclude each other).

| code | status | fields | when |
|---|---|---|---|
";

/// The text of the document.
pub fn document() -> String {
    let mut text = String::from(HEAD);
    for code in Code::ALL {
        let forms: Vec<String> = code
            .forms()
            .iter()
            .map(|form| {
                let names: Vec<String> = form
                    .iter()
                    .map(|field| format!("`{}`", field.name))
                    .collect();
                names.join(", ")
            })
            .collect();
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            code.name(),
            code.status(),
            forms.join(" or "),
            code.description()
        );
    }
    text
}
