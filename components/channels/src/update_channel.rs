//! PATCH /streams/{stream_id} (docs/protocol/channels.md#update_channel).

use spindle_actions::channels::{ChannelChange, update_channel};
use spindle_domain::permission::CHANNEL;
use spindle_domain::policy::PrivacyChange;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params, permissions};

use crate::channel_params::{TOPICS_POLICIES, retention};

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-channel",
    "/api/v1/streams/{stream_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let stream_id = call.path_id("stream_id")?;
    let change = parameters(&call.params, call.site().to_owned())?;
    update_channel(call.db()?, call.actor()?, call.now(), stream_id, &change)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn parameters(params: &Params<'_>, realm_url: String) -> Result<ChannelChange, ApiError> {
    let text = |name| params.optional_text(name).map(str::to_owned);
    Ok(ChannelChange {
        description: text("description"),
        folder_id: params.optional("folder_id")?,
        is_archived: params.optional("is_archived")?,
        is_default_stream: params.optional("is_default_stream")?,
        privacy: PrivacyChange {
            history_public_to_subscribers: params.optional("history_public_to_subscribers")?,
            is_private: params.optional("is_private")?,
            is_web_public: params.optional("is_web_public")?,
        },
        message_retention_days: retention(params)?,
        new_name: text("new_name"),
        topics_policy: params.optional_enum("topics_policy", TOPICS_POLICIES)?,
        permissions: permissions::updates(params, CHANNEL)?,
        realm_url,
    })
}
