//! Backup, restore and check: a whole server as one directory of plain files.
//!
//! A backup is taken while the server runs and is a consistent snapshot: the database is copied in one
//! read transaction, and blobs after it, so that every blob that the copy refers to is included.
//! `manifest.json` is written last; a directory without it is an unfinished backup. Secrets of the
//! machine (internal token, owner's credentials) are not included.

mod create;
mod files;
mod manifest;
mod note;
mod restore;
mod rotate;
mod verify;

pub use create::{Source, create};
pub use files::Entry;
pub use manifest::Manifest;
pub use note::{Note, note, noted};
pub use restore::{restore_data_dir, restore_database};
pub use rotate::{Rotated, beside, create_and_keep};
pub use verify::{Report, SCHEMA_NOT_COMPARED, check, check_server};

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
