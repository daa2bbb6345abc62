//! Which channels a listing shows to its viewer: the domain's rule as a filter for a statement.

use spindle_domain::policy::{ChannelFacts, may_see_channel};
use spindle_domain::{RealmId, Role, UserId};
use spindle_store::channels::Visible;

use crate::Actor;

/// A channel that the viewer is not in and holds no permission of.
const OUTSIDE: ChannelFacts = ChannelFacts {
    invite_only: false,
    history_public_to_subscribers: true,
    is_web_public: false,
    is_archived: false,
    is_subscribed: false,
    grants_content_access: false,
    administers: false,
};

/// The channels that `viewer` may know of at `now` (UNIX seconds), archived ones if `archived`
/// says so. An anonymous visitor (none) is like a guest who is in no channel.
pub(crate) fn visible(
    realm_id: RealmId,
    viewer: Option<&Actor>,
    now: i64,
    archived: bool,
) -> Visible {
    let role = viewer.map_or(Role::Guest, |actor| actor.role);
    let user_id = viewer.map(|actor| actor.user_id);
    visible_to(realm_id, role, user_id, now, archived)
}

/// As [`visible`], for an account as if it had this role; `None` means an anonymous visitor.
pub(crate) fn visible_to(
    realm_id: RealmId,
    role: Role,
    user_id: Option<UserId>,
    now: i64,
    archived: bool,
) -> Visible {
    let sees = |facts: ChannelFacts| may_see_channel(role, &facts).is_allowed();
    let private = ChannelFacts {
        invite_only: true,
        ..OUTSIDE
    };
    Visible {
        realm_id,
        user_id,
        now,
        public: sees(OUTSIDE),
        web_public: sees(ChannelFacts {
            is_web_public: true,
            ..OUTSIDE
        }),
        private: sees(private),
        archived,
        subscribed: user_id.is_some(),
        granted: sees(ChannelFacts {
            administers: true,
            ..private
        }),
    }
}
