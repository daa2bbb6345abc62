//! Direct messages of the notification bot to people whom another user has added to a group or removed from
//! it (docs/protocol/user-groups.md#membership-messages).

use spindle_domain::UserId;
use spindle_domain::limits::MAX_BULK_NEW_SUBSCRIPTION_MESSAGES;
use spindle_events::Event;
use spindle_store::{WriteTx, id_list, user_lists};

use super::access::ManagedGroup;
use crate::access::who_sees::guests_without;
use crate::channels::notices::named_for;
use crate::messages::{Notice, Wording, literal, send_notice};
use crate::{ActionError, Actor};

/// Writes to the people; to none of them when they are more than a bulk change may write to.
pub(super) fn notify_members(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    target: &ManagedGroup,
    added: &[UserId],
    removed: &[UserId],
) -> Result<Vec<Event>, ActionError> {
    let count = added.len().saturating_add(removed.len());
    let most = usize::try_from(MAX_BULK_NEW_SUBSCRIPTION_MESSAGES).unwrap_or(usize::MAX);
    if count > most {
        return Ok(Vec::new());
    }
    let realm_id = actor.realm_id;
    let group = literal(&target.row.name);
    let mut hidden_from = None;
    let mut events = Vec::new();
    for (user_ids, verb) in [(added, "added you to"), (removed, "removed you from")] {
        let others = user_ids.iter().copied().filter(|id| *id != actor.user_id);
        for person in user_lists::active_people_among(tx, realm_id, &id_list(others))? {
            let hidden: &Vec<UserId> = match &mut hidden_from {
                Some(hidden) => hidden,
                none => none.insert(guests_without(tx, realm_id, actor.user_id, actor.is_bot)?),
            };
            let mut wording = Wording::default();
            let who = named_for(&mut wording, actor, hidden.contains(&person));
            wording.add(format!("{who} {verb} the group {group}."));
            let notice = Notice::to_person(person, wording);
            events.extend(send_notice(tx, realm_id, now, &notice)?.1);
        }
    }
    Ok(events)
}
