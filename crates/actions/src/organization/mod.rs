//! The organization itself: its settings, pictures, custom emoji, linkifiers, profile fields.

mod announce_restart;
pub(crate) mod custom_emoji;
mod deactivate_realm;
pub(crate) mod describe_realm;
pub(crate) mod domains;
pub(crate) mod emoji_reference;
pub(crate) mod linkifiers;
mod mend_messages;
mod mend_texts;
mod playgrounds;
pub(crate) mod profile_fields;
mod reactivate_realm;
pub(crate) mod realm_policies;
pub(crate) mod set_realm_picture;
mod set_upload_quota;
mod update_realm;

pub use announce_restart::announce_restart;
pub use custom_emoji::{
    EmojiUpload, begin_emoji, check_new_emoji, deactivate_emoji, emoji_key, finish_emoji,
    list_emoji,
};
pub use deactivate_realm::deactivate_realm;
pub use describe_realm::{RealmDescription, ShownProvider, describe_realm};
pub use domains::*;
pub use linkifiers::*;
pub use mend_messages::mend_messages;
pub use mend_texts::{MendedTexts, mend_texts};
pub(crate) use playgrounds::check_playground;
pub use playgrounds::*;
pub use profile_fields::*;
pub use reactivate_realm::reactivate_realm;
pub use set_realm_picture::{
    RealmPictureUpload, begin_realm_picture, delete_realm_picture, finish_realm_picture,
    realm_picture_key,
};
pub use set_upload_quota::{set_largest_file, set_upload_quota};
pub use spindle_store::pictures::RealmPicture;
pub use update_realm::*;
pub(crate) use update_realm::{check_value, normal_value};
