//! People and bots: accounts, roles, profiles, pictures, statuses. What a person has
//! for themselves alone is in `personal`.

pub(crate) mod arrival;
pub(crate) mod bot_events;
pub(crate) mod bots;
mod clear_ended_statuses;
pub(crate) mod confirm_address;
pub(crate) mod create_user;
mod credentials;
mod deactivate_user;
mod erase_traces;
mod get_own_user;
mod get_user_status;
mod get_users;
mod group_events;
mod import_person;
mod join;
mod password_link;
mod paused_apps;
mod reactivate_user;
mod role_view;
pub(crate) mod set_avatar;
pub(crate) mod set_role;
mod set_user_status;
mod unproven_keys;
mod update_own_profile;
pub(crate) mod update_user;
mod welcome;

pub use bots::*;
pub use clear_ended_statuses::clear_ended_statuses;
pub use confirm_address::confirm_address;
pub use create_user::{CreatedUser, NewAccount, create_person, create_user};
pub use credentials::{
    EndedCredentials, UserCredentials, end_credentials, list_credentials, list_identities,
};
pub(crate) use deactivate_user::end_bot;
pub use deactivate_user::{Deactivation, deactivate_own_user, deactivate_person, deactivate_user};
pub use erase_traces::DeactivationActions;
pub use get_own_user::{OwnUser, get_own_user};
pub use get_user_status::{UserStatus, get_user_status};
pub use get_users::{UserForm, get_user, list_users};
pub use import_person::{
    FoundPerson, LineError, PersonColumn, PersonLine, find_person, import_person,
};
pub use join::{InvitationPreview, JoinInput, Newcomer, join, preview_invitation};
pub(crate) use password_link::mailed_link;
pub use password_link::{
    ByLink, LinkProof, PasswordLink, make_password_link, request_password_reset, use_password_link,
};
pub(crate) use reactivate_user::reactivate;
pub use reactivate_user::reactivate_user;
pub use set_avatar::{
    AvatarUpload, Picture, avatar_key, begin_avatar, check_may_change, delete_avatar,
    find_avatar_path, find_picture, finish_avatar,
};
pub use set_role::set_role;
pub use set_user_status::{StatusInput, set_user_status};
pub use unproven_keys::end_unproven_keys;
pub use update_own_profile::{remove_own_profile, update_own_profile};
pub use update_user::{UserUpdate, update_user};
pub use welcome::test_welcome_message;
