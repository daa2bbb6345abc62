//! GET /events: the events of a queue, now or when there are some (protocol-facts 3.1).
//!
//! Checks credentials and parameters only. Whether the queue lives, whose it is and what was
//! acknowledged is known to the event-queue service, which answers.

use crate::queue_id;
use spindle_guest::{Call, Failure, Guard, Operation, Poll, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-events", "/api/v1/events", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let queue_id = queue_id::required(&call.params)?;
    let last_event_id = call.params.required("last_event_id")?;
    let dont_block = call.params.optional("dont_block")?.unwrap_or(false);
    Ok(Reply::Poll(Poll {
        queue_id: queue_id.to_owned(),
        user_id: call.actor()?.user_id.get(),
        last_event_id,
        dont_block,
    }))
}
