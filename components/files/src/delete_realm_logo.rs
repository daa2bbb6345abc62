//! DELETE /realm/logo: removes one of the organization's logos.

use crate::upload_realm_logo::which;
use spindle_actions::organization::delete_realm_picture;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "delete-realm-logo",
    "/api/v1/realm/logo",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let which = which(call)?;
    delete_realm_picture(call.db()?, call.actor()?, call.now(), which)?;
    Ok(spindle_wire::Reply::empty().into())
}
