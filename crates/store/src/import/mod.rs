//! Rows of an imported organization, which keep the ids that they had elsewhere.
//!
//! Owns the statements for which the ordinary ones cannot serve, because those number what they insert:
//! people, groups, channels, messages and all rows that texts or other rows name by their ids. All of
//! them write into a database that no other connection uses yet, so none of them emits an event. What
//! a row may say is checked by the caller.

#[cfg(any(feature = "native", test))]
pub mod bulk;
mod import_transaction;
mod messages;
mod organization;
mod people;
#[cfg(test)]
mod tests;

pub use import_transaction::ImportTransaction;
pub use messages::{
    ImportedMessage, ImportedReaction, ImportedReceipt, count_receipts, insert_message,
    insert_namings, insert_reaction, insert_receipts, is_direct, set_buttons, set_first_messages,
};
pub use organization::{
    ImportedEmoji, ImportedField, ImportedFolder, ImportedGroup, ImportedPresence, describe_folder,
    insert_audit, insert_emoji, insert_field, insert_folder, insert_group, insert_presence,
    name_still_emoji, remove_unused_groups,
};
pub use people::{
    ImportedStatus, ImportedSubscription, ImportedUser, insert_status, insert_subscription,
    insert_user, make_owner, owners,
};
