//! Long bodies that add to an upload (the tus protocol), read in pieces under Spin.
//!
//! Owns which requests have one, and how much of it is read at a time. The bytes that have arrived before a connection
//! breaks are a piece as well.

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderName};
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use spindle_wire::Response;
use spindle_wire::internal::headers::UPLOAD_OFFSET;

/// Bytes that are read at a time.
const PIECE: usize = 4 << 20;

/// Where the body of a request begins in its upload, if it belongs to one.
pub(crate) fn offset_of(parts: &Parts) -> Option<u64> {
    let text = |name| parts.headers.get(name)?.to_str().ok();
    let verb = text(HeaderName::from_static("x-http-method-override"));
    let is_patch = parts.method == Method::PATCH || verb == Some("PATCH");
    let is_part = text(CONTENT_TYPE) == Some("application/offset+octet-stream");
    if !is_patch || !is_part {
        return None;
    }
    text(UPLOAD_OFFSET)?.parse().ok()
}

/// The next piece of a body, and whether it is the last.
pub(crate) async fn read(body: &mut (impl http_body::Body<Data = Bytes> + Unpin)) -> (Bytes, bool) {
    let mut piece = BytesMut::new();
    while piece.len() < PIECE {
        let Some(Ok(frame)) = body.frame().await else {
            return (piece.freeze(), true);
        };
        if let Ok(data) = frame.into_data() {
            piece.extend_from_slice(&data);
        }
    }
    (piece.freeze(), false)
}

/// Whether an answer says that the upload continues at `offset`.
pub(crate) fn goes_on_at(answer: &Response, offset: u64) -> bool {
    let there = answer.headers().get(UPLOAD_OFFSET);
    let there = there.and_then(|value| value.to_str().ok()?.parse().ok());
    answer.status() == StatusCode::NO_CONTENT && there == Some(offset)
}
