//! POST /internal/collect: removes queues that are over and log rows that nobody needs.
//!
//! Called by the event-queue service, which alone knows when a queue was last polled. A
//! repeated call finds nothing left to do.

use spindle_actions::collect_queues;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::post("collect", "/internal/collect", Guard::Internal, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let ended: Vec<String> = call.params.required("ended")?;
    let prune_below: i64 = call.params.required("prune_below")?;
    let realm_id = RealmId::ONLY.get();
    let collected = collect_queues(call.db()?, realm_id, call.now(), &ended, prune_below)?;
    let reply = spindle_wire::Reply::empty().field("deleted_queues", &collected)?;
    Ok(reply.into())
}
