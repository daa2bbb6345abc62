//! The users whom restricted guests see, and how that changes when conversations are begun, joined
//! and left.
//!
//! Read before a change and compared after it. While all users may see each other there is no
//! restricted guest, and it costs one statement.

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::policy::may_see_delivery_email;
use spindle_domain::{RealmId, Role, UserId, user_setting};
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, DbError, user_access, users};

use crate::access::person_appears::{person_added, unknown_person};
use crate::{ActionError, Settings};

/// People by the guest who sees them, bots and the guests themselves left out.
pub(crate) struct GuestViews {
    realm_id: RealmId,
    seen: BTreeMap<UserId, BTreeSet<UserId>>,
}

impl GuestViews {
    /// The users whom each restricted guest sees now.
    pub(crate) fn read(db: &dyn Db, realm_id: RealmId) -> Result<Self, ActionError> {
        let mut seen = BTreeMap::new();
        for guest in user_access::restricted_guests(db, realm_id)? {
            let partners = user_access::people_with(db, guest)?;
            seen.insert(guest, partners.into_iter().collect());
        }
        Ok(Self { realm_id, seen })
    }

    /// The events for the guests after the change: first of users who came into view, then of those
    /// who left it.
    pub(crate) fn changes(self, db: &dyn Db) -> Result<(Vec<Event>, Vec<Event>), ActionError> {
        let (mut come, mut gone) = (Vec::new(), Vec::new());
        if self.seen.is_empty() {
            return Ok((come, gone));
        }
        let mut after = Self::read(db, self.realm_id)?;
        for (guest, before) in self.seen {
            let now = after.seen.remove(&guest).unwrap_or_default();
            for user_id in now.difference(&before) {
                come.push(came(db, self.realm_id, guest, *user_id)?);
            }
            for user_id in before.difference(&now) {
                gone.push(left(db, self.realm_id, guest, *user_id)?);
            }
        }
        Ok((come, gone))
    }
}

fn came(
    db: &dyn Db,
    realm_id: RealmId,
    guest: UserId,
    user_id: UserId,
) -> Result<Event, ActionError> {
    let user = users::by_id(db, realm_id, user_id)?.ok_or(DbError::NoRow)?;
    let level =
        Settings::of_user(&user.settings).integer(user_setting!("email_address_visibility"));
    let sees_address = may_see_delivery_email(level, Role::Guest, false).is_allowed();
    person_added(db, realm_id, user_id, sees_address, Audience::user(guest))
}

fn left(
    db: &dyn Db,
    realm_id: RealmId,
    guest: UserId,
    user_id: UserId,
) -> Result<Event, ActionError> {
    let user = users::by_id(db, realm_id, user_id)?.ok_or(DbError::NoRow)?;
    let stand_in = unknown_person(db, realm_id, user_id)?;
    let audience = Audience::user(guest);
    Ok(kinds::realm_user_remove(
        user_id,
        &user.full_name,
        stand_in,
        audience,
    ))
}
