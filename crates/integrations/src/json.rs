//! JSON of any service, shown as it is.

use crate::{Call, Integration, Message, Outcome};

pub(crate) static JSON: Integration = Integration {
    name: "json",
    display_name: "JSON formatter",
    setup: r#"curl
curl -H "Content-Type: application/json" -d '{"build": 7}' "ADDRESS""#,
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    match serde_json::to_string_pretty(call.body) {
        // No line of JSON begins with a fence, since line breaks in texts are escaped.
        Ok(text) => Message::new("", "JSON", [&*format!("```json\n{text}\n```")]).into(),
        Err(_) => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::JSON;
    use crate::testing::message;

    #[test]
    fn json_is_shown_and_cannot_end_its_block() {
        let said = message(&JSON, &[], &json!({"a": "```\n@**all**"}));
        assert_eq!(said.topic, "JSON");
        assert_eq!(
            said.content,
            "```json\n{\n  \"a\": \"```\\n@**all**\"\n}\n```"
        );
        let said = message(&JSON, &[], &json!([1]));
        assert_eq!(said.content, "```json\n[\n  1\n]\n```");
    }
}
