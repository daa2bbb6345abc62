//! Settings with a plain value: of the organization and of a user.
//!
//! Tables of name, type and default, from which the register response is built, by which changes are checked, and
//! which the OpenAPI document, exports and imports go by. Values that differ from the default are state, in the
//! store. Settings held by a group are in [`crate::permission`].

mod languages;
mod realm;
mod schema;
mod time_zones;
mod user;

pub use languages::{LANGUAGES, language_name};
pub use realm::{EventForm, REALM, SECOND_FACTOR_ROLES, event_form, needs_owner};
pub use time_zones::is_time_zone;
pub use user::{AVAILABLE_NOTIFICATION_SOUNDS, EMOJISETS, USER, is_personal, with_default};

use serde::Serialize;
use serde_json::Value;

use crate::text::{Form, is_longer_than};

/// Value of a setting until it is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum DefaultValue {
    /// JSON null.
    Null,
    /// A boolean.
    Bool(bool),
    Integer(i64),
    /// A string.
    Text(&'static str),
}

/// Type of a setting, with the values it admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// `true` or `false`.
    Bool,
    /// `true`, `false` or null.
    NullableBool,
    /// An integer between the bounds, both included.
    Integer(i64, i64),
    /// One of these integers.
    IntegerOf(&'static [i64]),
    /// An integer between the bounds, or null.
    NullableInteger(i64, i64),
    /// An integer between the bounds, or -1, which switches something off.
    IntegerOrOff(i64, i64),
    /// Text of at most this many code points.
    Text(usize),
    /// Text of at most this many code points, or null.
    NullableText(usize),
    /// One of these words.
    TextOf(&'static [&'static str]),
    /// The code of one of [`LANGUAGES`].
    Language,
    /// The name of a time zone, or nothing.
    TimeZone,
}

/// One setting: a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Wire name; settings of the organization without the prefix `realm_`.
    pub name: &'static str,
    /// Type and admitted values.
    pub kind: ValueType,
    /// Value until it is changed.
    pub default: DefaultValue,
    /// The feature level that brought it; 0 when it is older than feature levels or than their record of it.
    pub since: i64,
    /// A description of its values for clients; empty when the type is enough.
    pub about: &'static str,
    /// Of a user: the organization has no default of its own for it.
    pub is_personal: bool,
    /// A user's own: administrators cannot change it for others, because it decides what others learn about its owner
    /// or what the owner is sent.
    pub is_protected: bool,
    /// Of the organization: only owners change it.
    pub needs_owner: bool,
    /// Of the organization: the event that broadcasts a change.
    pub event_form: EventForm,
}

impl Setting {
    /// The defaults of a row.
    const NEW: Self = Self {
        name: "",
        kind: ValueType::Bool,
        default: DefaultValue::Null,
        since: 0,
        about: "",
        is_personal: false,
        is_protected: false,
        needs_owner: false,
        event_form: EventForm::Update,
    };

    const fn since(mut self, feature_level: i64) -> Self {
        self.since = feature_level;
        self
    }

    const fn about(mut self, text: &'static str) -> Self {
        self.about = text;
        self
    }

    const fn personal(mut self) -> Self {
        self.is_personal = true;
        self
    }

    const fn protected(mut self) -> Self {
        self.is_protected = true;
        self
    }

    const fn for_owners(mut self) -> Self {
        self.needs_owner = true;
        self
    }

    const fn in_update_dict(mut self) -> Self {
        self.event_form = EventForm::UpdateDict;
        self
    }

    pub fn default_json(&self) -> Value {
        match self.default {
            DefaultValue::Null => Value::Null,
            DefaultValue::Bool(value) => Value::Bool(value),
            DefaultValue::Integer(value) => Value::from(value),
            DefaultValue::Text(value) => Value::from(value),
        }
    }

