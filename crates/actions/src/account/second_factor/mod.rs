//! The second factor: codes of an app, passkeys, and recovery codes for a lost phone.
//!
//! A code is checked in a transaction of its own, which uses it up or counts it as wrong, before the change that it is
//! for: what refuses that change must not undo the count. The numbers are rules of the domain.

mod add_passkey;
mod codes;
mod end;
mod enrol;
mod proof;
mod remove_passkey;
mod renew;
mod state;

pub use add_passkey::{AddedPasskey, NewPasskey, begin_passkey, confirm_passkey};
pub use end::{remove_totp, reset_second_factor};
pub use enrol::{Enrolment, begin_totp, confirm_totp};
pub use remove_passkey::remove_passkey;
pub use renew::renew_recovery_codes;
pub use state::{SecondFactorState, second_factor_state};

pub use proof::Factor;

pub(crate) use end::remove_all;
pub(crate) use proof::pass;

use serde_json::json;
use spindle_domain::{MailKind, RealmId, UserId};
use spindle_store::WriteTx;
use spindle_store::mails::Recipient;

use super::outbox::{self, Mail};
use crate::ActionError;

/// Mails the person about a change of their second factor; `what` is a word of the template.
fn announce(
    tx: &WriteTx<'_>,
    (realm_id, user_id): (RealmId, UserId),
    now: i64,
    what: &'static str,
) -> Result<(), ActionError> {
    let mail = Mail {
        kind: MailKind::SecondFactorChanged,
        cause: format!("{user_id} {now} {what}"),
        to: Recipient::Account(user_id),
        detail: json!({"what": what}),
        due: now,
    };
    outbox::write(tx, realm_id, now, &mail).map(drop)
}
