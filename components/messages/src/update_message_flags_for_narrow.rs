//! POST /messages/flags/narrow (docs/protocol/flags.md#update_message_flags_for_narrow).

use spindle_actions::messages::{NarrowSelection, change_flags_in_narrow};
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params, narrow};

use crate::anchor;
use crate::update_message_flags::flag_change;

pub(crate) const OPERATION: Operation = Operation::post(
    "update-message-flags-for-narrow",
    "/api/v1/messages/flags/narrow",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let selection = selection(&call.params)?;
    let change = flag_change(&call.params)?;
    let done = change_flags_in_narrow(call.db()?, call.actor()?, call.now(), &selection, &change)?;
    let ignored: Vec<ChannelId> = done.ignored_channels.into_iter().collect();
    let first = done.first_and_last.map(|(first, _)| first);
    let last = done.first_and_last.map(|(_, last)| last);
    let reply = spindle_wire::Reply::empty()
        .field("processed_count", &done.processed)?
        .field("updated_count", &done.updated)?
        .field("first_processed_id", &first)?
        .field("last_processed_id", &last)?
        .field("found_oldest", &done.window.found_oldest)?
        .field("found_newest", &done.window.found_newest)?
        .field("ignored_because_not_subscribed_channels", &ignored)?;
    Ok(reply.into())
}

fn selection(params: &Params<'_>) -> Result<NarrowSelection, ApiError> {
    let anchor = anchor::read(params)?.ok_or_else(|| ApiError::variable_missing("anchor"))?;
    let include_anchor = params.optional("include_anchor")?.unwrap_or(true);
    let num_before = params.required("num_before")?;
    let num_after = params.required("num_after")?;
    let narrow = params
        .optional_text("narrow")
        .map_or(Ok(Vec::new()), narrow::parse)?;
    Ok(NarrowSelection {
        anchor,
        include_anchor,
        num_before,
        num_after,
        narrow,
    })
}
