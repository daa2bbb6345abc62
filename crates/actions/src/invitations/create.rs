//! Invites people by their addresses, or creates a link for many.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};
use spindle_domain::address::{Admission, listed};
use spindle_domain::errors::ClientError;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::limits::{
    INVITATION_WINDOW_SECS, MAX_INVITATION_MINUTES, MAX_INVITATIONS, MAX_INVITEES,
};
use spindle_domain::policy::{Reason, may_invite, may_invite_as, may_see_delivery_email};
use spindle_domain::settings::{REALM, ValueType, by_name};
use spindle_domain::text::is_longer_than;
use spindle_domain::{
    ChannelId, GroupId, InvitationId, Permission, Role, UserId, permission, user_setting,
};
use spindle_store::invitations::NewInvitation;
use spindle_store::{Connection, Db, id_list, invitations, users};

use super::key::new_nonce;
use super::{InvitationLinks, changed, destinations, mail};
use crate::account::manage_account::Change;
use crate::error::RefusedAddress;
use crate::organization::domains::{admission, not_admitted};
use crate::text::{email_address, fold_name};
use crate::user_groups::access::holds_realm_permission;
use crate::{ActionError, Actor, Settings, quota, tries};

/// What an invitation offers, to one person or to many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationTerms {
    /// Role as its integer.
    pub invited_as: i64,
    /// Minutes until it expires; `None` means never.
    pub minutes: Option<i64>,
    /// Channels to be joined, in any order.
    pub channel_ids: Vec<ChannelId>,
    /// Groups to be joined, in any order.
    pub group_ids: Vec<GroupId>,
    /// Whether the default channels are joined too.
    pub joins_defaults: bool,
    /// Text of the welcome bot after its greeting; empty for no text, `None` for the organization's.
    pub welcome_text: Option<String>,
}

/// The link of an address that was invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InvitedAddress {
    pub id: InvitationId,
    /// The address.
    pub email: String,
    /// The address of the link, for the caller to pass on.
    pub link_url: String,
}

/// The outcome for a list of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invited {
    /// The addresses that were invited, in the order of the list.
    pub invited: Vec<InvitedAddress>,
    /// The addresses that already have an account or an invitation.
    pub left_out: Vec<RefusedAddress>,
}

/// Invites the addresses in a text (between commas or line ends) at `now` (UNIX seconds).
/// `notifies_inviter`: the caller receives a message when an invited person joins.
///
/// # Errors
/// [`ActionError::Denied`] without `can_invite_users_group`, for a role above the caller's own,
/// and for channels and groups to which the caller may not add others;
/// [`ClientError::StreamDoesNotExist`]; [`ActionError::BadRequest`] for terms that are not valid,
/// for no address and for too many; [`ClientError::RateLimitHit`] for too many addresses that their accounts hide;
/// [`ClientError::InvitationFailed`] for too many within a day;
/// [`ActionError::InvitationFailed`] when an address is none or not admitted, or all have to be
/// left out. No invitation is created then.
pub fn invite_people(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    links: InvitationLinks<'_>,
    addresses: &str,
    notifies_inviter: bool,
    terms: &InvitationTerms,
) -> Result<Invited, ActionError> {
    check_permission(db, actor, permission!(REALM, "can_invite_users_group"))?;
    let addresses = different(addresses)?;
    let checked = Checked::new(actor, terms)?;
    check_hidden_addresses(db, actor, now, &addresses)?;
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let offer = checked.offer(change)?;
        let (admitted, left_out) = sort_out(change, &addresses)?;
        check_number(change, actor, admitted.len())?;
        let mut invited = Vec::new();
        for email in admitted {
            let folded = fold_name(email);
            let address = Some((email, folded.as_str()));
            let (id, nonce) = offer.insert(change, address, notifies_inviter)?;
            mail::write(change, id)?;
            invited.push(InvitedAddress {
                id,
                email: email.to_owned(),
                link_url: links.link(&nonce)?,
            });
        }
        let ids: Vec<InvitationId> = invited.iter().map(|one| one.id).collect();
        quota::check_share(change.tx, Quota::InvitationsOfInviter, actor)?;
        quota::check(change.tx, Quota::Invitations, change.realm_id)?;
        offer.conclude(change, &ids)?;
        Ok(Invited { invited, left_out })
    })
}

