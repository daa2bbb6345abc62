//! Links with which a person sets a new password: owners and administrators make them for others, the operator for
//! everyone, and the person gets one by mail.
//!
//! Owns the check that both the making and the use of a link pass: a link dies with the right of its maker.

mod ask;
mod by_mail;
mod make;
mod notices;
mod redeem;

pub use ask::request_password_reset;
pub(crate) use by_mail::mailed_link;
pub use make::{PasswordLink, make_password_link};
pub use redeem::{ByLink, LinkProof, use_password_link};
