//! Documents that are part of the program: the same bytes for all clients.

use bytes::Bytes;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use spindle_guest::Reply;

/// A JSON document that browsers of any origin may read and caches may keep.
///
/// `cache_control`: the caching directive.
pub(crate) fn json(text: &'static str, cache_control: &'static str) -> Reply {
    let mut response = Response::new(Bytes::from_static(text.as_bytes()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache_control));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Reply::Whole(response)
}

/// An image that caches may keep for a day.
pub(crate) fn picture(content: &'static [u8], media_type: &'static str) -> Reply {
    let mut response = Response::new(Bytes::from_static(content));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=86400"),
    );
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Reply::Whole(response)
}
