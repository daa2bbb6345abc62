//! Any JSON at all, shown unchanged.

use super::{Incoming, IncomingCall, Integration, Refusal};

pub(super) const JSON: Integration = Integration {
    name: "json",
    display_name: "JSON formatter",
    event_types: None,
    event_header: None,
    config_options: &[],
    url_options: &[],
    read,
};

fn read(call: &IncomingCall<'_>) -> Result<Option<Incoming>, Refusal> {
    let text = serde_json::to_string_pretty(call.payload)
        .map_err(|_| Refusal::Payload("the payload cannot be shown"))?;
    // No line of JSON begins with a fence, since line breaks in texts are escaped.
    Ok(Some(Incoming {
        topic: "JSON".to_owned(),
        content: format!("```json\n{text}\n```"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_shown() {
        let read = super::super::read(&JSON, "", &json!({"a": "```\n@**all**"}));
        let content = read.unwrap().unwrap().content;
        assert_eq!(content, "```json\n{\n  \"a\": \"```\\n@**all**\"\n}\n```");
    }
}
