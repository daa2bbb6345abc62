//! Changes of plain settings in a request: one parameter for each setting, under its name.
//!
//! Texts are sent as they are, all other types as JSON. The domain's table has the type and the valid
//! values of each setting; actions decide what a change means.

use serde_json::Value;
use spindle_domain::settings::Setting;

use crate::params::json;
use crate::{ApiError, Params};

/// Those of the `offered` settings that the request names, with their new values, by name. Names
/// that are not offered are not read.
///
/// # Errors
/// 400 naming the first setting, by name, whose value is not admitted.
pub fn setting_changes(
    params: &Params<'_>,
    offered: impl IntoIterator<Item = &'static Setting>,
) -> Result<Vec<(&'static str, Value)>, ApiError> {
    let mut sorted: Vec<&'static Setting> = offered.into_iter().collect();
    sorted.sort_unstable_by_key(|setting| setting.name);
    let mut changes = Vec::new();
    for setting in sorted {
        let Some(text) = params.optional_text(setting.name) else {
            continue;
        };
        let value = if setting.is_text() {
            Value::from(text)
        } else {
            json::parse_value(setting.name, text)?
        };
        if !setting.accepts(&value) {
            return Err(ApiError::bad_parameter(
                setting.name,
                "the setting does not take this value",
            ));
        }
        changes.push((setting.name, value));
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use spindle_domain::settings::USER;

    fn changes(query: &str) -> Result<Vec<(&'static str, Value)>, ApiError> {
        let request = http::Request::patch(format!("/api/v1/settings?{query}"))
            .body(Default::default())
            .unwrap();
        setting_changes(&Params::from_request(&request).unwrap(), USER)
    }

    #[test]
    fn text_is_raw_and_the_rest_is_json() {
        let query = "timezone=Europe/Berlin&enter_sends=true&color_scheme=2&unknown=1&\
                     twenty_four_hour_time=null";
        assert_eq!(
            changes(query).unwrap(),
            [
                ("color_scheme", json!(2)),
                ("enter_sends", json!(true)),
                ("timezone", json!("Europe/Berlin")),
                ("twenty_four_hour_time", json!(null)),
            ]
        );
        for wrong in [
            "enter_sends=1",
            "enter_sends=True",
            "color_scheme=%222%22",
            "color_scheme=9",
            "web_home_view=%22inbox%22",
            "timezone=Mars/Phobos",
            "default_language=xx",
        ] {
            assert!(changes(wrong).is_err(), "{wrong}");
        }
    }
}
