//! GET /users/me/recent_conversations (docs/protocol/topics.md#get_recent_conversations).

use spindle_actions::messages::{RecentPage, list_recent_conversations};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::empty_topic;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-recent-conversations",
    "/api/v1/users/me/recent_conversations",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let page = RecentPage {
        before: call.params.optional("before")?,
        limit: call.params.optional("limit")?,
    };
    let allow_empty_topic_name = call.params.optional("allow_empty_topic_name")?;
    let empty_topic = empty_topic(allow_empty_topic_name.unwrap_or(false));
    let found = list_recent_conversations(call.db()?, call.actor()?, &page, empty_topic)?;
    let reply = spindle_wire::Reply::raw_value("conversations", found.conversations);
    Ok(reply.field("found_oldest", &found.found_oldest)?.into())
}
