//! Users: accounts, profiles, statuses and invitations.
//!
//! Owns operations on accounts and on invitations. The permission rules are in the domain and are applied
//! by actions.

mod bot_defaults;
mod bot_storage;
mod confirm_address;
mod create_bot;
mod create_invite_link;
mod create_password_link;
mod create_user;
mod deactivate_bot;
mod deactivate_own_user;
mod deactivate_user;
mod delete_user_identity;
mod end_user_api_key;
mod end_user_session;
mod end_user_sessions;
mod get_bot_api_key;
mod get_bots;
mod get_invitation_preview;
mod get_invites;
mod get_own_user;
mod get_user;
mod get_user_api_keys;
mod get_user_identities;
mod get_user_presence;
mod get_user_sessions;
mod get_user_status;
mod get_users;
mod invitations;
mod join;
mod named_user;
mod open_unsubscription;
mod preview_template;
mod reactivate_user;
mod regenerate_bot_api_key;
mod remove_own_profile;
mod request_password_reset;
mod resend_email_invite;
mod revoke_email_invite;
mod revoke_invite_link;
mod revoke_user_api_keys;
mod send_invites;
mod unsubscribe;
mod update_bot;
mod update_own_profile;
mod update_status;
mod update_status_of_user;
mod update_user;
mod use_password_link;

use spindle_guest::Operation;

/// Every operation of this component. Of two matching paths the first is used, so ids come before email
/// addresses.
pub static OPERATIONS: &[Operation] = &[
    get_own_user::OPERATION,
    deactivate_own_user::OPERATION,
    update_own_profile::OPERATION,
    remove_own_profile::OPERATION,
    update_status::OPERATION,
    get_users::OPERATION,
    create_user::OPERATION,
    get_user::BY_ID,
    update_user::BY_ID,
    deactivate_user::OPERATION,
    get_user::BY_EMAIL,
    update_user::BY_EMAIL,
    reactivate_user::OPERATION,
    create_password_link::OPERATION,
    get_user_sessions::OPERATION,
    end_user_sessions::OPERATION,
    end_user_session::OPERATION,
    get_user_api_keys::OPERATION,
    revoke_user_api_keys::OPERATION,
    end_user_api_key::OPERATION,
    get_user_identities::OPERATION,
    delete_user_identity::OPERATION,
    get_user_status::OPERATION,
    get_user_presence::OPERATION,
    get_bots::OPERATION,
    create_bot::OPERATION,
    preview_template::OPERATION,
    update_bot::OPERATION,
    deactivate_bot::OPERATION,
    get_bot_api_key::OPERATION,
    regenerate_bot_api_key::OPERATION,
    update_status_of_user::OPERATION,
    bot_storage::GET,
    bot_storage::SET,
    bot_storage::DELETE,
    get_invites::OPERATION,
    send_invites::OPERATION,
    create_invite_link::OPERATION,
    revoke_email_invite::OPERATION,
    revoke_invite_link::OPERATION,
    resend_email_invite::OPERATION,
    get_invitation_preview::OPERATION,
    join::OPERATION,
    use_password_link::OPERATION,
    request_password_reset::OPERATION,
    confirm_address::OPERATION,
    unsubscribe::OPERATION,
    open_unsubscription::OPERATION,
];

spindle_guest::component!(OPERATIONS);
