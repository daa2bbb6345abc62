//! The stored values that come with an event.

use std::str::FromStr;

use crate::Entry;

/// The values of the event's scope.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values(Vec<Entry>);

impl Values {
    #[must_use]
    pub const fn new(entries: Vec<Entry>) -> Self {
        Self(entries)
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let entry = self.0.iter().find(|entry| entry.key == key)?;
        Some(&entry.value)
    }

    /// The value of a key as a number or another type; `None` also if it is not one.
    #[must_use]
    pub fn parse<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Keys without the prefix, and values, of all keys that begin with it.
    pub fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0
            .iter()
            .filter_map(move |entry| Some((entry.key.strip_prefix(prefix)?, entry.value.as_str())))
    }

    /// All keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.below("")
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Values {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(Entry::from).collect())
    }
}

impl<K: Into<String>, V: Into<String>> From<(K, V)> for Entry {
    fn from((key, value): (K, V)) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_key_and_prefix() {
        let values: Values = [("count", "3"), ("vote 1", "yes"), ("vote 2", "no")]
            .into_iter()
            .collect();
        assert_eq!(values.get("count"), Some("3"));
        assert_eq!(values.parse("count"), Some(3));
        assert_eq!(values.parse::<i64>("vote 1"), None);
        assert_eq!(values.get("none"), None);
        let votes: Vec<_> = values.below("vote ").collect();
        assert_eq!(votes, [("1", "yes"), ("2", "no")]);
        assert_eq!(values.iter().count(), 3);
        assert!(!values.is_empty() && Values::default().is_empty());
    }
}
