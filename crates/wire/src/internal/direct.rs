//! Requests and responses as flat bytes, for calls between the native host and a component that use no
//! resources, streams or futures (`docs/adr/0046-a-direct-call.md`).
//!
//! Every text and the body are preceded by their lengths, all numbers have four bytes, the lowest first. A change to
//! this format is a new version of `spindle:direct` in `host/wit`. Reading never panics, whatever the bytes are; texts
//! are slices of what was read.

use crate::{Request, Response};
use bytes::{Buf, Bytes};
use http::header::HOST;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};

/// The largest body that comes with its head. The host makes room for larger ones before it asks for them.
pub const LARGEST_BESIDE_HEAD: usize = 16 << 10;

/// A response as the host gets it.
#[derive(Debug)]
pub enum Answer {
    /// With its body.
    Whole(Response),
    /// The head without its body, which has this many bytes.
    Head(Response, usize),
}

/// A request in bytes. The target names the host, and `Host` may name another one (RFC 9112, 3.2.2), so
/// that header is left out, as through WASI HTTP.
#[must_use]
pub fn from_request(head: &Parts, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512 + body.len());
    put(&mut bytes, head.method.as_str().as_bytes());
    put_uri(&mut bytes, &head.uri);
    let is_host = |name: &HeaderName| head.uri.authority().is_some() && name == HOST;
    put_headers(&mut bytes, &head.headers, is_host);
    bytes.extend_from_slice(body);
    bytes
}

/// The request in `bytes`; `None` when there is none.
#[must_use]
pub fn to_request(bytes: Bytes) -> Option<Request> {
    let mut rest = bytes;
    let method = Method::from_bytes(&text(&mut rest)?).ok()?;
    let uri = Uri::from_maybe_shared(text(&mut rest)?).ok()?;
    let headers = headers(&mut rest)?;
    let mut request = Request::new(rest);
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    Some(request)
}

/// A response in bytes, and its body when that is too large to come with them.
#[must_use]
pub fn from_response(response: Response) -> (Vec<u8>, Option<Bytes>) {
    let (head, body) = response.into_parts();
    let is_small = body.len() <= LARGEST_BESIDE_HEAD;
    let mut bytes = Vec::with_capacity(512 + if is_small { body.len() } else { 0 });
    put_number(&mut bytes, usize::from(head.status.as_u16()));
    put_number(&mut bytes, body.len());
    put_headers(&mut bytes, &head.headers, |_| false);
    if !is_small {
        return (bytes, Some(body));
    }
    bytes.extend_from_slice(&body);
    (bytes, None)
}

/// The response in `bytes`; `None` when there is none.
#[must_use]
pub fn to_response(bytes: Bytes) -> Option<Answer> {
    let mut rest = bytes;
    let status = u16::try_from(number(&mut rest)?).ok()?;
    let status = StatusCode::from_u16(status).ok()?;
    let length = number(&mut rest)?;
    let headers = headers(&mut rest)?;
    let is_small = length <= LARGEST_BESIDE_HEAD;
    if rest.len() != if is_small { length } else { 0 } {
        return None;
    }
    let mut response = Response::new(rest);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Some(match is_small {
        true => Answer::Whole(response),
        false => Answer::Head(response, length),
    })
}

/// Lengths are of what fits into an instance, so four bytes are enough.
fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend_from_slice(&(number as u32).to_le_bytes());
}

fn put(bytes: &mut Vec<u8>, text: &[u8]) {
    put_number(bytes, text.len());
    bytes.extend_from_slice(text);
}

/// Without a text in between.
fn put_uri(bytes: &mut Vec<u8>, uri: &Uri) {
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return put(bytes, uri.to_string().as_bytes());
    };
    let parts = [scheme, "://", authority.as_str(), path];
    put_number(bytes, parts.iter().map(|part| part.len()).sum());
    for part in parts {
        bytes.extend_from_slice(part.as_bytes());
    }
}

fn put_headers(
    bytes: &mut Vec<u8>,
    headers: &HeaderMap,
    is_left_out: impl Fn(&HeaderName) -> bool,
) {
    let put_in = || headers.iter().filter(|(name, _)| !is_left_out(name));
    put_number(bytes, put_in().count());
    for (name, value) in put_in() {
        put(bytes, name.as_str().as_bytes());
        put(bytes, value.as_bytes());
    }
}

