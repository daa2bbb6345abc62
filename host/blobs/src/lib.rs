//! The blob store: files that components put and get by key (avatars, uploads, emoji, exports).
//!
//! Owns where they are kept, behind one interface (`store`): a folder of the data directory, or a
//! bucket. Owns HTTP access to them, too. Components cannot write files on Spin, so they use this service in both modes; they decide
//! who may read a blob.

mod append_locks;
mod bucket;
mod copy;
mod folder;
mod http;
mod key;
mod open;
mod range;
mod store;

pub use self::http::{send, serve, serve_part};
pub use bucket::{parts::MOST_PARTS, upload::LARGEST_OBJECT};
pub use copy::{Copied, copy_all};
pub use folder::Folder;
pub use key::BlobKey;
pub use store::{Appended, Blob, BlobError, BlobStore, NewBlob};
