//! Headers that must not pass between clients and components.
//!
//! Hop-by-hop headers belong to one connection; `spin-*` and `x-spindle-*` belong to
//! the host, so they are removed from requests of clients. Also finds the client's
//! address behind trusted proxies. Decides nothing about routes or limits.

use super::FrontError;
use http::header::{
    AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, ORIGIN, TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, Request};
use ipnet::IpNet;
use spindle_wire::internal::headers::is_internal;
use spindle_wire::session_cookie;
use std::net::IpAddr;

/// Longest request head that is accepted, in bytes: names and values.
pub(super) const MAX_HEADERS: usize = 8 << 10;
/// Longest path with query, in bytes.
const MAX_TARGET: usize = 8 << 10;

/// Refuses requests that could be read in more than one way.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), FrontError> {
    let target = request.uri().path_and_query().map_or("", |p| p.as_str());
    let (mut size, mut lengths, mut authorizations) = (0, 0, 0);
    let mut is_only_chunked = true;
    for (name, value) in request.headers() {
        size += name.as_str().len() + value.len() + 4;
        lengths += usize::from(*name == CONTENT_LENGTH);
        authorizations += usize::from(*name == AUTHORIZATION);
        is_only_chunked &=
            *name != TRANSFER_ENCODING || value.as_bytes().eq_ignore_ascii_case(b"chunked");
    }
    if size > MAX_HEADERS || target.len() > MAX_TARGET {
        return Err(FrontError::HeadersTooLarge);
    }
    if lengths > 1 {
        return Err(FrontError::Malformed(
            "The length of the body is given twice",
        ));
    }
    // A proxy may interpret a list of codings differently.
    if !is_only_chunked {
        return Err(FrontError::Malformed("The only transfer coding is chunked"));
    }
    if authorizations > 1 {
        return Err(FrontError::TwoAuthorizations);
    }
    Ok(())
}

/// Removes headers of the connection, including the ones that `Connection` names.
pub(super) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    // Nearly always there is nothing to remove: check first.
    if !headers.keys().any(is_hop_by_hop) {
        return;
    }
    // A client must not get rid of headers that decide about access.
    const KEPT: [HeaderName; 7] = [
        AUTHORIZATION,
        HOST,
        CONTENT_LENGTH,
        COOKIE,
        ORIGIN,
        session_cookie::CLIENT,
        session_cookie::FETCH_SITE,
    ];
    let listed = headers.get_all(CONNECTION).iter();
    let listed = listed
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok())
        .filter(|name| !KEPT.contains(name));
    let own = headers.keys().filter(|name| is_hop_by_hop(name)).cloned();
    let names: Vec<HeaderName> = listed.chain(own).collect();
    for name in names {
        headers.remove(name);
    }
}

fn is_hop_by_hop(name: &HeaderName) -> bool {
    matches!(
        name.as_str(),
        "connection"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
            | "expect"
            | "keep-alive"
            | "proxy-authenticate"
            | "proxy-authorization"
            | "proxy-connection"
    )
}

/// Removes the host's headers, which a client may have made up or an answer has for the host, and returns them.
pub(super) fn take_internal(headers: &mut HeaderMap) -> HeaderMap {
    let names: Vec<HeaderName> = headers.keys().filter(|n| is_internal(n)).cloned().collect();
    let mut taken = HeaderMap::new();
    for name in names {
        if let Some(value) = headers.remove(&name) {
            taken.insert(name, value);
        }
    }
    taken
}

/// The address of the client: the peer, or, when the peer is a trusted proxy,
/// the last address in `X-Forwarded-For` that is not one.
pub(super) fn client_address(headers: &HeaderMap, peer: IpAddr, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    let peer = peer.to_canonical();
    if !is_trusted(peer) {
        return peer;
    }
    let mut address = peer;
    let forwarded = headers.get_all("x-forwarded-for").iter().rev();
    let hops = forwarded
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.rsplit(','));
    for hop in hops {
        let Ok(hop) = hop.trim().parse::<IpAddr>() else {
            return address;
        };
        address = hop.to_canonical();
        if !is_trusted(address) {
            return address;
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&str, &str)]) -> Request<()> {
        let mut builder = Request::get("/a?b").header("host", "h");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(()).unwrap()
    }

    #[test]
    fn ambiguous_requests_are_refused() {
        assert_eq!(check(&request(&[])), Ok(()));
        let bad: &[&[(&str, &str)]] = &[
            &[("content-length", "1"), ("content-length", "2")],
            &[("authorization", "a"), ("authorization", "b")],
            &[("x", &"y".repeat(9000))],
        ];
        for headers in bad {
            assert!(check(&request(headers)).is_err(), "{headers:?}");
        }
    }

    #[test]
    fn words_of_the_host_and_of_the_connection_do_not_pass() {
        let mut request = request(&[
            ("Spin-Client-Addr", "1"),
            ("X-Spindle-Host", "1"),
            (
                "connection",
                "close, x-mine, authorization, origin, sec-fetch-site",
            ),
            ("origin", "http://h"),
            ("sec-fetch-site", "cross-site"),
            ("x-mine", "1"),
            ("authorization", "Basic x"),
            ("te", "trailers"),
            ("keep-alive", "1"),
            ("x-spindleless", "1"),
        ]);
        strip_hop_by_hop(request.headers_mut());
        take_internal(request.headers_mut());
        let mut left: Vec<&str> = request.headers().keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        let kept = [
            "authorization",
            "host",
            "origin",
            "sec-fetch-site",
            "x-spindleless",
        ];
        assert_eq!(left, kept);
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let mut headers = HeaderMap::new();
        headers.insert(
            "x-forwarded-for",
            "9.9.9.9, 8.8.8.8, 10.0.0.2".parse().unwrap(),
        );
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let proxy: IpAddr = "10.0.0.1".parse().unwrap();
        let stranger: IpAddr = "7.7.7.7".parse().unwrap();
        assert_eq!(
            client_address(&headers, proxy, &trusted).to_string(),
            "8.8.8.8"
        );
        assert_eq!(client_address(&headers, stranger, &trusted), stranger);
        assert_eq!(client_address(&headers, proxy, &[]), proxy);
    }
}
