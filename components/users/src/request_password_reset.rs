//! POST /password_resets: mails a link that sets a new password to the account with an address, if there is one.

use spindle_actions::users::request_password_reset;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

/// Each request counts twenty times for the address that it comes from, since it may send a mail.
pub(crate) const OPERATION: Operation = Operation::post(
    "request-password-reset",
    "/api/v1/password_resets",
    Guard::Anonymous,
    run,
)
.counting_twenty_times();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let email = call.params.required_text("email")?;
    request_password_reset(call.db()?, RealmId::ONLY, call.now(), email)?;
    Ok(spindle_wire::Reply::empty().into())
}
