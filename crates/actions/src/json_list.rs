//! A JSON list as text, written one object after the other.
//!
//! Owns brackets and commas. It must not hold a tree of values: a list may be long.

use serde::Serialize;

use crate::ActionError;

/// A list that is being written.
#[derive(Debug, Default)]
pub(crate) struct JsonList(Vec<u8>);

impl JsonList {
    /// Writes one more object.
    ///
    /// # Errors
    /// [`ActionError::Internal`] for what has no form in JSON.
    pub(crate) fn push(&mut self, object: &impl Serialize) -> Result<(), ActionError> {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        let written = serde_json::to_writer(&mut self.0, object);
        written.map_err(|error| ActionError::Internal(error.to_string()))
    }

    /// The whole list.
    ///
    /// # Errors
    /// [`ActionError::Internal`]: JSON is always text.
    pub(crate) fn end(mut self) -> Result<String, ActionError> {
        if self.0.is_empty() {
            self.0.push(b'[');
        }
        self.0.push(b']');
        String::from_utf8(self.0).map_err(|error| ActionError::Internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_written_as_it_grows() {
        let mut list = JsonList::default();
        assert_eq!(JsonList::default().end().unwrap(), "[]");
        list.push(&serde_json::json!({"a": "ä"})).unwrap();
        list.push(&7).unwrap();
        assert_eq!(list.end().unwrap(), r#"[{"a":"ä"},7]"#);
    }
}
