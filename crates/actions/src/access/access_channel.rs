//! Finds a channel that a client has named, and checks that the caller may know of it. Every action finds
//! channels here, so that a hidden one answers like a missing one.

use spindle_domain::errors::ClientError;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{ChannelFacts, may_see_channel};
use spindle_domain::{Role, permission};
use spindle_store::Db;
use spindle_store::channel_facts::{self, ChannelFactsRow};

use crate::access::permissions::holds;
use crate::text::{fold, fold_name};
use crate::{ActionError, Actor};

/// Finds a channel with all facts that rules use; `topic` is the topic in question, if any.
///
/// # Errors
/// [`ClientError::StreamDoesNotExist`] whether it does not exist or is hidden.
pub(crate) fn access_channel(
    db: &dyn Db,
    actor: &Actor,
    channel: &ChannelReference,
    topic: &str,
) -> Result<ChannelFactsRow, ActionError> {
    let (realm_id, member) = (actor.realm_id, actor.member());
    let topic = fold(topic);
    let row = match channel {
        ChannelReference::Id(id) => channel_facts::by_id(db, realm_id, member, &topic, *id),
        ChannelReference::Name(name) => {
            channel_facts::by_name(db, realm_id, member, &topic, &fold_name(name))
        }
    }?;
    row.filter(|row| may_see_channel(actor.role, &facts(row, actor.role)).is_allowed())
        .ok_or_else(|| {
            ClientError::StreamDoesNotExist {
                channel: channel.clone(),
            }
            .into()
        })
}

/// The refusal of operations whose clients read no code for a missing channel: BAD_REQUEST
/// instead of STREAM_DOES_NOT_EXIST. A hidden channel stays like a missing one.
pub(crate) fn without_code(error: ActionError) -> ActionError {
    match error {
        ActionError::Client(ClientError::StreamDoesNotExist {
            channel: ChannelReference::Id(id),
        }) => ActionError::bad_request(format!("There is no channel {}", id.get())),
        ActionError::Client(ClientError::StreamDoesNotExist {
            channel: ChannelReference::Name(name),
        }) => ActionError::bad_request(format!("There is no channel called '{name}'")),
        other => other,
    }
}

/// What the domain's rules ask for.
pub(crate) fn facts(row: &ChannelFactsRow, role: Role) -> ChannelFacts {
    let holds = |permission| holds(permission, &row.held, role);
    ChannelFacts {
        invite_only: row.invite_only,
        history_public_to_subscribers: row.history_public_to_subscribers,
        is_web_public: row.is_web_public,
        is_archived: row.is_archived,
        is_subscribed: row.is_subscribed,
        grants_content_access: holds(permission!(CHANNEL, "can_subscribe_group"))
            || holds(permission!(CHANNEL, "can_add_subscribers_group")),
        administers: holds(permission!(CHANNEL, "can_administer_channel_group")),
    }
}
