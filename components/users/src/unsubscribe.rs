//! POST /unsubscriptions: switches off the kind of mail whose link is used. Mail programs call it themselves (RFC 8058).

use spindle_actions::personal::unsubscribe;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "unsubscribe",
    "/api/v1/unsubscriptions",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let key = call.params.required_text("key")?;
    unsubscribe(call.db()?, RealmId::ONLY, call.now(), call.secret(), key)?;
    Ok(spindle_wire::Reply::empty().into())
}