fn number(rest: &mut Bytes) -> Option<usize> {
    usize::try_from(rest.try_get_u32_le().ok()?).ok()
}

fn text(rest: &mut Bytes) -> Option<Bytes> {
    let length = number(rest)?;
    (length <= rest.len()).then(|| rest.split_to(length))
}

fn headers(rest: &mut Bytes) -> Option<HeaderMap> {
    let count = number(rest)?;
    // Each has two lengths at least, so no more room is made than bytes came.
    if count > rest.len() / 8 {
        return None;
    }
    let mut headers = HeaderMap::try_with_capacity(count).ok()?;
    for _ in 0..count {
        let name = HeaderName::from_bytes(&text(rest)?).ok()?;
        let value = HeaderValue::from_maybe_shared(text(rest)?).ok()?;
        headers.try_append(name, value).ok()?;
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(uri: &str) -> (Parts, Bytes) {
        let request = http::Request::builder()
            .method("PATCH")
            .uri(uri)
            .header("x-spindle-host", "7-1")
            .header("accept", "a/b")
            .header("cookie", "one=1")
            .header("cookie", "two=\u{fc}".as_bytes())
            .body(Bytes::from_static(b"a=b&c=\0"))
            .unwrap();
        request.into_parts()
    }

    fn response(length: usize) -> Response {
        http::Response::builder()
            .status(404)
            .header("content-type", "application/json")
            .header("set-cookie", "one=1")
            .header("set-cookie", "two=2")
            .body(Bytes::from(vec![b'x'; length]))
            .unwrap()
    }

    #[test]
    fn a_request_comes_back_as_it_was() {
        for uri in ["http://chat.example:3000/api/v1/x?y=%20z", "/api", "*"] {
            let (head, body) = request(uri);
            let read = to_request(from_request(&head, &body).into()).unwrap();
            let (parts, content) = read.into_parts();
            assert_eq!((parts.method, content), (head.method, body));
            assert_eq!(parts.uri, head.uri);
            assert_eq!(parts.headers, head.headers);
        }
    }

    #[test]
    fn the_target_names_the_host() {
        for (uri, is_kept) in [("http://chat.example/x", false), ("/x", true)] {
            let (mut head, body) = request(uri);
            head.headers
                .insert(HOST, HeaderValue::from_static("other.example"));
            let read = to_request(from_request(&head, &body).into()).unwrap();
            assert_eq!(read.headers().contains_key(HOST), is_kept);
        }
    }

    #[test]
    fn a_response_comes_back_as_it_was_and_a_large_body_on_its_own() {
        for length in [0, 3, LARGEST_BESIDE_HEAD] {
            let (bytes, later) = from_response(response(length));
            assert_eq!(later, None);
            let Some(Answer::Whole(read)) = to_response(bytes.into()) else {
                panic!("{length} bytes are not beside their head");
            };
            assert_eq!(read.status(), 404);
            assert_eq!(read.headers(), response(0).headers());
            assert_eq!(read.body(), response(length).body());
        }
        let large = LARGEST_BESIDE_HEAD + 1;
        let (bytes, later) = from_response(response(large));
        assert!(bytes.len() < 200);
        assert_eq!(later.as_ref(), Some(response(large).body()));
        match to_response(bytes.into()) {
            Some(Answer::Head(read, length)) => {
                assert_eq!((read.status().as_u16(), length), (404, large));
                assert_eq!(read.headers(), response(0).headers());
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_cut_off_or_lies_about_its_lengths_is_nothing() {
        let (head, body) = request("http://a/b");
        let whole = from_request(&head, &body);
        for length in 0..whole.len() - body.len() {
            let cut = Bytes::copy_from_slice(&whole[..length]);
            assert!(to_request(cut).is_none(), "{length}");
        }
        let (whole, _) = from_response(response(20));
        for length in 0..whole.len() {
            let cut = Bytes::copy_from_slice(&whole[..length]);
            assert!(to_response(cut).is_none(), "{length}");
        }
        let (mut longer, _) = from_response(response(20));
        longer.push(0);
        assert!(to_response(longer.into()).is_none());
        // Four bytes that say another length, at each place.
        for place in 0..whole.len() - 4 {
            let mut lying = whole.clone();
            lying[place..place + 4].copy_from_slice(&[0xff; 4]);
            let read = to_response(lying.into());
            assert!(!matches!(read, Some(Answer::Head(..))), "{place}");
        }
    }
}
