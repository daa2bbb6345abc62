//! Senders whom a reader may not see (docs/protocol/messages.md#hidden-senders).
//!
//! A message stays when its sender leaves the channel, and some people write without being subscribed. A guest who may
//! not see the sender gets the message with the placeholder that the guest's list of users has for that account.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spindle_domain::text::HIDDEN_DOMAIN;
use spindle_domain::{RealmId, UserId};
use spindle_store::messages::MessageRow;
use spindle_store::{Db, user_access};

use crate::access::access_user::visible_among;
use crate::access::who_sees::guests_without;
use crate::{ActionError, Actor};

/// The name of the placeholder, as in the user lists.
pub(crate) const UNKNOWN_NAME: &str = "Unknown user";
const AVATAR: &str = "/avatar/0";

/// Hides the senders whom `actor` may not see; costs two statements for guests only.
pub(crate) fn hide_senders(
    db: &dyn Db,
    actor: &Actor,
    rows: &mut [MessageRow],
) -> Result<(), ActionError> {
    // Only guests ever lack the permission to see all users.
    if !actor.role.is_guest() || rows.is_empty() {
        return Ok(());
    }
    let senders: BTreeSet<(UserId, bool)> = rows
        .iter()
        .map(|row| (row.sender_id, row.sender_is_bot))
        .collect();
    let senders: Vec<(UserId, bool)> = senders.into_iter().collect();
    let visible = visible_among(db, actor, &senders)?;
    for row in rows {
        if !visible.contains(&row.sender_id) {
            hide_sender(row);
        }
    }
    Ok(())
}

/// Replaces what a message shows of its sender, except the id.
pub(crate) fn hide_sender(row: &mut MessageRow) {
    row.sender_email = placeholder_email(row.sender_id).into();
    row.sender_full_name = Arc::from(UNKNOWN_NAME);
    row.avatar_url = Arc::from(AVATAR);
    row.avatar_is_gravatar = false;
}

/// The placeholder address of an account that the reader may not see.
pub(crate) fn placeholder_email(user_id: UserId) -> String {
    format!("user{user_id}@{HIDDEN_DOMAIN}")
}

/// Splits the recipients of an event that names `actor`, as [`group_by_sight`]: first the accounts that may see `actor`,
/// then the others.
pub(crate) fn split_by_sight(
    db: &dyn Db,
    actor: &Actor,
    recipients: Vec<UserId>,
) -> Result<(Vec<UserId>, Vec<UserId>), ActionError> {
    let named = [(actor.user_id, actor.is_bot)];
    let mut groups = group_by_sight(db, actor.realm_id, &named, recipients)?;
    let seeing = groups.remove(&BTreeSet::new()).unwrap_or_default();
    Ok((seeing, groups.into_values().flatten().collect()))
}

/// Groups the listeners to an event that names `people` (id, whether it is a bot) by the people whom they may not see.
/// Costs one statement as long as all users may see each other.
pub(crate) fn group_by_sight(
    db: &dyn Db,
    realm_id: RealmId,
    people: &[(UserId, bool)],
    listeners: Vec<UserId>,
) -> Result<BTreeMap<BTreeSet<UserId>, Vec<UserId>>, ActionError> {
    let restricted = user_access::restricted_guests(db, realm_id)?;
    let mut hidden: BTreeMap<UserId, BTreeSet<UserId>> = BTreeMap::new();
    if listeners.iter().any(|user| restricted.contains(user)) {
        for (user_id, is_bot) in people {
            for guest in guests_without(db, realm_id, *user_id, *is_bot)? {
                hidden.entry(guest).or_default().insert(*user_id);
            }
        }
    }
    let mut groups: BTreeMap<BTreeSet<UserId>, Vec<UserId>> = BTreeMap::new();
    for listener in listeners {
        let hidden = hidden.remove(&listener).unwrap_or_default();
        groups.entry(hidden).or_default().push(listener);
    }
    Ok(groups)
}
