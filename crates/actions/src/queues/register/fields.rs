//! The growing response: a run of JSON members, kept as text.
//!
//! Large lists come from the database as JSON and must not be parsed again; so everything is
//! written as text, in the order of the calls, and each value directly into its place.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::ActionError;

/// Bytes of a section that is large.
const LARGE: usize = 1 << 20;

/// Members of the response, without the braces around them.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<u8>);

impl Fields {
    /// Adds a member whose value is JSON text already.
    pub(crate) fn raw(&mut self, name: &str, json: &str) {
        // Doubled for each large section, a snapshot would need twice its memory.
        if json.len() > LARGE {
            self.0.reserve_exact(json.len() + LARGE);
        }
        self.name("", name);
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Adds a member.
    pub(crate) fn put<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), ActionError> {
        self.put_prefixed("", name, value)
    }

    /// Adds a member whose name is `prefix` and `name`.
    pub(crate) fn put_prefixed<T: Serialize + ?Sized>(
        &mut self,
        prefix: &str,
        name: &str,
        value: &T,
    ) -> Result<(), ActionError> {
        self.name(prefix, name);
        serde_json::to_writer(&mut self.0, value)
            .map_err(|error| ActionError::Internal(format!("{prefix}{name}: {error}")))
    }

    /// Adds members that [`Fields::into_text`] has returned; at least one.
    pub(crate) fn members(&mut self, text: &str) {
        self.separate();
        self.0.extend_from_slice(text.as_bytes());
    }

    fn name(&mut self, prefix: &str, name: &str) {
        self.separate();
        for part in ["\"", prefix, name, "\":"] {
            self.0.extend_from_slice(part.as_bytes());
        }
    }

    fn separate(&mut self) {
        if !self.0.is_empty() {
            self.0.push(b',');
        }
    }

    /// The text of all members.
    pub(crate) fn into_text(self) -> Result<String, ActionError> {
        String::from_utf8(self.0).map_err(|error| ActionError::Internal(error.to_string()))
    }

    /// The text of an object of all members.
    pub(crate) fn into_object(self) -> Result<String, ActionError> {
        Ok(["{", &self.into_text()?, "}"].concat())
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

    /// Whether the client wants the section.
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
        fields.put_prefixed("realm_", "x", &[""]).unwrap();
        let text = fields.into_text().unwrap();
        assert_eq!(text, r#""a":1,"list":[1, 2],"realm_x":[""]"#);
        let mut more = Fields::default();
        assert_eq!(Fields::default().into_object().unwrap(), "{}");
        more.members(&text);
        more.members(&text);
        let object = more.into_object().unwrap();
        assert_eq!(object, format!("{{{text},{text}}}"));
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
