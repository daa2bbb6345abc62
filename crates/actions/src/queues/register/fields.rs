//! The growing response: a run of JSON members, kept as text.
//!
//! Large lists come from the database as JSON and must not be parsed again; so everything is
//! written as text, in the order in which it is put.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::ActionError;

/// Bytes of a section that is large.
const LARGE: usize = 1 << 20;

/// Members of the response, without the braces around them.
#[derive(Debug, Default)]
pub(crate) struct Fields(String);

impl Fields {
    /// Adds a member whose value is JSON text already.
    pub(crate) fn raw(&mut self, name: &str, json: &str) {
        // Doubled for each large section, a snapshot would need twice its memory.
        if json.len() > LARGE {
            self.0.reserve_exact(json.len() + LARGE);
        }
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
        self.0.push_str(json);
    }

    /// Adds a member.
    pub(crate) fn put<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), ActionError> {
        let json = serde_json::to_string(value)
            .map_err(|error| ActionError::Internal(format!("{name}: {error}")))?;
        self.raw(name, &json);
        Ok(())
    }

    /// Adds the members of a JSON object given as text, each under `prefix` + its name.
    pub(crate) fn members_of(&mut self, prefix: &str, object: &str) -> Result<(), ActionError> {
        let members: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
            serde_json::from_str(object)
                .map_err(|error| ActionError::Internal(format!("{prefix}: {error}")))?;
        for (name, value) in members {
            self.raw(&format!("{prefix}{name}"), value.get());
        }
        Ok(())
    }

    /// The text of all members.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Which sections the client asked for (docs/protocol/register.md#register, `fetch_event_types`).
#[derive(Debug, Clone)]
pub(crate) struct Wanted(Option<BTreeSet<String>>);

impl Wanted {
    /// `fetch_event_types` decides; without it `event_types`; with neither, everything.
    pub(crate) fn new(fetch: Option<&[String]>, events: Option<&[String]>) -> Self {
        Self(
            fetch
                .or(events)
                .map(|names| names.iter().cloned().collect()),
        )
    }

    /// Whether the section is to be sent.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.contains(name))
    }

    /// Whether the client named the section itself.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|names| names.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_text() {
        let mut fields = Fields::default();
        fields.put("a", &1).unwrap();
        fields.raw("list", "[1, 2]");
        fields.members_of("realm_", r#"{"x": {"y":[ ]}}"#).unwrap();
        assert_eq!(
            fields.into_text(),
            r#""a":1,"list":[1, 2],"realm_x":{"y":[ ]}"#
        );
    }

    #[test]
    fn the_more_special_list_decides() {
        let names =
            |list: &[&str]| -> Vec<String> { list.iter().map(|name| (*name).to_owned()).collect() };
        assert!(Wanted::new(None, None).has("stream"));
        assert!(!Wanted::new(None, None).names("stream"));
        assert!(Wanted::new(None, Some(&names(&["stream"]))).names("stream"));
        let fetch = names(&["realm"]);
        let both = Wanted::new(Some(&fetch), Some(&names(&["stream"])));
        assert!(both.has("realm") && !both.has("stream"));
        assert!(!Wanted::new(Some(&[]), None).has("realm"));
    }
}
