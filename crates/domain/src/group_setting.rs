//! The value of a permission: a named group, or a set of people and groups without a name.
//!
//! Owns the JSON form and the rules that bring a value into its canonical form. Whether
//! the ids exist, are active and are allowed for a setting needs state: see the store and
//! [`crate::permission`].

use crate::{GroupId, UserId};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A group-setting value (docs/protocol/permissions.md#group-setting-value).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum GroupSettingValue {
    /// An integer on the wire: the id of a named group.
    Group(GroupId),
    /// An object on the wire.
    Nameless(NamelessGroup),
}

/// People and groups that hold a permission together without being a named group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamelessGroup {
    /// Ids of users, ascending without duplicates once normalised.
    pub direct_members: Vec<UserId>,
    /// Ids of groups, ascending without duplicates once normalised.
    pub direct_subgroups: Vec<GroupId>,
}

impl GroupSettingValue {
    /// The canonical form, in which equal permissions are equal values.
    ///
    /// Lists are sorted and freed of duplicates; an empty object becomes `nobody` (the id
    /// of `role:nobody`), and an object that holds one group only becomes that group. So a
    /// client may read back an integer after it has written an object.
    #[must_use]
    pub fn normalised(self, nobody: GroupId) -> Self {
        let Self::Nameless(mut group) = self else {
            return self;
        };
        group.direct_members.sort_unstable();
        group.direct_members.dedup();
        group.direct_subgroups.sort_unstable();
        group.direct_subgroups.dedup();
        match (
            group.direct_members.as_slice(),
            group.direct_subgroups.as_slice(),
        ) {
            ([], []) => Self::Group(nobody),
            ([], [only]) => Self::Group(*only),
            _ => Self::Nameless(group),
        }
    }

    /// Whether a client's expectation (`old` of the update form) meets the stored value:
    /// lists are compared as sets, and an integer never equals an object.
    pub fn matches(&self, stored: &Self) -> bool {
        match (self, stored) {
            (Self::Group(expected), Self::Group(current)) => expected == current,
            (Self::Nameless(expected), Self::Nameless(current)) => {
                same_set(&expected.direct_members, &current.direct_members)
                    && same_set(&expected.direct_subgroups, &current.direct_subgroups)
            }
            _ => false,
        }
    }
}

fn same_set<T: Ord + Copy>(left: &[T], right: &[T]) -> bool {
    let sorted = |list: &[T]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list.dedup();
        list
    };
    sorted(left) == sorted(right)
}

/// The update form of a permission: the new value and, optionally, what the client
/// believes the current one to be (docs/protocol/permissions.md#group-setting-value).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSettingUpdate {
    /// Value to store.
    pub new: GroupSettingValue,
    /// Expected current value; the update is refused when it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<GroupSettingValue>,
}

impl<'de> Deserialize<'de> for GroupSettingValue {
    // By hand: serde's untagged enums buffer the input and lose the path of an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = GroupSettingValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a group id or an object with direct_members and direct_subgroups")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<GroupSettingValue, E> {
        Ok(GroupSettingValue::Group(GroupId(value)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<GroupSettingValue, E> {
        i64::try_from(value)
            .map(|id| GroupSettingValue::Group(GroupId(id)))
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GroupSettingValue, A::Error> {
        NamelessGroup::deserialize(de::value::MapAccessDeserializer::new(map))
            .map(GroupSettingValue::Nameless)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: GroupId = GroupId(9);

    fn nameless(members: &[i64], subgroups: &[i64]) -> GroupSettingValue {
        GroupSettingValue::Nameless(NamelessGroup {
            direct_members: members.iter().copied().map(UserId).collect(),
            direct_subgroups: subgroups.iter().copied().map(GroupId).collect(),
        })
    }

    #[test]
    fn both_forms_are_read_and_nothing_else() {
        let parse = serde_json::from_str::<GroupSettingValue>;
        assert_eq!(parse("5").unwrap(), GroupSettingValue::Group(GroupId(5)));
        assert_eq!(
            parse(r#"{"direct_members":[2],"direct_subgroups":[3]}"#).unwrap(),
            nameless(&[2], &[3])
        );
        for wrong in [
            "5.0",
            "\"5\"",
            "true",
            "null",
            "[]",
            r#"{"direct_members":[]}"#,
            r#"{"direct_members":[],"direct_subgroups":[],"more":1}"#,
            r#"{"direct_members":["a"],"direct_subgroups":[]}"#,
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn normalising_sorts_and_collapses() {
        assert_eq!(
            nameless(&[], &[]).normalised(NOBODY),
            GroupSettingValue::Group(NOBODY)
        );
        assert_eq!(
            nameless(&[], &[4, 4]).normalised(NOBODY),
            GroupSettingValue::Group(GroupId(4))
        );
        assert_eq!(
            nameless(&[3, 1, 3], &[2]).normalised(NOBODY),
            nameless(&[1, 3], &[2])
        );
        assert_eq!(nameless(&[1], &[]).normalised(NOBODY), nameless(&[1], &[]));
        let named = GroupSettingValue::Group(GroupId(2));
        assert_eq!(named.clone().normalised(NOBODY), named);
    }

    #[test]
    fn an_expectation_compares_sets_and_never_mixes_forms() {
        assert!(nameless(&[2, 1], &[]).matches(&nameless(&[1, 2], &[])));
        assert!(!nameless(&[1], &[]).matches(&nameless(&[1, 2], &[])));
        assert!(!GroupSettingValue::Group(GroupId(4)).matches(&nameless(&[], &[4])));
    }

    #[test]
    fn the_update_form_needs_new() {
        let update: GroupSettingUpdate = serde_json::from_str(r#"{"new":5}"#).unwrap();
        assert_eq!(update.old, None);
        assert!(serde_json::from_str::<GroupSettingUpdate>(r#"{"old":5}"#).is_err());
        assert!(serde_json::from_str::<GroupSettingUpdate>(r#"{"new":5,"x":1}"#).is_err());
    }
}