/// Creates a link with which many may join at `now` (UNIX seconds); returns its address.
///
/// # Errors
/// As [`invite_people`]; the permission is `create_multiuse_invite_group`.
pub fn make_invitation_link(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    links: InvitationLinks<'_>,
    terms: &InvitationTerms,
) -> Result<String, ActionError> {
    check_permission(
        db,
        actor,
        permission!(REALM, "create_multiuse_invite_group"),
    )?;
    let checked = Checked::new(actor, terms)?;
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let offer = checked.offer(change)?;
        check_number(change, actor, 1)?;
        let (id, nonce) = offer.insert(change, None, false)?;
        quota::check_share(change.tx, Quota::InvitationsOfInviter, actor)?;
        quota::check(change.tx, Quota::Invitations, change.realm_id)?;
        offer.conclude(change, &[id])?;
        links.link(&nonce)
    })
}

fn check_permission(db: &dyn Db, actor: &Actor, permission: Permission) -> Result<(), ActionError> {
    let holds = holds_realm_permission(db, actor, permission)?;
    Ok(may_invite(actor.is_bot, holds).check()?)
}

/// Terms that are valid by themselves.
struct Checked<'a> {
    terms: &'a InvitationTerms,
    actor: &'a Actor,
    role: Role,
    lifetime: Option<i64>,
}

impl<'a> Checked<'a> {
    fn new(actor: &'a Actor, terms: &'a InvitationTerms) -> Result<Self, ActionError> {
        let role = Role::from_i64(terms.invited_as)
            .ok_or_else(|| ActionError::bad_request("invite_as is not a role"))?;
        may_invite_as(actor.role, role).check()?;
        let lifetime = terms.minutes.map(|minutes| {
            let can_be = (1..=MAX_INVITATION_MINUTES).contains(&minutes);
            can_be.then(|| minutes * 60).ok_or_else(|| {
                ActionError::BadRequest(format!(
                    "invite_expires_in_minutes is null, or from 1 to {MAX_INVITATION_MINUTES}"
                ))
            })
        });
        if let Some(text) = &terms.welcome_text {
            check_welcome(actor, text)?;
        }
        Ok(Self {
            terms,
            actor,
            role,
            lifetime: lifetime.transpose()?,
        })
    }

    fn offer(&self, change: &Change<'_, '_>) -> Result<Offer<'_>, ActionError> {
        let channels: BTreeSet<_> = self.terms.channel_ids.iter().copied().collect();
        let groups: BTreeSet<_> = self.terms.group_ids.iter().copied().collect();
        let channels =
            destinations::all(destinations::channels(change.tx, self.actor, &channels)?)?;
        let groups = destinations::all(destinations::groups(change.tx, self.actor, &groups)?)?;
        Ok(Offer {
            channel_ids: id_list(channels),
            group_ids: id_list(groups),
            checked: self,
        })
    }
}

/// Only administrators choose the text of the welcome message.
fn check_welcome(actor: &Actor, text: &str) -> Result<(), ActionError> {
    if !actor.role.is_admin() {
        return Err(Reason::AdministratorRequired.into());
    }
    let setting = by_name(REALM, "welcome_message_custom_text");
    if let Some(ValueType::Text(limit)) = setting.map(|setting| setting.kind)
        && is_longer_than(text, limit)
    {
        return Err(ActionError::BadRequest(format!(
            "welcome_message_custom_text is longer than {limit} characters"
        )));
    }
    Ok(())
}

/// Terms whose channels and groups the inviter may add others to.
struct Offer<'a> {
    checked: &'a Checked<'a>,
    channel_ids: String,
    group_ids: String,
}

impl Offer<'_> {
    /// Writes one invitation; its id and the nonce of its link.
    fn insert(
        &self,
        change: &Change<'_, '_>,
        email: Option<(&str, &str)>,
        notifies_inviter: bool,
    ) -> Result<(InvitationId, [u8; 16]), ActionError> {
        let nonce = new_nonce()?;
        let new = NewInvitation {
            realm_id: change.realm_id,
            inviter_id: self.checked.actor.user_id,
            nonce: &nonce,
            email,
            invited_as: self.checked.role,
            created_at: change.now,
            lifetime: self.checked.lifetime,
            notifies_inviter,
            joins_defaults: self.checked.terms.joins_defaults,
            channel_ids: &self.channel_ids,
            group_ids: &self.group_ids,
            welcome_text: self.checked.terms.welcome_text.as_deref(),
        };
        Ok((invitations::insert(change.tx, &new)?, nonce))
    }

    fn conclude(
        &self,
        change: &mut Change<'_, '_>,
        ids: &[InvitationId],
    ) -> Result<(), ActionError> {
        let inviter_id = self.checked.actor.user_id;
        let event = changed(change.tx, change.realm_id, &[inviter_id])?;
        change.events.push(event);
        let data = json!({"invitation_ids": ids, "invited_as": self.checked.role});
        change.audit(None, "invitations_created", &data)
    }
}

