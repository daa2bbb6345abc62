//! POST /internal/expire_messages: deletes some messages that are older than they are kept.
//!
//! Called by a timer of the host until `complete`. A repeated call finds nothing left to do.

use spindle_actions::expire_messages;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "expire-messages",
    "/internal/expire_messages",
    Guard::Internal,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let expired = expire_messages(call.db()?, RealmId::ONLY.get(), call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("deleted_messages", &expired.deleted)?
        .field("complete", &expired.is_complete)?
        .into())
}
