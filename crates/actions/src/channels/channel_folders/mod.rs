//! Channel folders: listing, creating, changing and ordering them
//! (docs/protocol/channel-folders.md#channel-folder).
//!
//! All users see all folders, so every change is broadcast to the organization. Administrators
//! may change them, which the guard of the operations checks.

mod create;
mod list;
mod reorder;
mod update;

pub use create::{NewChannelFolder, create_channel_folder};
pub use list::list_channel_folders;
pub use reorder::reorder_channel_folders;
pub use update::{ChannelFolderChange, update_channel_folder};

use spindle_domain::text::Form;
use spindle_store::DbError;

use crate::ActionError;
use crate::channels::description::check_name;
use crate::text::accept;

/// Checks a name in the order of docs/protocol/channel-folders.md#create_channel_folder after its
/// length.
fn check_folder_name(name: &str) -> Result<String, ActionError> {
    check_name(name)
}

fn check_folder_description(description: &str) -> Result<String, ActionError> {
    accept(Form::Block, "the description", description)
}

/// A name that is taken is the client's to know.
fn name_taken(error: DbError) -> ActionError {
    match error {
        DbError::NotUnique(_) => {
            ActionError::bad_request("A channel folder with this name already exists")
        }
        other => other.into(),
    }
}