/// The different addresses of a text.
fn different(text: &str) -> Result<Vec<String>, ActionError> {
    let mut seen = BTreeSet::new();
    // Quote an invalid address as it was sent.
    let as_stored = |text: &str| email_address(text).unwrap_or_else(|_| text.to_owned());
    let mut addresses: Vec<String> = listed(text).into_iter().map(as_stored).collect();
    addresses.retain(|address| seen.insert(fold_name(address)));
    if addresses.is_empty() {
        return Err(ActionError::bad_request(
            "invitee_emails contains no address",
        ));
    }
    if addresses.len() > MAX_INVITEES {
        return Err(ActionError::BadRequest(format!(
            "At most {MAX_INVITEES} addresses can be invited at once"
        )));
    }
    Ok(addresses)
}

/// Counts the addresses whose result reveals something hidden from the inviter: that they have an account, or an
/// invitation from another user.
///
/// # Errors
/// [`ClientError::RateLimitHit`]; all other addresses are then refused as well.
fn check_hidden_addresses(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    addresses: &[String],
) -> Result<(), ActionError> {
    let (mut hidden, mut open) = (0, 0);
    for address in addresses {
        let folded = fold_name(address);
        let Some(user) = users::by_email(db, actor.realm_id, &folded)? else {
            let inviters = invitations::inviters_of(db, actor.realm_id, now, &folded)?;
            match may_see_invitation(actor, &inviters) {
                Some(true) => open += 1,
                Some(false) => hidden += 1,
                None => {}
            }
            continue;
        };
        let level =
            Settings::of_user(&user.settings).integer(user_setting!("email_address_visibility"));
        let is_self = user.id == actor.user_id;
        match may_see_delivery_email(level, actor.role, is_self).is_allowed() {
            true => open += 1,
            false => hidden += 1,
        }
    }
    if open == addresses.len() {
        return Ok(());
    }
    tries::admit(db, actor, now)?;
    match hidden {
        0 => Ok(()),
        number => tries::count(db, actor, now, number),
    }
}

/// Whether the caller may list any of the open invitations of an address; `None` if it has none.
fn may_see_invitation(actor: &Actor, inviters: &[UserId]) -> Option<bool> {
    let is_shown = actor.role.is_admin() || inviters.contains(&actor.user_id);
    (!inviters.is_empty()).then_some(is_shown)
}

/// Addresses to be invited, and those with an account or an invitation.
fn sort_out<'a>(
    change: &Change<'_, '_>,
    addresses: &'a [String],
) -> Result<(Vec<&'a str>, Vec<RefusedAddress>), ActionError> {
    let admission = admission(change.tx, change.realm_id)?;
    let (mut invited, mut left_out, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for address in addresses.iter().map(String::as_str) {
        let refused = |text: &str, is_deactivated| {
            RefusedAddress(address.to_owned(), text.to_owned(), is_deactivated)
        };
        if let Some(problem) = problem(&admission, address) {
            bad.push(refused(&problem, false));
            continue;
        }
        let folded = fold_name(address);
        match users::by_email(change.tx, change.realm_id, &folded)? {
            Some(user) if user.is_active => left_out.push(refused("Has an account", false)),
            Some(_) => left_out.push(refused("Has an account that was deactivated", true)),
            None if is_invited(change, &folded)? => {
                left_out.push(refused("Has been invited already", false));
            }
            None => invited.push(address),
        }
    }
    if !bad.is_empty() || invited.is_empty() {
        bad.extend(left_out);
        return Err(ActionError::InvitationFailed(bad));
    }
    Ok((invited, left_out))
}

/// Why no account can have this address here.
fn problem(admission: &Admission, address: &str) -> Option<String> {
    if let Err(ActionError::BadRequest(text)) = email_address(address) {
        return Some(text);
    }
    let cause = admission.check(address).err()?;
    Some(not_admitted(cause).to_owned())
}

fn is_invited(change: &Change<'_, '_>, folded: &str) -> Result<bool, ActionError> {
    let inviters = invitations::inviters_of(change.tx, change.realm_id, change.now, folded)?;
    Ok(!inviters.is_empty())
}

fn check_number(change: &Change<'_, '_>, actor: &Actor, further: usize) -> Result<(), ActionError> {
    let since = change.now - INVITATION_WINDOW_SECS;
    let made = invitations::count_since(change.tx, actor.user_id, since)?;
    let further = i64::try_from(further).unwrap_or(i64::MAX);
    if made.saturating_add(further) > MAX_INVITATIONS {
        return Err(ClientError::InvitationFailed {
            errors: Value::Array(Vec::new()),
            sent: false,
            daily_limit_reached: true,
        }
        .into());
    }
    Ok(())
}
