//! Errors that have a code of their own: what clients branch on.
//!
//! One table ([`table`]) has the code, the HTTP status, the text and the fields of each error. The enums [`Code`] and
//! [`ClientError`], the schemas of the OpenAPI document and `docs/ERRORS.md` are made from it. An error without
//! a code of its own is `BAD_REQUEST` with a text.
//!
//! Headers are added where the answer is written, not here.

mod define;
mod document;
mod sample;
mod table;

pub use document::document;
pub use table::{ClientError, Code};

/// A field that an error has in addition to `result`, `msg` and `code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name on the wire.
    pub name: &'static str,
    /// Its schema, as YAML in the short form of the OpenAPI document's files.
    pub schema: &'static str,
}

#[cfg(test)]
mod tests;
