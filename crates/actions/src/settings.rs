//! Plain settings as they apply: what is stored, else the default of the domain's table.

use serde_json::{Map, Value};
use spindle_domain::settings::{REALM, Setting, USER, by_name};

/// The settings of a user or of the organization.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    table: &'static [Setting],
    stored: Map<String, Value>,
}

impl Settings {
    fn new(table: &'static [Setting], stored: &str) -> Self {
        // The schema admits objects only; anything else reads as "nothing was changed".
        let stored = serde_json::from_str(stored).unwrap_or_default();
        Self { table, stored }
    }

    /// Settings of a user; `stored` is the JSON object of what differs from the defaults.
    #[must_use]
    pub fn of_user(stored: &str) -> Self {
        Self::new(USER, stored)
    }

    /// Settings of the organization, likewise.
    #[must_use]
    pub fn of_realm(stored: &str) -> Self {
        Self::new(REALM, stored)
    }

    /// The value of a setting; null when there is no such setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Value {
        self.stored
            .get(name)
            .cloned()
            .unwrap_or_else(|| by_name(self.table, name).map_or(Value::Null, Setting::default_json))
    }

    /// A boolean setting.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == Value::Bool(true)
    }

    /// An integer setting; 0 when it is null.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        self.get(name).as_i64().unwrap_or_default()
    }

    /// A text setting.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        self.get(name).as_str().unwrap_or_default().to_owned()
    }

    /// Every setting of the table with its value.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        self.table
            .iter()
            .map(|setting| (setting.name, self.get(setting.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_values_come_before_defaults() {
        let settings = Settings::of_user(r#"{"enter_sends":true}"#);
        assert!(settings.is_on("enter_sends"));
        assert!(settings.is_on("presence_enabled"));
        assert_eq!(settings.integer("color_scheme"), 1);
        assert_eq!(settings.get("no_such_setting"), Value::Null);
        assert!(
            settings
                .all()
                .any(|(name, value)| name == "enter_sends" && value == true)
        );
    }
}
