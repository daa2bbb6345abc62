//! Invitations that the operator creates on behalf of an account, with their links.
//!
//! The rules for that account apply. Owns the parameters of the action; must not write a row.

use anyhow::{Context as _, Result, bail};
use spindle_actions::invitations::{
    InvitationLinks, InvitationTerms, InvitedAddress, invite_people, make_invitation_link,
};
use spindle_actions::{Actor, RefusedAddress};
use spindle_domain::{ChannelId, GroupId, Role};

use super::{Session, explain, now};

/// The terms of an invitation.
#[derive(Clone, Copy)]
pub struct Invite<'a> {
    /// Address of the inviter; `None` means the first owner.
    pub inviter: Option<&'a str>,
    /// Role of those who join.
    pub role: Role,
    /// Lifetime of the links in minutes; `None` means unlimited.
    pub minutes: Option<i64>,
    /// The secret and address for the links.
    pub links: InvitationLinks<'a>,
}

impl Session {
    /// Invites addresses. Returns their links, and the addresses that were skipped because they have
    /// an account or an invitation.
    ///
    /// # Errors
    /// There is no such inviter, the inviter lacks the permission, or no address can be invited.
    pub fn invite(
        &self,
        invite: &Invite<'_>,
        addresses: &[String],
    ) -> Result<(Vec<InvitedAddress>, Vec<RefusedAddress>)> {
        let (inviter, terms, now) = (
            self.inviter(invite.inviter)?,
            invite.default_terms(),
            now()?,
        );
        let list = addresses.join("\n");
        let result = invite_people(self.db(), &inviter, now, invite.links, &list, true, &terms);
        let done = result.map_err(explain)?;
        Ok((done.invited, done.left_out))
    }

    /// Creates a link that any number of people can use.
    ///
    /// # Errors
    /// There is no such inviter, or the inviter lacks the permission.
    pub fn invitation_link(&self, invite: &Invite<'_>) -> Result<String> {
        let (inviter, terms, now) = (
            self.inviter(invite.inviter)?,
            invite.default_terms(),
            now()?,
        );
        make_invitation_link(self.db(), &inviter, now, invite.links, &terms).map_err(explain)
    }

    pub(super) fn inviter(&self, email: Option<&str>) -> Result<Actor> {
        let account = match email {
            Some(email) => self.find(email)?,
            None => match self.first_owner()? {
                Some(owner) => owner,
                None => bail!("there is no active owner; name an inviter with --inviter"),
            },
        };
        spindle_actions::account::act_as(self.db(), account.user_id)
            .map_err(explain)
            .with_context(|| format!("{} cannot invite", account.email))
    }
}

impl Invite<'_> {
    fn default_terms(&self) -> InvitationTerms {
        self.terms(self.role, Vec::new(), Vec::new())
    }

    /// The terms for a person with this role, in these channels besides the default ones, and groups.
    pub(super) fn terms(
        &self,
        role: Role,
        channel_ids: Vec<ChannelId>,
        group_ids: Vec<GroupId>,
    ) -> InvitationTerms {
        InvitationTerms {
            invited_as: role.as_i64(),
            minutes: self.minutes,
            channel_ids,
            group_ids,
            joins_defaults: true,
            welcome_text: None,
        }
    }
}
