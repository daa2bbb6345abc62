//! Uploaded files: who may have one, how one is uploaded and deleted, and its temporary address.
//!
//! Contents are blobs, stored by the callers of these actions while no transaction is open: a
//! key is announced first, and the action that makes use of it takes it off the list of
//! deletions again.

mod access;
mod blobs;
mod clean;
mod delete;
mod list;
mod name;
mod resumable;
mod temporary;
mod thumbnail;
mod upload;

pub use access::read_file;
pub(crate) use access::{may_use, reader_of};
pub use blobs::announce_blobs;
pub(crate) use blobs::{release, take};
pub use clean::{blobs_to_delete, clean_files, forget_blobs};
pub use delete::delete_attachment;
pub(crate) use delete::remove_file;
pub use list::{Attachments, list_attachments};
pub(crate) use name::shown as shown_name;
pub use resumable::{
    NewUpload, ResumableUpload, begin_resumable_upload, cancel_resumable_upload,
    find_resumable_upload, finish_resumable_upload,
};
pub use spindle_store::attachments::AttachmentRow;
pub use temporary::{find_temporary_file, temporary_file_path};
pub use thumbnail::thumbnail_key;
pub(crate) use thumbnail::{imported_key, transcoded_name};
pub use upload::{FilePreview, FileUpload, Uploaded, begin_upload, finish_upload};
