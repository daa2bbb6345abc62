//! Plain settings as they apply: the stored value, else the default of the domain's table.

use std::marker::PhantomData;

use serde::Serialize;
use serde_json::{Map, Value};
use spindle_domain::settings::{DefaultValue, Setting, by_name};
use spindle_domain::{KnownSetting, RealmSetting, UserSetting};

/// The settings of a user or of the organization: `T` is what one of them is.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings<T> {
    stored: Map<String, Value>,
    kind: PhantomData<T>,
}

/// The settings of a user.
pub type UserSettings = Settings<UserSetting>;
/// The settings of the organization.
pub type RealmSettings = Settings<RealmSetting>;

impl UserSettings {
    /// `stored` is the JSON object of the values that differ from the defaults.
    #[must_use]
    pub fn of_user(stored: &str) -> Self {
        Self::new(stored)
    }
}

impl RealmSettings {
    /// `stored` is the JSON object of the values that differ from the defaults.
    #[must_use]
    pub fn of_realm(stored: &str) -> Self {
        Self::new(stored)
    }
}

impl<T: KnownSetting> Settings<T> {
    fn new(stored: &str) -> Self {
        Self {
            // The schema admits objects only; anything else reads as "nothing was changed".
            stored: serde_json::from_str(stored).unwrap_or_default(),
            kind: PhantomData,
        }
    }

    fn value(&self, row: &Setting) -> Value {
        let stored = self.stored.get(row.name).cloned();
        stored.unwrap_or_else(|| row.default_json())
    }

    /// The value of a setting.
    #[must_use]
    pub fn get(&self, setting: T) -> Value {
        self.value(setting.row())
    }

    /// The value of the setting of this name; null when there is none.
    #[must_use]
    pub fn named(&self, name: &str) -> Value {
        by_name(T::TABLE, name).map_or(Value::Null, |row| self.value(row))
    }

    /// A boolean setting.
    #[must_use]
    pub fn is_on(&self, setting: T) -> bool {
        self.get(setting) == Value::Bool(true)
    }

    /// An integer setting; 0 when it is null.
    #[must_use]
    pub fn integer(&self, setting: T) -> i64 {
        self.get(setting).as_i64().unwrap_or_default()
    }

    /// A text setting.
    #[must_use]
    pub fn text(&self, setting: T) -> String {
        self.get(setting).as_str().unwrap_or_default().to_owned()
    }

    /// Every setting of the table with its value.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        T::TABLE.iter().map(|row| (row.name, self.value(row)))
    }

    /// As [`Settings::all`], for values that are only to be written.
    pub fn shown(&self) -> impl Iterator<Item = (&'static str, Shown<'_>)> + '_ {
        T::TABLE.iter().map(|row| {
            let shown = match self.stored.get(row.name) {
                Some(stored) => Shown::Stored(stored),
                None => Shown::Default(row.default),
            };
            (row.name, shown)
        })
    }
}

/// The value of a setting in its written form.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shown<'s> {
    /// It has been changed.
    Stored(&'s Value),
    /// It has not.
    Default(DefaultValue),
}

#[cfg(test)]
mod tests {
    use spindle_domain::user_setting;

    use super::*;

    #[test]
    fn stored_values_come_before_defaults() {
        let settings = Settings::of_user(r#"{"enter_sends":true}"#);
        assert!(settings.is_on(user_setting!("enter_sends")));
        assert!(settings.is_on(user_setting!("presence_enabled")));
        assert_eq!(settings.integer(user_setting!("color_scheme")), 1);
        assert_eq!(settings.named("no_such_setting"), Value::Null);
        for (name, shown) in settings.shown() {
            assert_eq!(serde_json::json!(shown), settings.named(name), "{name}");
        }
        let shown = settings.shown().find(|(name, _)| *name == "enter_sends");
        assert_eq!(
            serde_json::json!(shown),
            serde_json::json!(["enter_sends", true])
        );
    }
}
