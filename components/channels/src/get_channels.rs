//! GET /streams (docs/protocol/channels.md#get_channels).

use spindle_actions::channels::{ChannelFilter, list_channels};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation =
    Operation::get("get-channels", "/api/v1/streams", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let filter = parameters(&call.params)?;
    let list = list_channels(call.db()?, call.actor()?, &filter)?;
    Ok(spindle_wire::Reply::raw_value("streams", list).into())
}

fn parameters(params: &Params<'_>) -> Result<ChannelFilter, ApiError> {
    let flag = |name, default: bool| Ok::<_, ApiError>(params.optional(name)?.unwrap_or(default));
    Ok(ChannelFilter {
        exclude_archived: flag("exclude_archived", true)?,
        include_all: flag("include_all", false)?,
        include_can_access_content: flag("include_can_access_content", false)?,
        include_default: flag("include_default", false)?,
        include_owner_subscribed: flag("include_owner_subscribed", false)?,
        include_public: flag("include_public", true)?,
        include_subscribed: flag("include_subscribed", true)?,
        include_web_public: flag("include_web_public", false)?,
    })
}
