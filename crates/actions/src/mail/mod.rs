//! Mails on their way out of the outbox: a job of the host takes each that is due (`claim`), sends it, and reports the
//! outcome (`finish`).
//!
//! What a mail says is decided when it is claimed, from the rows that it is about: a settled cause
//! sends nothing, and a mail never shows what its reader may no longer see. Links in it follow from the nonce of a row and
//! the secret of the server, so that neither the outbox nor a copy of the database opens anything, and each attempt has
//! the same links.

mod account;
mod claim;
mod clean;
mod collect;
mod collect_digests;
mod configure;
mod content;
mod digest;
mod finish;
mod invitation;
mod missed;

pub use claim::{ClaimedMail, claim_mail};
pub use clean::clean_mails;
pub use collect::collect_missed;
pub use collect_digests::collect_digests;
pub use configure::configure_mail;
pub use finish::{FinishedMail, MailOutcome, finish_mail};
