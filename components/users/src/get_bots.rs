//! GET /bots (docs/protocol/bots.md#get_bots). Keys are not among the fields: see docs/adr.

use spindle_actions::users::list_bots;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-bots", "/api/v1/bots", Guard::NotGuest, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let list = list_bots(call.db()?, call.actor()?)?;
    Ok(spindle_wire::Reply::raw_value("bots", list).into())
}
