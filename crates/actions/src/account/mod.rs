//! Authentication: keys, passwords, sessions, and what the operator does with accounts. Independent
//! of the operation that the caller wants.

mod app_flow;
pub(crate) mod authenticate;
pub(crate) mod company_accounts;
mod fetch_api_key;
pub(crate) mod hidden_email;
pub(crate) mod keys;
pub(crate) mod link_keys;
pub(crate) mod manage_account;
pub(crate) mod origin;
pub(crate) mod outbox;
pub(crate) mod passkeys;
pub(crate) mod passwords;
mod proof;
pub(crate) mod revoke;
mod rotate_key;
pub(crate) mod second_factor;
pub(crate) mod secrets;
pub(crate) mod sessions;
mod set_bot_rate;
mod set_password;
mod set_permission;
pub(crate) mod ways;

pub use app_flow::{AppSignIn, OneTimePad, sign_in_app};
pub(crate) use authenticate::act_by_link;
pub use authenticate::{Authenticated, act_as, authenticate};
pub use fetch_api_key::{FetchedKey, fetch_api_key};
pub use keys::{
    ListedKey, MadeKey, NewKey, create_api_key, end_api_key, end_expired_keys, list_api_keys,
    note_key_use,
};
pub use origin::SignInOrigin;
pub use passkeys::{ListedPasskey, PasskeyChallenge, PasskeyHost, begin_passkey_answer};
pub use proof::attempted;
pub use rotate_key::{issue_key, rotate_key};
pub use second_factor::{
    AddedPasskey, Enrolment, Factor, NewPasskey, SecondFactorState, begin_passkey, begin_totp,
    confirm_passkey, confirm_totp, remove_passkey, remove_totp, renew_recovery_codes,
    reset_second_factor, second_factor_state,
};
pub use sessions::*;
pub use set_bot_rate::{BOT_RATES, set_bot_rate};
pub use set_password::set_password;
pub use set_permission::{SPECIAL_PERMISSIONS, set_permission};
