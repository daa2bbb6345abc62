//! The key of an incoming webhook, which is a parameter of the address (docs/protocol/bots.md#receive_webhook).

use http::Uri;

const PATH: &str = "/api/v1/external/";
const PARAMETER: &str = "api_key=";

/// The key in the URL of an incoming webhook, undecoded: it identifies the caller for rate limits, and does not
/// authenticate.
#[must_use]
pub fn webhook_key(uri: &Uri) -> Option<&str> {
    let query = uri.query().filter(|_| uri.path().starts_with(PATH))?;
    let key = query
        .split('&')
        .find_map(|part| part.strip_prefix(PARAMETER))?;
    Some(key).filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_the_address_of_a_webhook_only() {
        for (uri, key) in [
            (
                "/api/v1/external/github?stream=x&api_key=abc&topic=y",
                Some("abc"),
            ),
            ("http://x/api/v1/external/json?api_key=abc", Some("abc")),
            ("/api/v1/external/json?api_key=", None),
            ("/api/v1/external/json?key=abc", None),
            ("/api/v1/external/json", None),
            ("/api/v1/messages?api_key=abc", None),
        ] {
            assert_eq!(webhook_key(&Uri::from_static(uri)), key, "{uri}");
        }
    }
}
