//! POST /internal/finish_changes: makes the next part of a change of many messages.
//!
//! Called by a timer of the host until `complete`. A repeated call finds nothing left to do.

use spindle_actions::finish_changes;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "finish-changes",
    "/internal/finish_changes",
    Guard::Internal,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let is_complete = finish_changes(call.db()?, RealmId::ONLY.get(), call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("complete", &is_complete)?
        .into())
}
