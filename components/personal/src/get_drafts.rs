//! GET /drafts (docs/protocol/personal.md#get_drafts).

use spindle_actions::personal::list_drafts;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-drafts", "/api/v1/drafts", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let (count, drafts) = list_drafts(call.db()?, call.actor()?)?;
    let reply = spindle_wire::Reply::raw_value("drafts", drafts).field("count", &count)?;
    Ok(reply.into())
}
