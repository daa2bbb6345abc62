//! Content negotiation: whether a client accepts compressed answers (`Accept-Encoding`, RFC 9110,
//! 12.5.3).
//!
//! Owns the parsing of that header.

use http::header::{ACCEPT_ENCODING, RANGE};
use http::{HeaderMap, Method, Request};

/// The content coding for the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Uncompressed whatever the client accepts: the request is HEAD, or for a range.
    Untouched,
    /// Uncompressed, because the client prefers that.
    Identity,
    /// Compressed with gzip.
    Gzip,
}

impl Coding {
    /// The coding that a request accepts.
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        let headers = request.headers();
        if *request.method() == Method::HEAD || headers.contains_key(RANGE) {
            Self::Untouched
        } else if takes_gzip(headers) {
            Self::Gzip
        } else {
            Self::Identity
        }
    }
}

/// Whether gzip is acceptable and has at least the weight of `identity`. Without the header, the
/// answer is not compressed.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut identity, mut others) = (None, None, None);
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let codings = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    for coding in codings {
        let mut parts = coding.split(';').map(str::trim);
        let weighed = match parts.next().unwrap_or_default() {
            "*" => &mut others,
            name if is(name, "gzip") || is(name, "x-gzip") => &mut gzip,
            name if is(name, "identity") => &mut identity,
            _ => continue,
        };
        *weighed = Some(weight(parts.next()));
    }
    let gzip = gzip.or(others).unwrap_or_default();
    let identity = identity.or(others).unwrap_or_default();
    gzip > 0.0 && gzip >= identity
}

fn is(name: &str, coding: &str) -> bool {
    name.eq_ignore_ascii_case(coding)
}

/// The weight of a coding: 1 without a parameter, 0 where the parameter cannot be read.
fn weight(parameter: Option<&str>) -> f32 {
    let Some(parameter) = parameter else {
        return 1.0;
    };
    let value = parameter.split_once('=');
    let value = value.filter(|(name, _)| is(name.trim(), "q"));
    let weight = value.and_then(|(_, value)| value.trim().parse::<f32>().ok());
    weight
        .filter(|weight| (0.0..=1.0).contains(weight))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coding(method: &str, headers: &[(&str, &str)]) -> Coding {
        let mut request = Request::builder().method(method).uri("/x");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Coding::of(&request.body(()).unwrap())
    }

    #[test]
    fn weights_decide() {
        for (accepted, expected) in [
            ("gzip", true),
            ("gzip, deflate, br", true),
            ("GZip;Q=0.3", true),
            ("x-gzip", true),
            ("br;q=1.0, gzip;q=0.8, *;q=0.1", true),
            ("*", true),
            ("*;q=0.5", true),
            ("identity;q=0.5, *;q=0.5", true),
            ("identity;q=0, gzip;q=0.1", true),
            ("deflate, br", false),
            ("", false),
            ("identity", false),
            ("gzip;q=0", false),
            ("gzip;q=0.000, *", false),
            ("*;q=0", false),
            ("identity, gzip;q=0.5", false),
            ("gzip;q=0.1, *;q=0.5", false),
            ("gzip;q=", false),
            ("gzip;q=2", false),
            ("gzip;q=nan", false),
            ("gzip;level=1", false),
            ("notgzip", false),
        ] {
            let found = coding("GET", &[("accept-encoding", accepted)]);
            let wanted = if expected {
                Coding::Gzip
            } else {
                Coding::Identity
            };
            assert_eq!(found, wanted, "{accepted}");
        }
    }

    #[test]
    fn several_headers_are_one_list_and_none_is_no_wish() {
        let gzip = ("accept-encoding", "gzip;q=0.5");
        let identity = ("accept-encoding", "identity;q=0.7");
        assert_eq!(coding("POST", &[gzip]), Coding::Gzip);
        assert_eq!(coding("POST", &[gzip, identity]), Coding::Identity);
        assert_eq!(coding("GET", &[]), Coding::Identity);
    }

    #[test]
    fn heads_and_ranges_are_not_touched() {
        let gzip = ("accept-encoding", "gzip");
        assert_eq!(coding("HEAD", &[gzip]), Coding::Untouched);
        let range = ("range", "bytes=0-9");
        assert_eq!(coding("GET", &[gzip, range]), Coding::Untouched);
    }
}
