//! The blob store: files that components put and get by key (avatars, uploads, emoji, exports).
//!
//! Owns a directory in the data directory, and HTTP access to it. Components cannot write files on
//! Spin, so they use this service in both modes; they decide who may read a blob.

mod file;
mod http;
mod key;
mod partial;
mod range;
mod store;

pub use self::http::{send, serve, serve_part};
pub use key::BlobKey;
pub use partial::Appended;
pub use store::{Blob, BlobError, BlobStore, NewBlob};
