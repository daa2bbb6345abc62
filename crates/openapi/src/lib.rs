//! The description of the interface: one OpenAPI 3.1 document, which tests use to check every response, and its
//! published form, which the server serves.
//!
//! Written by hand under `paths/` (one file an operation) and `schemas/`, merged at build time; see
//! `README.md` in this crate for the short forms. It must not be derived from the handlers, because
//! tests check them against it.

/// The document, as JSON. Schemas are strict: objects admit no other properties than
/// those listed, unless they say so, and every listed one is required unless it is optional.
pub const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The document as the server publishes it: the same operations and objects, with a description and an example of
/// every parameter and field, in a form that generators of clients take (`build/published.rs`).
pub const PUBLISHED: &str = include_str!(concat!(env!("OUT_DIR"), "/published.json"));

/// Method, path and id of every operation of the document; the path has parameters in braces.
pub const OPERATIONS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/operations.rs"));

#[cfg(test)]
mod client_types;
#[cfg(test)]
mod published_tests;
#[cfg(test)]
mod tests;
