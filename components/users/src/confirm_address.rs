//! POST /address_confirmations: gives an account the address that a mailed link confirms.

use spindle_actions::users::confirm_address;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "confirm-address",
    "/api/v1/address_confirmations",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let token = call.params.required_text("token")?;
    confirm_address(call.db()?, RealmId::ONLY, call.now(), call.secret(), token)?;
    Ok(spindle_wire::Reply::empty().into())
}
