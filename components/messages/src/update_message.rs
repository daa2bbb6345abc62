//! PATCH /messages/{message_id} (docs/protocol/messages.md#update_message).

use spindle_actions::messages::{MessageUpdate, Notify, PropagateMode, update_message};
use spindle_domain::MessageId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-message",
    "/api/v1/messages/{message_id}",
    Guard::User,
    run,
)
.needing(Scope::Send);

const MODES: &[(&str, PropagateMode)] = &[
    ("change_one", PropagateMode::One),
    ("change_later", PropagateMode::Later),
    ("change_all", PropagateMode::All),
];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let message_id: MessageId = call.path_id("message_id")?;
    let update = parameters(call)?;
    let (db, actor) = (call.db()?, call.actor()?);
    let detached = update_message(db, actor, call.now(), message_id, &update)?;
    let reply = spindle_wire::Reply::empty().field("detached_uploads", &detached)?;
    Ok(reply.into())
}

fn parameters(call: &Call<'_>) -> Result<MessageUpdate, ApiError> {
    let params = &call.params;
    let content = params.optional_text("content").map(str::to_owned);
    let prev_content_sha256 = params
        .optional_text("prev_content_sha256")
        .map(str::to_owned);
    let propagate_mode = params.optional_enum("propagate_mode", MODES)?;
    let new_thread = params.optional("send_notification_to_new_thread")?;
    let old_thread = params.optional("send_notification_to_old_thread")?;
    let channel_id = params.optional("stream_id")?;
    let topic = params.aliased_text(&["topic", "subject"])?;
    Ok(MessageUpdate {
        content,
        prev_content_sha256,
        topic: topic.map(str::to_owned),
        channel_id,
        propagate_mode: propagate_mode.unwrap_or(PropagateMode::One),
        notify: Notify {
            old_thread: old_thread.unwrap_or(false),
            new_thread: new_thread.unwrap_or(true),
        },
        realm_url: call.site().to_owned(),
    })
}
