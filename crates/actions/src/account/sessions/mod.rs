//! Sessions: browsers in which a user is signed in, by a cookie instead of a key.
//!
//! A session is a random token in a cookie and its hash in a row. It ends 30 days after its last use, with a new
//! password, with the account, or when its owner ends it. Cookies are the concern of `crates/guest`.

mod authenticate;
mod end;
mod link;
mod list;
mod renew;
mod sign_in;

pub use authenticate::{authenticate_session, name_in_session};
pub use end::{end_other_sessions, end_session};
pub use link::make_sign_in_link;
pub use list::{ListedSession, list_sessions};
pub use renew::renew_session;
pub use sign_in::{NewSession, sign_in, sign_in_by_link};

pub(crate) use end::end_all;
pub(crate) use list::list_sessions_of;
pub(crate) use sign_in::{announce, log_in, write_session};

use spindle_domain::limits::SESSION_SECONDS;

/// A session is over when it was last used before this (UNIX seconds).
fn expired_before(now: i64) -> i64 {
    now.saturating_sub(SESSION_SECONDS)
}
