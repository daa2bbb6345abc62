//! What a channel says when other people may post in it.

use spindle_domain::{ChannelId, GroupSettingValue, RealmId, realm_setting};
use spindle_events::Event;
use spindle_store::{WriteTx, groups, id_list};

use super::{EVENTS_TOPIC, notify};
use crate::messages::name_lookup::display_name;
use crate::messages::{NoticeRecipient, ReadBy, Wording, literal};
use crate::{ActionError, Actor};

/// Most groups that a notice about a permission names.
const MOST_GROUPS_NAMED: usize = 10;

/// Says in the channel that other people may send to it now.
pub(crate) fn posting_changed(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
    [before, after]: [&GroupSettingValue; 2],
) -> Result<Vec<Event>, ActionError> {
    let setting = realm_setting!("send_channel_events_messages");
    if !actor.realm_settings().is_on(setting) {
        return Ok(Vec::new());
    }
    let realm_id = actor.realm_id;
    let mut wording = Wording::default();
    let who = wording.person(&actor.full_name, actor.user_id);
    wording.add(format!("{who} changed who may post in this channel:"));
    let (before, after) = (
        holders(tx, realm_id, before)?,
        holders(tx, realm_id, after)?,
    );
    wording.add(format!("* **Before:** {before}\n* **Now:** {after}"));
    let recipient = NoticeRecipient::Channel {
        channel_id,
        topic: EVENTS_TOPIC,
    };
    notify(tx, realm_id, now, recipient, wording, ReadBy::Senders)
}

/// The holders of a permission in words. People are only counted, since guests may read the notice
/// who may not see all of them.
fn holders(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    value: &GroupSettingValue,
) -> Result<String, ActionError> {
    let (groups, people) = match value {
        GroupSettingValue::Group(id) => (std::slice::from_ref(id), 0),
        GroupSettingValue::Nameless(holders) => (
            holders.direct_subgroups.as_slice(),
            holders.direct_members.len(),
        ),
    };
    let listed = id_list(groups.iter().take(MOST_GROUPS_NAMED).copied());
    let mut parts: Vec<String> = groups::named(tx, realm_id, &listed)?
        .into_iter()
        .map(|group| match display_name(&group.name) {
            Some(shown) if group.is_system_group => shown,
            _ => literal(&group.name),
        })
        .collect();
    let further = groups.len().saturating_sub(MOST_GROUPS_NAMED);
    for (count, one, many) in [(further, "group", "groups"), (people, "person", "people")] {
        match count {
            0 => {}
            1 => parts.push(format!("one {one}")),
            _ => parts.push(format!("{count} {many}")),
        }
    }
    Ok(parts.join(", "))
}
