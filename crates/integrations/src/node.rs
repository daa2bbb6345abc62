//! Reading JSON whose shape is not certain.

use serde_json::Value;

/// A value in a body, or nothing. Reading what is missing gives nothing, and its text is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'a>(Option<&'a Value>);

impl<'a> Node<'a> {
    /// The whole of a value.
    #[must_use]
    pub fn of(value: &'a Value) -> Self {
        Self(Some(value).filter(|value| !value.is_null()))
    }

    /// The value at a path of keys and, for lists, positions, separated by slashes: `repository/owner/login`,
    /// `commits/0/id`.
    #[must_use]
    pub fn at(self, path: &str) -> Self {
        let step = |node: Self, key: &str| {
            let found = match node.0 {
                Some(Value::Array(list)) => key.parse::<usize>().ok().and_then(|at| list.get(at)),
                Some(value) => value.get(key),
                None => None,
            };
            Self(found.filter(|value| !value.is_null()))
        };
        path.split('/').fold(self, step)
    }

    /// The first of several paths that leads to a value which is not an empty text.
    #[must_use]
    pub fn first(self, paths: &[&str]) -> Self {
        let found = paths.iter().map(|path| self.at(path));
        found
            .into_iter()
            .find(|node| node.exists() && node.0 != Some(&Value::String(String::new())))
            .unwrap_or(Self(None))
    }

    /// Whether there is a value other than null.
    #[must_use]
    pub fn exists(self) -> bool {
        self.0.is_some()
    }

    /// Text; empty for anything else.
    #[must_use]
    pub fn str(self) -> &'a str {
        self.0.and_then(Value::as_str).unwrap_or_default()
    }

    /// Text, a number or a truth value as text; empty for anything else.
    #[must_use]
    pub fn text(self) -> String {
        match self.0 {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(value)) => value.to_string(),
            _ => String::new(),
        }
    }

    /// A whole number, also one that is written as text.
    #[must_use]
    pub fn number(self) -> Option<i64> {
        match self.0? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether the value is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        self.0 == Some(&Value::Bool(true))
    }

    /// The values of a list; none for anything else.
    pub fn list(self) -> impl DoubleEndedIterator<Item = Node<'a>> + ExactSizeIterator + Clone {
        let list = self.0.and_then(Value::as_array);
        list.map_or(&[][..], Vec::as_slice).iter().map(Self::of)
    }

    /// The names and values of an object; none for anything else.
    pub fn fields(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let fields = self.0.and_then(Value::as_object);
        fields
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), Self::of(value)))
    }

    /// The value itself.
    #[must_use]
    pub fn value(self) -> Option<&'a Value> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_through_objects_and_lists() {
        let value = json!({"a": [{"b": "c", "n": 7, "none": null, "empty": ""}], "is": true});
        let node = Node::of(&value);
        assert_eq!(node.at("a/0/b").str(), "c");
        assert_eq!(node.at("a/0/n").text(), "7");
        assert_eq!(node.at("a/0/n").number(), Some(7));
        assert!(node.at("is").is_true());
        assert!(!node.at("a/0/none").exists());
        assert!(!node.at("a/1/b").exists());
        assert_eq!(node.first(&["a/0/empty", "x", "a/0/b"]).str(), "c");
        assert_eq!(node.at("a").list().len(), 1);
        assert_eq!(node.at("a/0").fields().count(), 4);
        assert_eq!(node.at("is/x").list().len(), 0);
    }
}
