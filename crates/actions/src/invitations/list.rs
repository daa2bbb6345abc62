//! Lists the open invitations that the caller may see.

use serde::Serialize;
use spindle_domain::policy::may_invite_as;
use spindle_domain::{InvitationId, Role, UserId};
use spindle_store::invitations::InvitationRow;
use spindle_store::{Db, invitations};

use super::InvitationLinks;
use crate::{ActionError, Actor};

/// An open invitation as the wire has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Invitation {
    pub id: InvitationId,
    /// The inviter.
    pub invited_by_user_id: UserId,
    /// Time of creation, UNIX seconds.
    pub invited: i64,
    /// When it expires, UNIX seconds; `None` means never.
    pub expiry_date: Option<i64>,
    /// Role, on the wire its integer.
    pub invited_as: Role,
    /// Whether many may use it.
    pub is_multiuse: bool,
    /// The address; not of a link that many may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the inviter is notified when a person joins; not of a link that many may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify_referrer_on_join: Option<bool>,
    /// The link, for users who could have created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_url: Option<String>,
}

/// The invitations that are open at `now` (UNIX seconds), by id: all for administrators, their
/// own for all other users.
///
/// A link is shown only to users who could have created it: with an invitation as owner, the holder of
/// the link becomes an owner, which an administrator may not allow.
pub fn list_invitations(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    links: InvitationLinks<'_>,
) -> Result<Vec<Invitation>, ActionError> {
    let own = (!actor.role.is_admin()).then_some(actor.user_id);
    invitations::open(db, actor.realm_id, now, own)?
        .into_iter()
        .map(|row| shown(actor.role, row, links))
        .collect()
}

fn shown(
    viewer: Role,
    row: InvitationRow,
    links: InvitationLinks<'_>,
) -> Result<Invitation, ActionError> {
    let may_use = may_invite_as(viewer, row.invited_as).is_allowed();
    let link = may_use.then(|| links.link(&row.nonce)).transpose()?;
    let is_multiuse = row.is_multiuse();
    Ok(Invitation {
        id: row.id,
        invited_by_user_id: row.inviter_id,
        invited: row.created_at,
        expiry_date: row.expires_at,
        invited_as: row.invited_as,
        is_multiuse,
        email: row.email,
        notify_referrer_on_join: (!is_multiuse).then_some(row.notifies_inviter),
        link_url: link,
    })
}
