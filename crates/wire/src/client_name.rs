//! The name of the program that sends a request, echoed as `client` of its messages.

use spindle_domain::limits::MAX_CLIENT_NAME_LENGTH;
use spindle_domain::text::first_chars;

/// Name used when a request does not say.
pub const UNSPECIFIED: &str = "Unspecified";

/// The first token of `User-Agent`, without a version: `ZulipPython/0.9.1 (...)` is `ZulipPython`
/// (docs/protocol/conventions.md#parameters). No decision may depend on it.
pub fn client_name(user_agent: Option<&str>) -> String {
    let token = user_agent
        .unwrap_or_default()
        .trim()
        .split([' ', '/', '(', ';'])
        .next()
        .unwrap_or_default();
    let token = first_chars(token, MAX_CLIENT_NAME_LENGTH);
    if token.is_empty() || token.chars().any(char::is_control) {
        return UNSPECIFIED.to_owned();
    }
    token.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_without_its_version() {
        assert_eq!(
            client_name(Some("ZulipPython/0.9.1 (Debian; 12)")),
            "ZulipPython"
        );
        assert_eq!(
            client_name(Some("ZulipHelloworldBot")),
            "ZulipHelloworldBot"
        );
        assert_eq!(client_name(Some("curl/8.5.0")), "curl");
        assert_eq!(client_name(Some("  ")), UNSPECIFIED);
        assert_eq!(client_name(Some("(odd)")), UNSPECIFIED);
        assert_eq!(client_name(None), UNSPECIFIED);
        assert_eq!(
            client_name(Some(&"x".repeat(99))).len(),
            MAX_CLIENT_NAME_LENGTH
        );
    }
}
