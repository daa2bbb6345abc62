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

/// Most people who vanish for guests or appear to them with one change of the organization.
const MOST_AT_ONCE: usize = 2_000;

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

    /// Returns the events for guests whose access to people has changed: people vanish for newly restricted
    /// guests and appear to released ones. Returns `None` for more than `MOST_AT_ONCE` events.
    pub(crate) fn after_restriction(self, db: &dyn Db) -> Result<Option<Vec<Event>>, ActionError> {
        let after = Self::read(db, self.realm_id)?;
        let people: BTreeSet<UserId> = user_access::people(db, self.realm_id)?
            .into_iter()
            .collect();
        let changed = |one: &Self, other: &Self| {
            let changed = one
                .seen
                .iter()
                .filter(|(guest, _)| !other.seen.contains_key(guest));
            let others = changed.flat_map(|(guest, seen)| {
                let others = people.difference(seen).filter(move |id| *id != guest);
                others.map(move |id| (*guest, *id))
            });
            others.take(MOST_AT_ONCE + 1).collect::<Vec<_>>()
        };
        let (gone, come) = (changed(&after, &self), changed(&self, &after));
        if gone.len() + come.len() > MOST_AT_ONCE {
            return Ok(None);
        }
        let realm_id = self.realm_id;
        let gone = gone
            .into_iter()
            .map(|(guest, id)| left(db, realm_id, guest, id));
        let come = come
            .into_iter()
            .map(|(guest, id)| came(db, realm_id, guest, id));
        gone.chain(come).collect::<Result<_, _>>().map(Some)
    }

    /// The events for the guests after the change: first about users who became visible, then about users who are no
    /// longer visible.
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
