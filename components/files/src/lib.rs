//! Uploaded files: attachments, avatars, the organization's images, custom emoji.
//!
//! Owns these operations at all their paths, since image decoding needs memory and code that other
//! components should not have. The event-queue service stores the files, since components cannot write
//! files.

mod append_to_upload;
mod cancel_upload;
mod create_resumable_upload;
mod delete_attachment;
mod delete_avatar;
mod delete_emoji;
mod delete_realm_icon;
mod delete_realm_logo;
mod get_attachments;
mod get_avatar;
mod get_emoji;
mod get_emoji_picture;
mod get_export_archive;
mod get_file;
mod get_file_thumbnail;
mod get_file_url;
mod get_picture;
mod get_realm_picture;
mod get_temporary_file;
mod get_upload_progress;
mod identicon;
mod one_file;
mod picture;
mod resumable;
mod serving;
mod upload_avatar;
mod upload_emoji;
mod upload_file;
mod upload_realm_icon;
mod upload_realm_logo;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_avatar::OPERATION,
    get_avatar::OPERATION_MEDIUM,
    get_picture::OPERATION,
    get_picture::OPERATION_MEDIUM,
    get_emoji_picture::OPERATION,
    get_realm_picture::OPERATION,
    upload_file::OPERATION,
    create_resumable_upload::OPERATION,
    get_upload_progress::OPERATION,
    append_to_upload::OPERATION,
    cancel_upload::OPERATION,
    get_file_url::OPERATION,
    get_export_archive::OPERATION,
    get_file::OPERATION,
    get_file_thumbnail::OPERATION,
    get_temporary_file::OPERATION,
    get_attachments::OPERATION,
    delete_attachment::OPERATION,
    upload_avatar::OPERATION,
    delete_avatar::OPERATION,
    upload_realm_icon::OPERATION,
    delete_realm_icon::OPERATION,
    upload_realm_logo::OPERATION,
    delete_realm_logo::OPERATION,
    get_emoji::OPERATION,
    upload_emoji::OPERATION,
    delete_emoji::OPERATION,
];

spindle_guest::component!(OPERATIONS);
