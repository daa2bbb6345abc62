//! The cookie of a session, and the headers in which a browser names the origin of a request.
//!
//! Owns the names, the shape and the attributes of the cookie, and the comparison of origins. Actions
//! find the account of a token; `spindle_guest` decides which operations accept a cookie. A token must
//! never be logged.

use http::header::{COOKIE, HOST, HeaderName, HeaderValue, InvalidHeaderValue, ORIGIN};
use http::uri::{Authority, Uri};
use http::{HeaderMap, Request};

/// The header that this server's own client sends with each request. Pages of other origins cannot
/// send it: browsers send a preflight request first, which this server refuses.
pub const CLIENT: HeaderName = HeaderName::from_static("spindle-client");

/// The relation of the requesting page to this server, as browsers report it.
pub const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// All headers that decide whether the cookie of a request counts.
pub const CSRF_HEADERS: [HeaderName; 5] = [COOKIE, CLIENT, FETCH_SITE, ORIGIN, HOST];

/// Length of a token: 256 random bits in hexadecimal.
pub const TOKEN_LENGTH: usize = 64;

const PLAIN: &str = "spindle_session";
/// Browsers take this name only over TLS, from this host itself, for the whole of it: no other host of
/// the same domain can set it.
const HOST_ONLY: &str = "__Host-spindle_session";

/// The token of the request's cookie, if it has one of the right shape. Over TLS only the name counts
/// that no other host can set.
pub fn token(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    let host_only = find(headers, HOST_ONLY);
    if is_secure {
        return host_only;
    }
    host_only.or_else(|| find(headers, PLAIN))
}

fn find<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    values(headers, name).find(|value| is_token(value))
}

/// The values of the cookies of this name.
pub(crate) fn values<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    // HTTP/2 may send each cookie in a header of its own.
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(move |(found, _)| *found == name)
        .map(|(_, value)| value)
}

