//! The description of the interface: one OpenAPI 3.1 document, served unchanged and used by tests
//! to check every response.
//!
//! Written by hand under `paths/` (one file an operation) and `schemas/`, merged at build time; see
//! `README.md` in this crate for the short forms. It must not be derived from the handlers, because
//! tests check them against it.

/// The document, as JSON. Schemas are strict: objects admit no other properties than
/// those listed, unless they say so, and every listed one is required unless it is optional.
pub const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// Method, path and id of every operation of the document; the path has parameters in braces.
pub const OPERATIONS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/operations.rs"));

#[cfg(test)]
mod client_types;
#[cfg(test)]
mod tests;
