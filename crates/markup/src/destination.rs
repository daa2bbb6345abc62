//! Link destinations: the allowed ones, and their form in HTML.
//!
//! Owns the list of schemes: every `href` or `src` with a destination from a user passes [`link_href`] or the
//! checks here. (docs/protocol/markdown.md#links)

use percent_encoding::percent_decode_str;

/// Schemes a link may have, in lower case.
const SCHEMES: &[&str] = &[
    "bitcoin",
    "file",
    "ftp",
    "geo",
    "http",
    "https",
    "im",
    "irc",
    "ircs",
    "magnet",
    "mailto",
    "matrix",
    "mms",
    "news",
    "nntp",
    "openpgp4fpr",
    "sip",
    "sms",
    "smsto",
    "ssh",
    "tel",
    "urn",
    "webcal",
    "wtai",
    "xmpp",
];

/// Longest path id of an upload that is looked up, in bytes.
const LONGEST_PATH: usize = 1000;

/// The `href` for the destination of `[text](destination)`; `None` if it is not allowed.
/// Parameters: the base URL of the organization, without trailing slash.
pub(crate) fn link_href(destination: &str, realm_url: &str) -> Option<String> {
    if destination.is_empty() || destination.chars().any(char::is_control) {
        return None;
    }
    let destination = destination.replace(' ', "%20");
    if let Some(rest) = destination.strip_prefix("//") {
        return Some(format!("http://{rest}"));
    }
    if destination.starts_with(['/', '#']) {
        return Some(destination);
    }
    match scheme(&destination) {
        Some(scheme) => {
            let is_allowed = SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
            is_allowed.then(|| relative_to(&destination, realm_url))
        }
        None if is_email(&destination) => Some(format!("mailto:{destination}")),
        None => Some(format!("http://{destination}")),
    }
}

/// The text before the first colon, if it has the form of a scheme.
fn scheme(destination: &str) -> Option<&str> {
    let end =
        destination.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'))?;
    let (scheme, rest) = destination.split_at(end);
    let begins_well = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins_well && rest.starts_with(':')).then_some(scheme)
}

fn is_email(destination: &str) -> bool {
    let is_name = |part: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
        !part.is_empty() && part.chars().all(is_part)
    };
    destination
        .split_once('@')
        .is_some_and(|(local, domain)| is_name(local) && is_name(domain) && domain.contains('.'))
}

/// Makes URLs of this server's own conversations and uploads relative.
pub(crate) fn relative_to(url: &str, realm_url: &str) -> String {
    url.strip_prefix(realm_url)
        .filter(|_| !realm_url.is_empty())
        .and_then(|path| path.strip_prefix('/'))
        .filter(|path| path.starts_with('#') || path.starts_with("user_uploads/"))
        .unwrap_or(url)
        .to_owned()
}

/// The path id of the upload an `href` points to.
pub(crate) fn upload_of_href(href: &str) -> Option<String> {
    let path = href.strip_prefix('/').unwrap_or(href);
    upload_path_id(path.strip_prefix("user_uploads/")?)
}

/// The path id after `user_uploads/`, such as `2/ab/RANDOM/name.png`, without query and percent-encoding.
pub(crate) fn upload_path_id(path: &str) -> Option<String> {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let path = path.get(..end).filter(|path| path.len() <= LONGEST_PATH)?;
    if !path.chars().all(is_upload_character) {
        return None;
    }
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let is_upload = path.split('/').count() >= 3
        && path
            .split('/')
            .all(|part| !matches!(part, "" | "." | ".." | "thumbnail"))
        && !path.contains(['\\', '"', '<', '>'])
        && !path.chars().any(|c| c.is_control() || c.is_whitespace());
    is_upload.then(|| path.into_owned())
}

/// Whether a character occurs in URLs of uploads; any other ends one in running text.
pub(crate) fn is_upload_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '/' | '.' | '_' | '-' | '~' | '+' | '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    const REALM: &str = "https://chat.example.org";

    #[test]
    fn destinations_are_completed() {
        for (destination, href) in [
            ("foo", "http://foo"),
            ("a@b.com", "mailto:a@b.com"),
            ("/foo", "/foo"),
            ("#x", "#x"),
            ("//e.com", "http://e.com"),
            ("http://e.com/a b", "http://e.com/a%20b"),
            ("MAILTO:a@b.com", "MAILTO:a@b.com"),
            ("https://chat.example.org/#narrow/x", "#narrow/x"),
            (
                "https://chat.example.org/user_uploads/2/a/b.c",
                "user_uploads/2/a/b.c",
            ),
            (
                "https://chat.example.org/other",
                "https://chat.example.org/other",
            ),
        ] {
            assert_eq!(link_href(destination, REALM).as_deref(), Some(href));
        }
    }

    #[test]
    fn other_schemes_are_refused() {
        for destination in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "java\u{1}script:x",
            "foo:80",
            "",
        ] {
            assert_eq!(link_href(destination, REALM), None, "{destination:?}");
        }
    }

    #[test]
    fn uploads_are_recognised() {
        let path = "2/ab/RANDOM/name.png";
        let found = |href: &str| upload_of_href(href);
        assert_eq!(
            found(&format!("/user_uploads/{path}")).as_deref(),
            Some(path)
        );
        assert_eq!(
            found(&format!("user_uploads/{path}?x=1")).as_deref(),
            Some(path)
        );
        let encoded = found("/user_uploads/2/ab/caf%C3%A9.png");
        assert_eq!(encoded.as_deref(), Some("2/ab/café.png"));
        for href in [
            "/user_uploads/thumbnail/2/a/b.png/840x560.webp",
            "/user_uploads/2/../x/y",
            "/user_uploads/2/%2e%2e/x/y",
            "/user_uploads/2/a/<b>",
            "http://e.com/user_uploads/2/a/b",
        ] {
            assert_eq!(found(href), None, "{href}");
        }
    }
}