/// Whether a text has the shape of a token, of a session or of a sign-in link.
pub fn is_token(text: &str) -> bool {
    text.len() == TOKEN_LENGTH
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// `Set-Cookie` for a session that lives for `seconds` more.
///
/// # Errors
/// The token is none.
pub fn set(token: &str, seconds: i64, is_secure: bool) -> Result<HeaderValue, InvalidHeaderValue> {
    let (name, end) = match is_secure {
        true => (HOST_ONLY, "; Secure"),
        false => (PLAIN, ""),
    };
    let text = format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{end}");
    let mut value = HeaderValue::try_from(text)?;
    value.set_sensitive(true);
    Ok(value)
}

/// `Set-Cookie` that makes a browser forget the cookie.
pub fn forget(is_secure: bool) -> HeaderValue {
    HeaderValue::from_static(match is_secure {
        true => "__Host-spindle_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
        false => "spindle_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
    })
}

/// Whether the request is of this server's own client.
pub fn is_of_own_client(headers: &HeaderMap) -> bool {
    headers.get(CLIENT).is_some_and(|value| !value.is_empty())
}

/// Whether clients reach the server over TLS: by its configured address, or by this connection.
/// `external_url` is empty where none is configured.
pub fn is_secure<B>(request: &Request<B>, external_url: &str) -> bool {
    let is_https = |scheme: &str| scheme.eq_ignore_ascii_case("https");
    let configured = external_url.split_once("://");
    configured.is_some_and(|(scheme, _)| is_https(scheme))
        || request.uri().scheme_str().is_some_and(is_https)
}

/// Whether no header contradicts that the request comes from a page of this server, or directly
/// from the user. Browsers without TLS, and old ones, send no such header.
pub fn is_same_origin<B>(request: &Request<B>, external_url: &str) -> bool {
    let headers = request.headers();
    let is_own_site = |value: &HeaderValue| matches!(value.as_bytes(), b"same-origin" | b"none");
    headers.get_all(FETCH_SITE).iter().all(is_own_site)
        && headers
            .get_all(ORIGIN)
            .iter()
            .all(|origin| is_own_origin(origin, request, external_url))
}

/// Whether an `Origin` is the server's: by its configured address, or the host that the request names.
/// Behind a proxy that ends TLS the scheme of the request is another one, so only hosts are compared.
fn is_own_origin<B>(origin: &HeaderValue, request: &Request<B>, external_url: &str) -> bool {
    let Some((scheme, authority)) = origin.to_str().ok().and_then(origin_of) else {
        return false;
    };
    if origin_of(external_url).is_some_and(|own| own == (scheme, authority.clone())) {
        return true;
    }
    let uri = request.uri().authority().map(Authority::as_str);
    let host = request.headers().get(HOST);
    let named = uri.or_else(|| host.and_then(|host| host.to_str().ok()));
    named.is_some_and(|named| without_default_port(&named.to_ascii_lowercase()) == authority)
}

/// Whether the scheme is https, and the host with its port, of an address.
fn origin_of(address: &str) -> Option<(bool, String)> {
    let uri: Uri = address.parse().ok()?;
    let is_https = match uri.scheme_str()? {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    let authority = uri.authority()?.as_str().to_ascii_lowercase();
    Some((is_https, without_default_port(&authority).to_owned()))
}

fn without_default_port(authority: &str) -> &str {
    authority
        .strip_suffix(":443")
        .or_else(|| authority.strip_suffix(":80"))
        .unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn request(uri: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut builder = Request::get(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(()).unwrap()
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let two = ONE.replace('0', "f");
        let of = |cookies: &[&str]| {
            let pairs: Vec<_> = cookies.iter().map(|text| ("cookie", *text)).collect();
            request("/", &pairs)
        };
        let plain = format!("a=b; spindle_session={ONE};c=d");
        let host_only = format!("__Host-spindle_session={two}");
        for (cookies, open, secure) in [
            (vec![plain.as_str()], Some(ONE), None),
            (vec!["x=y", &host_only], Some(&*two), Some(&*two)),
            (vec![&plain, &host_only], Some(&*two), Some(&*two)),
            (vec!["spindle_session=short", &plain], Some(ONE), None),
            (vec!["spindle_session="], None, None),
            (vec![], None, None),
        ] {
            let request = of(&cookies);
            assert_eq!(token(request.headers(), false), open, "{cookies:?}");
            assert_eq!(token(request.headers(), true), secure, "{cookies:?}");
        }
        assert!(!is_token(&ONE.to_ascii_uppercase()));
        assert!(!is_token(&format!("{ONE}0")));
    }

    #[test]
    fn its_attributes() {
        let plain = set(ONE, 60, false).unwrap();
        assert_eq!(
            plain,
            format!("spindle_session={ONE}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax").as_str()
        );
        assert!(!format!("{plain:?}").contains(ONE), "it may be logged");
        let secure = set(ONE, 60, true).unwrap();
        let secure = secure.to_str().unwrap();
        assert!(secure.starts_with("__Host-spindle_session="), "{secure}");
        assert!(
            secure.ends_with("; HttpOnly; SameSite=Lax; Secure"),
            "{secure}"
        );
        for is_secure in [true, false] {
            let forgotten = forget(is_secure);
            assert!(forgotten.to_str().unwrap().contains("Max-Age=0"));
        }
    }

    #[test]
    fn tls_is_that_of_the_address_or_of_the_connection() {
        for (uri, external, expected) in [
            ("http://h/", "", false),
            ("https://h/", "", true),
            ("http://h/", "https://chat.example.org", true),
            ("http://h/", "http://h", false),
            ("/", "", false),
        ] {
            let request = request(uri, &[]);
            assert_eq!(is_secure(&request, external), expected, "{uri} {external}");
        }
    }

    #[test]
    fn pages_of_others_are_told_by_what_browsers_say() {
        let external = "https://chat.example.org";
        for (headers, expected) in [
            (&[][..], true),
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "")], false),
            (
                &[
                    ("sec-fetch-site", "same-origin"),
                    ("sec-fetch-site", "cross-site"),
                ],
                false,
            ),
            (&[("origin", "http://host:3000")], true),
            (&[("origin", "https://HOST:3000")], true),
            (&[("origin", "https://chat.example.org")], true),
            (&[("origin", "https://chat.example.org:443")], true),
            (&[("origin", "http://chat.example.org")], false),
            (&[("origin", "http://host")], false),
            (&[("origin", "http://host:3001")], false),
            (&[("origin", "https://evil.example")], false),
            (&[("origin", "null")], false),
            (&[("origin", "")], false),
            (
                &[("origin", "http://host:3000"), ("origin", "http://evil")],
                false,
            ),
            (
                &[
                    ("sec-fetch-site", "same-origin"),
                    ("origin", "https://evil.example"),
                ],
                false,
            ),
        ] {
            let request = request("http://host:3000/x", headers);
            assert_eq!(is_same_origin(&request, external), expected, "{headers:?}");
        }
        let bare = request("/x", &[("host", "Host"), ("origin", "https://host")]);
        assert!(is_same_origin(&bare, ""));
    }

    #[test]
    fn an_empty_header_is_no_client() {
        assert!(is_of_own_client(
            request("/", &[("spindle-client", "web")]).headers()
        ));
        assert!(!is_of_own_client(
            request("/", &[("spindle-client", "")]).headers()
        ));
        assert!(!is_of_own_client(request("/", &[]).headers()));
    }
}
