//! Audiences of changes that not all users may know of.
//!
//! Applies the domain's policy to every account, so that events and reads follow the same rule.

use spindle_domain::policy::{ChannelFacts, may_see_subscribers};
use spindle_domain::{RealmId, Role, UserId};
use spindle_events::Audience;
use spindle_store::Db;
use spindle_store::subscriptions::ChannelPeers;
use spindle_store::user_lists::{self, RoleRow};

use crate::ActionError;

/// The users who may know who is subscribed to the channel; `roles` lists all active accounts.
pub(crate) fn who_sees_subscribers(channel: &ChannelPeers, roles: &[RoleRow]) -> Audience {
    who_sees_subscribers_except(channel, roles, &[])
}

/// As [`who_sees_subscribers`], without the accounts in `except`, which is sorted.
pub(crate) fn who_sees_subscribers_except(
    channel: &ChannelPeers,
    roles: &[RoleRow],
    except: &[UserId],
) -> Audience {
    let is_subscribed = |user_id| channel.subscribers.binary_search(&user_id).is_ok();
    let receives = |user_id: UserId, role: Role| {
        except.binary_search(&user_id).is_err()
            && sees(channel, user_id, role, is_subscribed(user_id))
    };
    let (receiving, others): (Vec<&RoleRow>, Vec<&RoleRow>) = roles
        .iter()
        .partition(|account| receives(account.user_id, account.role));
    if channel.invite_only {
        Audience::users(receiving.iter().map(|account| account.user_id))
    } else {
        Audience::realm_except(others.iter().map(|account| account.user_id))
    }
}

/// Whether a user knows of the channel without being subscribed to it.
pub(crate) fn sees_from_outside(channel: &ChannelPeers, user_id: UserId, role: Role) -> bool {
    sees(channel, user_id, role, false)
}

fn sees(channel: &ChannelPeers, user_id: UserId, role: Role, is_subscribed: bool) -> bool {
    let facts = ChannelFacts {
        invite_only: channel.invite_only,
        history_public_to_subscribers: true,
        is_web_public: channel.is_web_public,
        is_archived: false,
        is_subscribed,
        grants_content_access: channel.may_enter.binary_search(&user_id).is_ok(),
        administers: channel.grantees.binary_search(&user_id).is_ok(),
    };
    may_see_subscribers(role, &facts).is_allowed()
}

/// Active administrators and owners.
pub(crate) fn administrators(db: &dyn Db, realm_id: RealmId) -> Result<Audience, ActionError> {
    let roles = user_lists::active_roles(db, realm_id)?;
    let admins = roles.iter().filter(|account| account.role.is_admin());
    Ok(Audience::users(admins.map(|account| account.user_id)))
}

#[cfg(test)]
mod tests {
    use spindle_domain::ChannelId;
    use spindle_store::Json;

    use super::*;

    const ROLES: [RoleRow; 5] = [
        account(1, Role::Owner),
        account(2, Role::Member),
        account(3, Role::Guest),
        account(4, Role::Guest),
        account(5, Role::Member),
    ];

    const fn account(id: i64, role: Role) -> RoleRow {
        RoleRow {
            user_id: UserId(id),
            role,
        }
    }

    fn receivers(channel: &ChannelPeers, except: &[UserId]) -> Vec<i64> {
        let audience = who_sees_subscribers_except(channel, &ROLES, except);
        let ids = ROLES.iter().map(|account| account.user_id);
        let receiving = ids.filter(|user_id| audience.includes(*user_id));
        receiving.map(UserId::get).collect()
    }

    fn users(ids: &[i64]) -> Json<Vec<UserId>> {
        Json(ids.iter().copied().map(UserId).collect())
    }

    fn public() -> ChannelPeers {
        ChannelPeers {
            channel_id: ChannelId(9),
            invite_only: false,
            is_web_public: false,
            is_archived: false,
            subscribers: users(&[2, 3]),
            grantees: users(&[]),
            may_enter: users(&[]),
        }
    }

    #[test]
    fn guests_see_channels_they_are_in_and_administrators_all() {
        let mut channel = public();
        assert_eq!(receivers(&channel, &[]), [1, 2, 3, 5]);
        assert_eq!(receivers(&channel, &[UserId(1), UserId(3)]), [2, 5]);
        channel.invite_only = true;
        assert_eq!(receivers(&channel, &[]), [1, 2, 3]);
        assert_eq!(receivers(&channel, &[UserId(2)]), [1, 3]);
        channel.subscribers = users(&[4]);
        assert_eq!(receivers(&channel, &[]), [1, 4]);
    }

    #[test]
    fn permissions_of_a_private_channel_let_members_know_of_it() {
        let mut channel = public();
        channel.invite_only = true;
        channel.grantees = users(&[4, 5]);
        assert_eq!(receivers(&channel, &[]), [1, 2, 3, 5]);
        assert!(sees_from_outside(&channel, UserId(5), Role::Member));
        assert!(!sees_from_outside(&channel, UserId(2), Role::Member));
        assert!(!sees_from_outside(&channel, UserId(3), Role::Guest));
    }
}
