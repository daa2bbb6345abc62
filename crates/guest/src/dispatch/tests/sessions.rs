//! Cookies of sessions.

use super::*;

fn in_browser(
    method: &str,
    target: &str,
    cookie: &str,
    headers: &[(&str, &'static str)],
) -> Request {
    let mut request = request(method, target, None, "text=x");
    let all = request.headers_mut();
    all.insert("cookie", cookie.parse().unwrap());
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        all.insert(name, HeaderValue::from_static(value));
    }
    request
}

const OWN: (&str, &str) = ("spindle-client", "web");

#[test]
fn a_cookie_counts_with_the_header_and_alone_where_pages_show_something() {
    let server = Server::new();
    let cookie = server.cookie();
    let status = |method: &str, target: &str, headers: &[(&str, &'static str)]| {
        let answered = server.answer(&in_browser(method, target, &cookie, headers));
        let asks = answered.response.headers().contains_key("www-authenticate");
        (answered.response.status().as_u16(), asks)
    };
    let foreign = ("sec-fetch-site", "cross-site");
    for (method, target) in [("GET", "/thing"), ("POST", "/thing"), ("GET", "/hold")] {
        assert_eq!(status(method, target, &[OWN]), (200, false));
        assert_eq!(status(method, target, &[]), (401, true));
        assert_eq!(status(method, target, &[OWN, foreign]), (401, false));
    }
    assert_eq!(status("GET", "/shown", &[]), (200, false));
    assert_eq!(status("GET", "/shown", &[foreign]), (401, true));
    let nobody = in_browser("GET", "/thing", "x=y", &[OWN]);
    let answered = server.answer(&nobody);
    assert_eq!(answered.response.status(), 401);
    assert!(!answered.response.headers().contains_key("www-authenticate"));
}

#[test]
fn a_session_is_renewed_by_what_is_answered_at_once() {
    let server = Server::new();
    let cookie = server.cookie();
    let later = NOW + 2 * 60 * 60;
    let sets = |target: &str, headers: &[(&str, &'static str)], now: i64| {
        let answered = server.answer_at(&in_browser("GET", target, &cookie, headers), now);
        let set = answered.response.headers().get("set-cookie").cloned();
        set.map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(sets("/thing", &[OWN], NOW), None);
    // Held polls, failures, and pictures.
    assert_eq!(sets("/hold", &[OWN], later), None);
    assert_eq!(sets("/broken", &[OWN], later), None);
    assert_eq!(sets("/shown", &[], later), None);
    let set = sets("/thing", &[OWN], later).unwrap();
    assert!(set.starts_with(&format!("{cookie}; ")), "{set}");
    assert_eq!(sets("/thing", &[OWN], later), None);
}
