//! The name of a browser and its system, for a user's list of sessions.
//!
//! Browsers name others in their `User-Agent`, so the order of the tables decides. No decision may depend
//! on the result.

use crate::client_name;
use spindle_domain::limits::MAX_SESSION_CLIENT_LENGTH;
use spindle_domain::text::first_chars;

/// A part of the header, and the browser that sends it.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// The same for systems.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// `Firefox on Linux`; for other programs, their name.
pub fn browser_name(user_agent: Option<&str>) -> String {
    let text = user_agent.unwrap_or_default();
    let find = |table: &[(&str, &'static str)]| {
        let found = table.iter().find(|(part, _)| text.contains(part));
        found.map(|(_, name)| *name)
    };
    let name = match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => client_name(user_agent),
    };
    first_chars(&name, MAX_SESSION_CLIENT_LENGTH).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_by_what_only_they_say() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (system, rest, name) in [
            (
                "X11; Linux x86_64; rv:140.0",
                "Gecko/20100101 Firefox/140.0",
                "Firefox on Linux",
            ),
            (
                "Windows NT 10.0; Win64; x64",
                "Chrome/150.0 Safari/537.36",
                "Chrome on Windows",
            ),
            (
                "Windows NT 10.0",
                "Chrome/150.0 Safari/537.36 Edg/150.0",
                "Edge on Windows",
            ),
            (
                "Linux; Android 15; K",
                "Chrome/150.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Macintosh; Intel Mac OS X 10_15_7",
                "Version/18.0 Safari/605.1",
                "Safari on macOS",
            ),
            (
                "iPhone; CPU iPhone OS 18_0 like Mac OS X",
                "CriOS/150.0 Mobile/15E148 Safari/604.1",
                "Chrome on iPhone",
            ),
            ("odd", "Firefox/1", "Firefox"),
        ] {
            let text = format!("Mozilla/5.0 ({system}) {webkit} {rest}");
            assert_eq!(browser_name(Some(&text)), name);
        }
    }

    #[test]
    fn others_have_a_name_of_bounded_length() {
        assert_eq!(browser_name(Some("curl/8.5.0")), "curl");
        assert_eq!(browser_name(None), "Unspecified");
        let long = "x".repeat(999);
        assert!(browser_name(Some(&long)).len() <= MAX_SESSION_CLIENT_LENGTH);
    }
}
