//! Deprecated integers that stood for permissions of the organization before these were groups
//! (docs/protocol/register.md#realm). Clients still decode them, so they follow the groups that
//! count.

use serde_json::json;
use spindle_domain::{RealmId, SystemGroup};
use spindle_events::Record;
use spindle_store::{Db, groups};

use crate::ActionError;

/// The integer, without the prefix `realm_`, and the permission that it follows.
const POLICIES: [(&str, &str); 4] = [
    ("wildcard_mention_policy", "can_mention_many_users_group"),
    (
        "create_public_stream_policy",
        "can_create_public_channel_group",
    ),
    (
        "create_private_stream_policy",
        "can_create_private_channel_group",
    ),
    (
        "create_web_public_stream_policy",
        "can_create_web_public_channel_group",
    ),
];

/// The integers that belong to the permissions in `holders`, by name. A permission that is
/// not in it has none in the result.
pub(crate) fn changed(
    db: &dyn Db,
    realm_id: RealmId,
    holders: &Record,
) -> Result<Record, ActionError> {
    let mut policies = Record::new();
    let concerned = || {
        POLICIES
            .iter()
            .filter_map(|(policy, name)| Some((*policy, holders.get(*name)?)))
    };
    if concerned().next().is_none() {
        return Ok(policies);
    }
    let system_groups = groups::system_groups(db, realm_id)?;
    for (policy, holder) in concerned() {
        let group = system_groups
            .iter()
            .find(|group| Some(group.id.get()) == holder.as_i64())
            .and_then(|group| SystemGroup::from_name(&group.name));
        let number = if policy == "wildcard_mention_policy" {
            mention_number(group)
        } else {
            creation_number(group)
        };
        policies.insert(policy.to_owned(), json!(number));
    }
    Ok(policies)
}

/// The scheme of the policy about wildcard mentions, which flutter reads. A group of
/// another kind is shown as administrators.
fn mention_number(group: Option<SystemGroup>) -> i64 {
    match group {
        Some(SystemGroup::Everyone | SystemGroup::Internet) => 1,
        Some(SystemGroup::Members) => 2,
        Some(SystemGroup::FullMembers) => 3,
        Some(SystemGroup::Moderators) => 7,
        Some(SystemGroup::Nobody) => 6,
        Some(SystemGroup::Administrators | SystemGroup::Owners) | None => 5,
    }
}

/// The scheme of the policies about new channels: members, administrators, full members,
/// moderators, no user, owners. A group of another kind is shown as administrators.
fn creation_number(group: Option<SystemGroup>) -> i64 {
    match group {
        Some(SystemGroup::Members | SystemGroup::Everyone | SystemGroup::Internet) => 1,
        Some(SystemGroup::Administrators) | None => 2,
        Some(SystemGroup::FullMembers) => 3,
        Some(SystemGroup::Moderators) => 4,
        Some(SystemGroup::Nobody) => 6,
        Some(SystemGroup::Owners) => 7,
    }
}
