//! Sessions: browsers in which a user is signed in, by a cookie instead of a key.
//!
//! A session is a random token in a cookie and its hash in a row. It ends some days after its last use, with a new
//! password, with the account, or when its owner ends it. Cookies are the concern of `crates/guest`.

mod authenticate;
mod by_passkey;
mod end;
mod length;
mod link;
mod list;
mod proven;
mod renew;
mod sign_in;

pub use authenticate::{authenticate_session, name_in_session};
pub use by_passkey::sign_in_by_passkey;
pub use end::{end_other_sessions, end_session};
pub use link::make_sign_in_link;
pub use list::{ListedSession, list_sessions};
pub use proven::make_proven_link;
pub use renew::renew_session;
pub use sign_in::{NewSession, PasswordProof, sign_in, sign_in_by_link};

pub(crate) use end::end_all;
pub(crate) use length::end_older;
pub(crate) use list::list_sessions_of;
pub(crate) use sign_in::{NewIn, announce, log_in, write_session};

/// A session is over when it was last used before this (UNIX seconds); `lasts` is in seconds.
fn expired_before(now: i64, lasts: i64) -> i64 {
    now.saturating_sub(lasts)
}
