//! GET /events: the events of a queue, immediately or by long polling (docs/protocol/events.md#get_events).
//!
//! Checks credentials and parameters only. The event-queue service knows the queues, their owners and
//! acknowledgements, and answers. Old clients that name no queue get a new one.

use spindle_actions::queues::{RegisterInput, register};
use spindle_guest::{Call, Failure, Guard, Operation, Poll, Reply};
use spindle_wire::{ApiError, Params, queue};

use crate::queue_id;

pub(crate) const OPERATION: Operation =
    Operation::get("get-events", "/api/v1/events", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    if !params.contains("queue_id") && params.optional("dont_block")? == Some(true) {
        return new_queue(call);
    }
    let queue_id = queue_id::required(params)?;
    let last_event_id = params.required("last_event_id")?;
    let dont_block = params.optional("dont_block")?.unwrap_or(false);
    Ok(Reply::Poll(Poll {
        queue_id: queue_id.to_owned(),
        account: call.account()?,
        last_event_id,
        dont_block,
        credential: call.actor()?.credential_in_hexadecimal(),
    }))
}

/// Creates an empty queue without a snapshot. There is nothing to wait for, so the client must set
/// `dont_block`.
fn new_queue(call: &Call<'_>) -> Result<Reply, Failure> {
    let input = wishes(&call.params)?;
    let registered = register(call.db()?, call.optional_actor(), call.now(), &input)?;
    let reply = spindle_wire::Reply::empty()
        .raw_field("events", "[]")
        .field("queue_id", &registered.queue_id)?;
    Ok(reply.into())
}

fn wishes(params: &Params<'_>) -> Result<RegisterInput, ApiError> {
    Ok(RegisterInput {
        all_public_streams: params.optional("all_public_streams")?,
        apply_markdown: params.optional("apply_markdown")?.unwrap_or(false),
        client_gravatar: params
            .optional::<Option<bool>>("client_gravatar")?
            .flatten(),
        event_types: queue::event_types(params, "event_types")?,
        fetch_event_types: Some(Vec::new()),
        idle_queue_timeout_secs: queue::idle_timeout(params)?,
        narrow: queue::narrow(params)?,
        slim_presence: params.optional("slim_presence")?.unwrap_or(false),
        ..RegisterInput::default()
    })
}
