//! POST /users/me/subscriptions/properties
//! (docs/protocol/subscriptions.md#update_subscription_settings).

use serde::Deserialize;
use serde_json::Value;
use spindle_actions::channels::{PropertyChange, set_subscription_properties};
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "update-subscription-settings",
    "/api/v1/users/me/subscriptions/properties",
    Guard::User,
    run,
);

/// One entry of `subscription_data`.
#[derive(Deserialize)]
struct Entry {
    stream_id: i64,
    property: String,
    value: Value,
}

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let entries: Vec<Entry> = call.params.required("subscription_data")?;
    let changes: Vec<PropertyChange> = entries
        .into_iter()
        .map(|entry| PropertyChange {
            channel_id: ChannelId(entry.stream_id),
            property: entry.property,
            value: entry.value,
        })
        .collect();
    set_subscription_properties(call.db()?, call.actor()?, call.now(), &changes)?;
    Ok(spindle_wire::Reply::empty().into())
}