    /// Whether a value travels as plain text; otherwise it travels as JSON.
    pub const fn is_text(&self) -> bool {
        matches!(
            self.kind,
            ValueType::Text(_)
                | ValueType::NullableText(_)
                | ValueType::TextOf(_)
                | ValueType::Language
                | ValueType::TimeZone
        )
    }

    /// Whether the setting may take this value.
    pub fn accepts(&self, value: &Value) -> bool {
        match self.kind {
            ValueType::Bool => value.is_boolean(),
            ValueType::NullableBool => value.is_boolean() || value.is_null(),
            ValueType::Integer(low, high) => is_between(value, low, high),
            ValueType::NullableInteger(low, high) => {
                value.is_null() || is_between(value, low, high)
            }
            ValueType::IntegerOrOff(low, high) => {
                value.as_i64() == Some(-1) || is_between(value, low, high)
            }
            ValueType::IntegerOf(allowed) => value.as_i64().is_some_and(|n| allowed.contains(&n)),
            ValueType::Language => value
                .as_str()
                .is_some_and(|code| language_name(code).is_some()),
            ValueType::TimeZone => value
                .as_str()
                .is_some_and(|name| name.is_empty() || is_time_zone(name)),
            ValueType::Text(limit) => is_text(value, limit),
            ValueType::NullableText(limit) => value.is_null() || is_text(value, limit),
            ValueType::TextOf(allowed) => {
                value.as_str().is_some_and(|text| allowed.contains(&text))
            }
        }
    }
}

fn is_text(value: &Value, limit: usize) -> bool {
    value
        .as_str()
        .is_some_and(|text| !is_longer_than(text, limit) && Form::Block.accept(text).is_ok())
}

fn is_between(value: &Value, low: i64, high: i64) -> bool {
    value.as_i64().is_some_and(|n| (low..=high).contains(&n))
}

const fn boolean(name: &'static str, default: bool) -> Setting {
    Setting {
        name,
        kind: ValueType::Bool,
        default: DefaultValue::Bool(default),
        ..Setting::NEW
    }
}

const fn integer(name: &'static str, low: i64, high: i64, default: i64) -> Setting {
    Setting {
        name,
        kind: ValueType::Integer(low, high),
        default: DefaultValue::Integer(default),
        ..Setting::NEW
    }
}

const fn integer_of(name: &'static str, allowed: &'static [i64], default: i64) -> Setting {
    Setting {
        name,
        kind: ValueType::IntegerOf(allowed),
        default: DefaultValue::Integer(default),
        ..Setting::NEW
    }
}

const fn text(name: &'static str, limit: usize, default: &'static str) -> Setting {
    Setting {
        name,
        kind: ValueType::Text(limit),
        default: DefaultValue::Text(default),
        ..Setting::NEW
    }
}

const fn text_of(
    name: &'static str,
    allowed: &'static [&'static str],
    default: &'static str,
) -> Setting {
    Setting {
        name,
        kind: ValueType::TextOf(allowed),
        default: DefaultValue::Text(default),
        ..Setting::NEW
    }
}

const fn language(name: &'static str, default: &'static str) -> Setting {
    Setting {
        name,
        kind: ValueType::Language,
        default: DefaultValue::Text(default),
        ..Setting::NEW
    }
}

const fn time_zone(name: &'static str) -> Setting {
    Setting {
        name,
        kind: ValueType::TimeZone,
        default: DefaultValue::Text(""),
        ..Setting::NEW
    }
}

