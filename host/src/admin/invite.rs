//! Invitations that the operator makes in the name of an account, with their links.
//!
//! The same rules hold as for the account itself: the operator chooses in whose name. Owns what is
//! put together for the action; it must not write a row.

use anyhow::{Context as _, Result, bail};
use spindle_actions::{
    Actor, InvitationLinks, InvitationTerms, InvitedAddress, RefusedAddress, invite_people,
    make_invitation_link,
};
use spindle_domain::{Role, UserId};

use super::{Session, explain, now};

/// Whom to invite, as what, and in whose name.
#[derive(Clone, Copy)]
pub struct Invite<'a> {
    /// Address of the inviter; none: the first owner.
    pub inviter: Option<&'a str>,
    /// Role of those who join.
    pub role: Role,
    /// How long the links work; none: for ever.
    pub minutes: Option<i64>,
    /// What links are made with.
    pub links: InvitationLinks<'a>,
}

impl Session {
    /// Invites addresses. Returns their links, and the addresses that were left out because they have an
    /// account or an invitation.
    ///
    /// # Errors
    /// There is no such inviter, the inviter may not, or no address can be invited.
    pub fn invite(
        &self,
        invite: &Invite<'_>,
        addresses: &[String],
    ) -> Result<(Vec<InvitedAddress>, Vec<RefusedAddress>)> {
        let (inviter, terms, now) = (self.inviter(invite.inviter)?, invite.terms(), now()?);
        let list = addresses.join("\n");
        let result = invite_people(&self.db(), &inviter, now, invite.links, &list, true, &terms);
        let done = result.map_err(explain)?;
        Ok((done.invited, done.left_out))
    }

    /// Makes a link for many.
    ///
    /// # Errors
    /// There is no such inviter, or the inviter may not.
    pub fn invitation_link(&self, invite: &Invite<'_>) -> Result<String> {
        let (inviter, terms, now) = (self.inviter(invite.inviter)?, invite.terms(), now()?);
        make_invitation_link(&self.db(), &inviter, now, invite.links, &terms).map_err(explain)
    }

    fn inviter(&self, email: Option<&str>) -> Result<Actor> {
        let account = match email {
            Some(email) => self.find(email)?,
            None => match self.first_owner()? {
                Some(owner) => owner,
                None => bail!("there is no active owner; name an inviter with --inviter"),
            },
        };
        spindle_actions::act_as(&self.db(), UserId(account.user_id))
            .map_err(explain)
            .with_context(|| format!("{} cannot invite", account.email))
    }
}

impl Invite<'_> {
    fn terms(&self) -> InvitationTerms {
        InvitationTerms {
            invited_as: self.role.as_i64(),
            minutes: self.minutes,
            channel_ids: Vec::new(),
            group_ids: Vec::new(),
            joins_defaults: true,
            welcome_text: None,
        }
    }
}
