//! The values of a setting as JSON Schema, for the OpenAPI document.

use serde_json::{Value, json};

use super::{LANGUAGES, Setting, ValueType};

impl Setting {
    /// The schema of its values as JSON, with what the row says about them. It admits at least what
    /// [`Setting::accepts`] does.
    pub fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let Some(members) = schema.as_object_mut() {
            if !self.about.is_empty() {
                members.insert("description".to_owned(), json!(self.about));
            }
            if self.since > 0 {
                members.insert("x-since".to_owned(), json!(self.since));
            }
        }
        schema
    }
}

impl ValueType {
    fn schema(self) -> Value {
        match self {
            Self::Bool => json!({"type": "boolean"}),
            Self::NullableBool => json!({"type": ["boolean", "null"]}),
            Self::Integer(low, high) => json!({"type": "integer", "minimum": low, "maximum": high}),
            Self::IntegerOf(allowed) => json!({"enum": allowed}),
            Self::NullableInteger(low, high) => {
                json!({"type": ["integer", "null"], "minimum": low, "maximum": high})
            }
            // Ids have no upper bound that a client could reach.
            Self::IntegerOrOff(_, i64::MAX) => json!({"type": "integer", "minimum": -1}),
            Self::IntegerOrOff(_, high) => {
                json!({"type": "integer", "minimum": -1, "maximum": high})
            }
            Self::Text(limit) => json!({"type": "string", "maxLength": limit}),
            Self::NullableText(limit) => {
                json!({"type": ["string", "null"], "maxLength": limit})
            }
            Self::TextOf(allowed) => json!({"enum": allowed}),
            Self::Language => {
                let codes: Vec<&str> = LANGUAGES.iter().map(|(code, _)| *code).collect();
                json!({"enum": codes})
            }
            Self::TimeZone => json!({"type": "string"}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{REALM, USER, by_name};
    use serde_json::json;

    #[test]
    fn a_schema_says_type_bounds_and_origin() {
        let schema = |table, name| by_name(table, name).unwrap().schema();
        assert_eq!(
            schema(USER, "web_font_size_px"),
            json!({"type": "integer", "minimum": 8, "maximum": 48, "x-since": 245})
        );
        assert_eq!(schema(USER, "color_scheme"), json!({"enum": [1, 2, 3]}));
        assert_eq!(
            schema(USER, "timezone"),
            json!({"type": "string", "description": "Name of the IANA database, or empty"})
        );
        let languages = schema(REALM, "default_language");
        assert!(languages["enum"].as_array().unwrap().contains(&json!("de")));
    }
}
