//! `user_group`: groups, their members and their subgroups.
//!
//! Queues without `include_deactivated_groups` do not know deactivated groups: for them a deactivation
//! removes the group, a reactivation adds it, and other changes of a deactivated group are not sent.

use serde::Serialize;
use serde_json::{Value, json};
use spindle_domain::{GroupId, UserId};

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedGroup {
    /// The group's id.
    pub id: GroupId,
    /// Whether it is deactivated, and thus unknown to some clients.
    pub deactivated: bool,
}

impl From<GroupId> for ChangedGroup {
    /// An active group, such as a system group.
    fn from(id: GroupId) -> Self {
        Self {
            id,
            deactivated: false,
        }
    }
}

/// A group was created. `group` is the group record of
/// docs/protocol/user-groups.md#update_user_group.
#[must_use]
pub fn user_group_add(group: Record, audience: Audience) -> Event {
    let body = record([("op", json!("add")), ("group", group.into())]);
    Event::new("user_group", body, audience)
}

/// Properties of a group have changed: name, description or permissions.
#[must_use]
pub fn user_group_update(
    group: impl Into<ChangedGroup>,
    data: Record,
    audience: Audience,
) -> Event {
    let group = group.into();
    let facts = json!({"deactivated": group.deactivated});
    let body = update(group.id, data.into(), facts);
    Event::new("user_group", body, audience)
}

/// A group was deactivated.
#[must_use]
pub fn user_group_deactivated(group_id: GroupId, audience: Audience) -> Event {
    let data = json!({"deactivated": true});
    let body = update(group_id, data, json!({"removed": true}));
    Event::new("user_group", body, audience)
}

/// A deactivated group was reactivated. `group` is its record.
#[must_use]
pub fn user_group_reactivated(group_id: GroupId, group: Record, audience: Audience) -> Event {
    let data = json!({"deactivated": false});
    let body = update(group_id, data, json!({"group": group}));
    Event::new("user_group", body, audience)
}

/// Users have become direct members.
#[must_use]
pub fn user_group_add_members(
    group: impl Into<ChangedGroup>,
    user_ids: &[UserId],
    audience: Audience,
) -> Event {
    members("add_members", group.into(), "user_ids", user_ids, audience)
}

/// Users are no longer direct members.
#[must_use]
pub fn user_group_remove_members(
    group: impl Into<ChangedGroup>,
    user_ids: &[UserId],
    audience: Audience,
) -> Event {
    members(
        "remove_members",
        group.into(),
        "user_ids",
        user_ids,
        audience,
    )
}

/// Groups have become direct subgroups.
#[must_use]
pub fn user_group_add_subgroups(
    group: impl Into<ChangedGroup>,
    subgroups: &[GroupId],
    audience: Audience,
) -> Event {
    let field = "direct_subgroup_ids";
    members("add_subgroups", group.into(), field, subgroups, audience)
}

/// Groups are no longer direct subgroups.
#[must_use]
pub fn user_group_remove_subgroups(
    group: impl Into<ChangedGroup>,
    subgroups: &[GroupId],
    audience: Audience,
) -> Event {
    let field = "direct_subgroup_ids";
    members("remove_subgroups", group.into(), field, subgroups, audience)
}

fn update(group_id: GroupId, data: Value, facts: Value) -> Record {
    record([
        ("op", json!("update")),
        ("group_id", json!(group_id)),
        ("data", data),
        (FACTS, facts),
    ])
}

fn members(
    op: &str,
    group: ChangedGroup,
    field: &str,
    ids: &[impl Serialize],
    audience: Audience,
) -> Event {
    let mut body = record([
        ("op", json!(op)),
        ("group_id", json!(group.id)),
        (field, json!(ids)),
    ]);
    if group.deactivated {
        body.insert(FACTS.to_owned(), json!({"deactivated": true}));
    }
    Event::new("user_group", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "user_group",
    traits: Traits::DEACTIVATED_GROUPS,
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::DEACTIVATED_GROUPS) {
        return vec![source.body];
    }
    if source.fact_is_true("deactivated") {
        return Vec::new();
    }
    if source.fact_is_true("removed") {
        let group_id = source.body.remove("group_id").unwrap_or_default();
        return vec![record([("op", json!("remove")), ("group_id", group_id)])];
    }
    match source.facts.remove("group") {
        Some(group) => vec![record([("op", json!("add")), ("group", group)])],
        None => vec![source.body],
    }
}
