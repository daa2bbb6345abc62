//! GET /users/me/subscriptions (docs/protocol/subscriptions.md#get_subscriptions).

use spindle_actions::channels::{IncludeSubscribers, list_subscriptions};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-subscriptions",
    "/api/v1/users/me/subscriptions",
    Guard::User,
    run,
);

/// Words of `include_subscribers`: raw text, not JSON.
const INCLUDE_SUBSCRIBERS: &[(&str, IncludeSubscribers)] = &[
    ("true", IncludeSubscribers::All),
    ("false", IncludeSubscribers::No),
    ("partial", IncludeSubscribers::Partial),
];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let include_subscribers = call
        .params
        .optional_enum("include_subscribers", INCLUDE_SUBSCRIBERS)?
        .unwrap_or_default();
    let list = list_subscriptions(call.db()?, call.actor()?, call.now(), include_subscribers)?;
    Ok(spindle_wire::Reply::raw_value("subscriptions", list).into())
}
