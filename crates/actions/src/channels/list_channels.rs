//! Lists channels by what the caller has to do with them (docs/protocol/channels.md#channel-object,
//! docs/protocol/channels.md#get_channels).

use spindle_domain::Role;
use spindle_domain::policy::{ChannelFacts, may_access_content, may_see_channel};
use spindle_store::Db;
use spindle_store::channel_listing::{self, Choices};

use crate::{ActionError, Actor};

/// The filters of the operation. A channel is listed when any of them includes it, and the
/// caller may know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelFilter {
    /// Channels that are not private; not for guests.
    pub include_public: bool,
    /// Web-public channels.
    pub include_web_public: bool,
    /// Channels that the caller is subscribed to.
    pub include_subscribed: bool,
    /// Leaves archived channels out.
    pub exclude_archived: bool,
    /// Every channel of which the caller may know.
    pub include_all: bool,
    /// Adds `is_default` to each channel.
    pub include_default: bool,
    /// For bots: channels that the owner is subscribed to.
    pub include_owner_subscribed: bool,
    /// Every channel that the caller may read.
    pub include_can_access_content: bool,
}

/// Channel objects as a JSON list, by id.
pub fn list_channels(
    db: &dyn Db,
    actor: &Actor,
    filter: &ChannelFilter,
) -> Result<String, ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    Ok(channel_listing::list(
        db,
        realm_id,
        user_id,
        &choices(actor, filter),
    )?)
}

/// A channel that the caller is not in.
const fn outsider(invite_only: bool, is_web_public: bool) -> ChannelFacts {
    ChannelFacts {
        invite_only,
        history_public_to_subscribers: true,
        is_web_public,
        is_archived: false,
        is_subscribed: false,
        grants_content_access: false,
        administers: false,
    }
}

fn choices(actor: &Actor, filter: &ChannelFilter) -> Choices {
    let role: Role = actor.role;
    let granted = ChannelFacts {
        grants_content_access: true,
        ..outsider(true, false)
    };
    let administered = ChannelFacts {
        administers: true,
        ..outsider(true, false)
    };
    let sees = |facts: &ChannelFacts| may_see_channel(role, facts).is_allowed();
    let reads = |facts: &ChannelFacts| may_access_content(role, facts).is_allowed();
    let (all, content) = (filter.include_all, filter.include_can_access_content);
    Choices {
        public: (filter.include_public || all || content) && reads(&outsider(false, false)),
        web_public: filter.include_web_public || all || content,
        private: all && sees(&outsider(true, false)),
        subscribed: filter.include_subscribed || all || content,
        owner_id: actor
            .bot_owner_id
            .filter(|_| filter.include_owner_subscribed),
        granted_content: (all || content) && reads(&granted),
        administered: all && sees(&administered),
        archived: !filter.exclude_archived,
        with_default: filter.include_default,
    }
}
