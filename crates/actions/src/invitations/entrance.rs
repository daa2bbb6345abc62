//! How a person without an account joins: by an invitation, or because the organization is open.
//!
//! An invitation gives what its inviter may give at this moment. The holder of a genuine key learns
//! only whether it was used or has expired; any other fault is answered like an unknown key.

use std::collections::BTreeSet;

use spindle_domain::errors::ClientError;
use spindle_domain::policy::{may_invite, may_invite_as};
use spindle_domain::{ChannelId, GroupId, RealmId, Role, permission, realm_setting};
use spindle_store::invitations::{End, InvitationRow};
use spindle_store::{Db, default_channels, invitations, keys, realms};

use super::destinations;
use super::key::nonce_of;
use crate::user_groups::access::holds_realm_permission;
use crate::{ActionError, Actor, Settings};

/// What an account begins with that a person has created by joining.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// Channels, the default ones only if they are among them.
    pub(crate) channel_ids: Vec<ChannelId>,
    /// Groups besides those of the role.
    pub(crate) group_ids: Vec<GroupId>,
    /// Text of the welcome bot after its greeting; `None` means the organization's.
    pub(crate) welcome_text: Option<String>,
}

/// A way to join that is open.
pub(crate) enum Entrance {
    /// The organization is open to all.
    Open,
    /// By an invitation.
    Invited(Box<Invited>),
}

/// An invitation that is valid, with its inviter.
pub(crate) struct Invited {
    pub(crate) row: InvitationRow,
    pub(crate) inviter: Actor,
    /// Whether the new account shares the quotas of its inviter at first.
    pub(crate) is_sponsored: bool,
}

impl Entrance {
    /// Finds the way to join at `now` (UNIX seconds) with this key, or without one.
    ///
    /// # Errors
    /// [`ClientError::RealmDeactivated`]; [`ActionError::BadRequest`] when there is no way to join.
    pub(crate) fn find(
        db: &dyn Db,
        realm_id: RealmId,
        now: i64,
        secret: &[u8],
        key: Option<&str>,
    ) -> Result<Self, ActionError> {
        let realm = realms::by_id(db, realm_id)?
            .ok_or_else(|| ActionError::bad_request("There is no organization yet"))?;
        if realm.deactivated {
            return Err(ClientError::RealmDeactivated.into());
        }
        let is_closed =
            Settings::of_realm(&realm.settings).is_on(realm_setting!("invite_required"));
        let Some(key) = key else {
            if is_closed {
                let text = "Joining this organization takes an invitation";
                return Err(ActionError::bad_request(text));
            }
            return Ok(Self::Open);
        };
        let row = match nonce_of(secret, key)? {
            Some(nonce) => invitations::by_nonce(db, realm_id, &nonce)?,
            None => None,
        };
        let row = row.ok_or_else(not_valid)?;
        match row.ended_by {
            Some(End::Use) => {
                let text = "This invitation was used; if that was you, you have an account";
                return Err(ActionError::bad_request(text));
            }
            Some(End::Revocation) => return Err(not_valid()),
            None if row.has_expired(now) => {
                let text = "This invitation has expired; ask for a new one";
                return Err(ActionError::bad_request(text));
            }
            None => {}
        }
        Ok(Self::Invited(Box::new(Invited::new(db, row, is_closed)?)))
    }

    /// The role of the new account.
    pub(crate) fn role(&self) -> Role {
        match self {
            Self::Open => Role::Member,
            Self::Invited(invited) => invited.row.invited_as,
        }
    }

    /// The channels and groups that the new account begins with.
    pub(crate) fn beginning(
        &self,
        db: &dyn Db,
        realm_id: RealmId,
    ) -> Result<Beginning, ActionError> {
        let defaults = || destinations::parse_ids(&default_channels::ids(db, realm_id)?);
        let Self::Invited(invited) = self else {
            return Ok(Beginning {
                channel_ids: defaults()?.into_iter().collect(),
                ..Beginning::default()
            });
        };
        let (row, inviter) = (&invited.row, &invited.inviter);
        let named = destinations::parse_ids(&row.channel_ids)?;
        let named = destinations::allowed(destinations::channels(db, inviter, &named)?);
        let mut channel_ids: BTreeSet<ChannelId> = named.into_iter().collect();
        if row.joins_defaults {
            channel_ids.extend(defaults()?);
        }
        let groups = destinations::parse_ids(&row.group_ids)?;
        Ok(Beginning {
            channel_ids: channel_ids.into_iter().collect(),
            group_ids: destinations::allowed(destinations::groups(db, inviter, &groups)?),
            welcome_text: row.welcome_text.clone(),
        })
    }
}

impl Invited {
    /// The invitation, if its inviter may still invite in this way and with this role. Where accounts need none
    /// (`is_closed` false), no account answers for them.
    fn new(db: &dyn Db, row: InvitationRow, is_closed: bool) -> Result<Self, ActionError> {
        let inviter = keys::caller_by_id(db, row.inviter_id)?
            .filter(|inviter| inviter.is_active)
            .ok_or_else(not_valid)?;
        let inviter = Actor::from_row(inviter);
        let permission = if row.is_multiuse() {
            permission!(REALM, "create_multiuse_invite_group")
        } else {
            permission!(REALM, "can_invite_users_group")
        };
        let holds = holds_realm_permission(db, &inviter, permission)?;
        let may_invite = may_invite(inviter.is_bot, holds).is_allowed();
        if !may_invite || !may_invite_as(inviter.role, row.invited_as).is_allowed() {
            return Err(not_valid());
        }
        let is_sponsored = is_closed && !inviter.role.is_admin();
        Ok(Self {
            row,
            inviter,
            is_sponsored,
        })
    }
}

fn not_valid() -> ActionError {
    ActionError::bad_request("This invitation is not valid; ask for a new one")
}
