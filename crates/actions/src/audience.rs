//! Who hears of a change that not everybody may know of.
//!
//! Asks the domain's policy for every account, so that events and reads follow the same rule.

use spindle_domain::Role;
use spindle_domain::policy::{ChannelFacts, may_see_subscribers};
use spindle_events::Audience;
use spindle_store::subscriptions::ChannelPeers;

/// Those who may know who is subscribed to the channel; `roles` lists all active accounts.
pub(crate) fn who_sees_subscribers(channel: &ChannelPeers, roles: &[(i64, Role)]) -> Audience {
    let may_see = |user_id: i64, role: Role| {
        let facts = ChannelFacts {
            invite_only: channel.invite_only,
            history_public_to_subscribers: true,
            is_web_public: channel.is_web_public,
            is_archived: false,
            is_subscribed: channel.subscribers.binary_search(&user_id).is_ok(),
            grants_content_access: false,
            administers: false,
        };
        may_see_subscribers(role, &facts).is_allowed()
    };
    let (seeing, others): (Vec<_>, Vec<_>) = roles
        .iter()
        .partition(|(user_id, role)| may_see(*user_id, *role));
    if channel.invite_only {
        Audience::users(seeing.iter().map(|(user_id, _)| *user_id))
    } else {
        Audience::realm_except(others.iter().map(|(user_id, _)| *user_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_hear_of_channels_they_are_in_and_administrators_of_all() {
        let roles = [
            (1, Role::Owner),
            (2, Role::Member),
            (3, Role::Guest),
            (4, Role::Guest),
        ];
        let mut channel = ChannelPeers {
            channel_id: 9,
            invite_only: false,
            is_web_public: false,
            subscribers: vec![2, 3],
        };
        let heard = |channel: &ChannelPeers| -> Vec<i64> {
            let audience = who_sees_subscribers(channel, &roles);
            (1..=4)
                .filter(|user_id| audience.includes(*user_id))
                .collect()
        };
        assert_eq!(heard(&channel), [1, 2, 3]);
        channel.invite_only = true;
        assert_eq!(heard(&channel), [1, 2, 3]);
        channel.subscribers = vec![4];
        assert_eq!(heard(&channel), [1, 4]);
    }
}
