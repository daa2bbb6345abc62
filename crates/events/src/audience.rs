//! The recipients of an event, resolved when the change is made.
//!
//! The stored form must stay compact and must not depend on later changes: a user who joins or changes
//! role afterwards does not alter the audience of an old row. Rows are read for as long as a queue may
//! replay them, so fields may only be added.

use serde::{Deserialize, Serialize};
use spindle_domain::{ChannelId, UserId};

use crate::UserSet;

/// The recipients of one event, with the parts that differ by user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audience {
    /// All users of the organization, apart from `except`.
    #[serde(default, skip_serializing_if = "is_false")]
    realm: bool,
    #[serde(default, skip_serializing_if = "UserSet::is_empty")]
    except: UserSet,
    #[serde(default, skip_serializing_if = "UserSet::is_empty")]
    users: UserSet,
    /// Message flags, one entry for every distinct set of flags. Users in none have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    flags: Vec<FlagGroup>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channel: Option<Channel>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FlagGroup {
    flags: Vec<String>,
    users: UserSet,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Channel {
    id: ChannelId,
    public: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Audience {
    /// Every user of the organization.
    #[must_use]
    pub fn realm() -> Self {
        Self {
            realm: true,
            ..Self::default()
        }
    }

    /// Every user of the organization except those listed, such as guests without access to the
    /// object of the event.
    #[must_use]
    pub fn realm_except(users: impl IntoIterator<Item = UserId>) -> Self {
        Self {
            realm: true,
            except: users.into_iter().collect(),
            ..Self::default()
        }
    }

    /// One user.
    #[must_use]
    pub fn user(user_id: UserId) -> Self {
        Self::users([user_id])
    }

    /// The users listed; order and repetition do not matter.
    #[must_use]
    pub fn users(users: impl IntoIterator<Item = UserId>) -> Self {
        Self {
            users: users.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds message flags of single users, in their wire form and order.
    #[must_use]
    pub fn with_flags<F>(self, flags: impl IntoIterator<Item = (UserId, Vec<F>)>) -> Self
    where
        F: Into<String>,
    {
        let single = flags.into_iter();
        self.with_flag_groups(single.map(|(user_id, names)| (names, vec![user_id])))
    }

    /// As [`Self::with_flags`], for flags that are grouped already: each entry is a set of flags and
    /// all users who have exactly these. The cost does not depend on the number of users.
    #[must_use]
    pub fn with_flag_groups<F>(
        mut self,
        groups: impl IntoIterator<Item = (Vec<F>, Vec<UserId>)>,
    ) -> Self
    where
        F: Into<String>,
    {
        let mut merged = std::collections::BTreeMap::<Vec<String>, Vec<UserId>>::new();
        for (names, users) in groups {
            let names: Vec<String> = names.into_iter().map(Into::into).collect();
            if !names.is_empty() {
                merged.entry(names).or_default().extend(users);
            }
        }
        self.flags = merged
            .into_iter()
            .map(|(flags, users)| FlagGroup {
                flags,
                users: users.into_iter().collect(),
            })
            .collect();
        self
    }

    /// Sets the channel of a message. Messages of a public channel also reach queues registered with
    /// `all_public_streams` or a narrow (docs/protocol/events.md#delivery).
    #[must_use]
    pub fn in_channel(mut self, channel_id: ChannelId, public: bool) -> Self {
        self.channel = Some(Channel {
            id: channel_id,
            public,
        });
        self
    }

    /// Whether `user_id` is a recipient.
    #[must_use]
    pub fn includes(&self, user_id: UserId) -> bool {
        if self.realm {
            !self.except.contains(user_id)
        } else {
            self.users.contains(user_id)
        }
    }

    /// The recipients if they are listed, `None` if all users of the organization are.
    #[must_use]
    pub fn listed(&self) -> Option<&UserSet> {
        (!self.realm).then_some(&self.users)
    }

    /// Whether queues of other users may receive the event as a message of a public channel.
    #[must_use]
    pub fn is_public_channel(&self) -> bool {
        self.channel.as_ref().is_some_and(|channel| channel.public)
    }

    /// The user's entry in the flag table.
    pub(crate) fn flag_group(&self, user_id: UserId) -> Option<usize> {
        self.flags
            .iter()
            .position(|group| group.users.contains(user_id))
    }

    /// The flags of one entry; `None` for `None`.
    pub(crate) fn flags(&self, group: Option<usize>) -> &[String] {
        group
            .and_then(|index| self.flags.get(index))
            .map_or(&[], |group| group.flags.as_slice())
    }

    pub(crate) fn to_json(&self) -> String {
        // Serializing integers, strings and booleans into memory cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_forms() {
        let cases = [
            (Audience::realm(), r#"{"realm":true}"#),
            (
                Audience::realm_except([8, 7].map(UserId)),
                r#"{"realm":true,"except":[[7,8]]}"#,
            ),
            (Audience::user(UserId(4)), r#"{"users":[4]}"#),
            (Audience::users([]), "{}"),
            (
                Audience::users([3, 1, 2].map(UserId))
                    .with_flags([
                        (UserId(2), vec!["mentioned"]),
                        (UserId(1), vec![]),
                        (UserId(3), vec!["mentioned"]),
                    ])
                    .in_channel(ChannelId(5), true),
                concat!(
                    r#"{"users":[[1,3]],"flags":[{"flags":["mentioned"],"users":[[2,3]]}],"#,
                    r#""channel":{"id":5,"public":true}}"#
                ),
            ),
        ];
        for (audience, json) in cases {
            assert_eq!(audience.to_json(), json);
            assert_eq!(serde_json::from_str::<Audience>(json).unwrap(), audience);
        }
    }

    #[test]
    fn who_is_included() {
        assert!(Audience::realm().includes(UserId(1)));
        assert!(!Audience::realm_except([1].map(UserId)).includes(UserId(1)));
        assert!(Audience::realm_except([1].map(UserId)).includes(UserId(2)));
        assert!(!Audience::users([2].map(UserId)).includes(UserId(1)));
        let flagged = Audience::users([1, 2].map(UserId)).with_flags([(UserId(2), vec!["read"])]);
        assert_eq!(flagged.flags(flagged.flag_group(UserId(2))), ["read"]);
        assert!(flagged.flags(flagged.flag_group(UserId(1))).is_empty());
    }
}
