//! A set of user ids that stays small even when it contains nearly all users.
//!
//! Stored as sorted runs: in JSON an element is one id or `[first, last]`, so that the audience of a channel
//! with thousands of mostly consecutive ids takes a few bytes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spindle_domain::UserId;

/// A sorted set of user ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserSet {
    /// Inclusive runs, ascending, neither overlapping nor touching.
    runs: Vec<(i64, i64)>,
}

/// One element of the JSON form.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Run {
    One(i64),
    Many(i64, i64),
}

impl UserSet {
    /// Whether `user_id` is a member.
    #[must_use]
    pub fn contains(&self, UserId(user_id): UserId) -> bool {
        let after = self.runs.partition_point(|&(first, _)| first <= user_id);
        after
            .checked_sub(1)
            .and_then(|index| self.runs.get(index))
            .is_some_and(|&(_, last)| user_id <= last)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of members; saturates, since a stored run may have any length.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.runs.iter().fold(0u64, |sum, &(first, last)| {
            sum.saturating_add(last.abs_diff(first).saturating_add(1))
        })
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = UserId> + '_ {
        let numbers = self.runs.iter().flat_map(|&(first, last)| first..=last);
        numbers.map(UserId)
    }
}

impl FromIterator<UserId> for UserSet {
    fn from_iter<T: IntoIterator<Item = UserId>>(ids: T) -> Self {
        let mut ids: Vec<i64> = ids.into_iter().map(UserId::get).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for id in ids {
            match runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(id) => *last = id,
                _ => runs.push((id, id)),
            }
        }
        Self { runs }
    }
}

impl Serialize for UserSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.runs.iter().map(|&(first, last)| {
            if first == last {
                Run::One(first)
            } else {
                Run::Many(first, last)
            }
        }))
    }
}

impl<'de> Deserialize<'de> for UserSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut runs: Vec<(i64, i64)> = Vec::<Run>::deserialize(deserializer)?
            .into_iter()
            .map(|run| match run {
                Run::One(id) => (id, id),
                Run::Many(first, last) => (first, last.max(first)),
            })
            .collect();
        runs.sort_unstable();
        Ok(Self { runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ids: &[i64]) -> UserSet {
        ids.iter().copied().map(UserId).collect()
    }

    #[test]
    fn runs_are_merged_and_found() {
        let users = set(&[9, 3, 4, 5, 4, 11]);
        assert_eq!(serde_json::to_string(&users).unwrap(), "[[3,5],9,11]");
        for id in 0..15 {
            assert_eq!(
                users.contains(UserId(id)),
                [3, 4, 5, 9, 11].contains(&id),
                "{id}"
            );
        }
        assert_eq!(users.len(), 5);
        assert!(users.iter().eq([3, 4, 5, 9, 11].map(UserId)));
    }

    #[test]
    fn json_round_trip() {
        let users: UserSet = serde_json::from_str("[12,[3,5],9]").unwrap();
        assert_eq!(users, set(&[3, 4, 5, 9, 12]));
        assert!(set(&[]).is_empty());
        assert_eq!(serde_json::to_string(&set(&[])).unwrap(), "[]");
    }

    #[test]
    fn extremes_do_not_overflow() {
        let users = set(&[i64::MIN, i64::MAX]);
        assert!(
            [i64::MAX, i64::MIN]
                .iter()
                .all(|id| users.contains(UserId(*id)))
        );
        assert!(!users.contains(UserId(0)));
        let all: UserSet = serde_json::from_str(&format!("[[{},{}]]", i64::MIN, i64::MAX)).unwrap();
        assert_eq!(all.len(), u64::MAX);
    }
}
