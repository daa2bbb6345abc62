//! Files that components put and get by key: avatars, uploads, emoji, exports.
//!
//! Owns a directory of the data directory and its HTTP form. Components cannot write files on
//! Spin, so they come here in either mode; who may read a blob is for them to decide.

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
