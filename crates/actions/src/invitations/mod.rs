//! Invitations: who may join the organization, and joining itself.
//!
//! An invitation is for one address and can be used once, or it is a link for all who have it. Where
//! mail is configured, the address is sent the link; the inviter is shown it in any case. What a link
//! gives is decided when it is used, by what its inviter may do at that time ([`entrance`]).

mod clean;
mod create;
mod destinations;
pub(crate) mod entrance;
mod key;
mod list;
mod mail;
mod renew;
mod revoke;
mod settle;

use spindle_domain::{RealmId, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, user_lists};

use crate::ActionError;

pub use clean::clean_invitations;
pub use create::{InvitationTerms, Invited, InvitedAddress, invite_people, make_invitation_link};
pub use key::InvitationLinks;
pub use list::{Invitation, list_invitations};
pub(crate) use mail::{REMINDER_SECS, thread_of};
pub use renew::renew_invitation;
pub use revoke::{InvitationKind, revoke_invitation};
pub(crate) use settle::{revoke_of_inviter, settle_address};

/// The event for the users who see the changed list: administrators and the inviters.
fn changed(db: &dyn Db, realm_id: RealmId, inviters: &[UserId]) -> Result<Event, ActionError> {
    let seeing = user_lists::active_roles(db, realm_id)?
        .into_iter()
        .filter(|account| account.role.is_admin() || inviters.contains(&account.user_id))
        .map(|account| account.user_id);
    Ok(kinds::invites_changed(Audience::users(seeing)))
}