/// The entry of a table with this wire name.
pub fn by_name(table: &'static [Setting], name: &str) -> Option<&'static Setting> {
    table.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_default_is_a_value_that_the_setting_accepts() {
        for table in [REALM, USER] {
            let mut names: Vec<_> = table.iter().map(|setting| setting.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.len());
            for setting in table {
                assert!(setting.accepts(&setting.default_json()), "{}", setting.name);
            }
        }
    }

    #[test]
    fn values_of_another_type_or_range_are_refused() {
        let check = |table, name: &str, value: Value| by_name(table, name).unwrap().accepts(&value);
        assert!(check(USER, "color_scheme", json!(2)));
        assert!(!check(USER, "color_scheme", json!(4)));
        assert!(!check(USER, "color_scheme", json!("2")));
        assert!(!check(USER, "color_scheme", json!(2.0)));
        assert!(check(USER, "twenty_four_hour_time", json!(null)));
        assert!(!check(USER, "starred_message_counts", json!(null)));
        assert!(!check(USER, "emojiset", json!("apple")));
        assert!(check(
            REALM,
            "message_content_delete_limit_seconds",
            json!(null)
        ));
        assert!(!check(
            REALM,
            "message_content_delete_limit_seconds",
            json!(0)
        ));
        assert!(check(USER, "default_language", json!("pt-br")));
        assert!(!check(USER, "default_language", json!("tlh")));
        assert!(check(USER, "timezone", json!("")));
        assert!(!check(USER, "timezone", json!("Mars/Phobos")));
        assert!(!check(REALM, "name", json!("x".repeat(41))));
        for (days, accepted) in [(-1, true), (0, false), (1, true), (-2, false)] {
            let value = json!(days);
            assert_eq!(check(REALM, "message_retention_days", value), accepted);
        }
        assert!(check(REALM, "jitsi_server_url", json!(null)));
        assert!(!check(REALM, "jitsi_server_url", json!(1)));
    }

    #[test]
    fn rows_say_what_applies_to_their_table() {
        for setting in USER {
            assert!(!setting.needs_owner, "{}", setting.name);
            assert_eq!(setting.event_form, EventForm::Update, "{}", setting.name);
        }
        for setting in REALM {
            assert!(!setting.is_personal, "{}", setting.name);
            assert!(!setting.is_protected, "{}", setting.name);
        }
        for setting in USER.iter().chain(REALM) {
            let levels = 0..=crate::feature_level::FEATURE_LEVEL;
            assert!(levels.contains(&setting.since), "{}", setting.name);
        }
    }

    #[test]
    fn what_concerns_others_is_protected_and_what_is_personal_has_no_default() {
        let names = |rule: fn(&Setting) -> bool| -> Vec<&str> {
            let rows = USER.iter().filter(|setting| rule(setting));
            rows.map(|setting| setting.name).collect()
        };
        assert_eq!(
            names(|setting| setting.is_personal),
            ["allow_private_data_export", "timezone"]
        );
        assert_eq!(
            names(|setting| setting.is_protected),
            [
                "presence_enabled",
                "allow_private_data_export",
                "email_address_visibility",
                "enable_digest_emails",
                "enable_login_emails",
                "enable_marketing_emails",
                "send_private_typing_notifications",
                "send_read_receipts",
                "send_stream_typing_notifications",
            ]
        );
    }

    #[test]
    fn a_language_has_one_name() {
        let codes = LANGUAGES.iter().map(|(code, _)| *code);
        let distinct: std::collections::BTreeSet<&str> = codes.collect();
        assert_eq!(distinct.len(), LANGUAGES.len());
    }

    #[test]
    fn a_group_permission_is_not_also_a_plain_setting() {
        for permission in crate::permission::REALM {
            assert!(
                by_name(REALM, permission.name).is_none(),
                "{}",
                permission.name
            );
        }
    }

    #[test]
    fn keys_that_strict_clients_insist_on_are_there() {
        for name in [
            "starred_message_counts",
            "display_emoji_reaction_users",
            "emojiset",
            "presence_enabled",
            "send_private_typing_notifications",
            "twenty_four_hour_time",
            "pm_content_in_desktop_notifications",
        ] {
            assert!(by_name(USER, name).is_some(), "{name}");
        }
        for name in [
            "waiting_period_threshold",
            "allow_message_editing",
            "enable_read_receipts",
            "presence_disabled",
            "message_retention_days",
            "topics_policy",
        ] {
            assert!(by_name(REALM, name).is_some(), "{name}");
        }
    }
}
