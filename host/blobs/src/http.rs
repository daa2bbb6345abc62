//! Blobs over HTTP: routes for components, and sending a blob to a client for a component.

use ::http::header::{
    ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RANGE,
};
use ::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use spindle_domain::errors::ClientError;
use spindle_wire::internal::headers::UPLOAD_OFFSET;
use spindle_wire::{ApiError, Dependency};

use super::key::BlobKey;
use super::range::{self, RequestedRange};
use super::store::{Appended, Blob, BlobError, BlobStore};
use spindle_admission::body::Body;
use spindle_system::disk_space::is_out_of_space;

/// Answers a request for the blob with this key: GET and HEAD with a range, PUT, DELETE.
pub async fn serve(store: &BlobStore, key: &str, request: Request<Bytes>) -> Response<Body> {
    let Some(key) = BlobKey::parse(key) else {
        return error(ApiError::bad_request("This is not the key of a blob"));
    };
    let (head, content) = request.into_parts();
    match head.method {
        Method::GET | Method::HEAD => {
            let answer = Response::new(Body::empty());
            answer_with(store, &key, &head.method, &head.headers, answer).await
        }
        Method::PUT => {
            let content_type = head.headers.get(CONTENT_TYPE);
            let content_type = content_type.and_then(|value| value.to_str().ok());
            let content_type = content_type.unwrap_or("application/octet-stream");
            let put = store.put(&key, content_type, content).await;
            done(put.map(|()| true))
        }
        Method::DELETE => done(store.delete(&key).await),
        _ => error(ApiError::method_not_allowed(&[
            "GET", "HEAD", "PUT", "DELETE",
        ])),
    }
}

/// Answers a request for a blob that is uploaded in parts: GET returns its length, PATCH appends a
/// part, POST completes it.
pub async fn serve_part(store: &BlobStore, key: &str, request: Request<Bytes>) -> Response<Body> {
    let Some(key) = BlobKey::parse(key) else {
        return error(ApiError::bad_request("This is not the key of a blob"));
    };
    let (head, content) = request.into_parts();
    let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
    let worked = match head.method {
        Method::GET => {
            let length = store.part_length(&key).await;
            length.map(|found| found.map(Appended::Length))
        }
        Method::PATCH => {
            let Some(offset) = text(UPLOAD_OFFSET).and_then(|offset| offset.parse().ok()) else {
                return error(ApiError::bad_request(
                    "The part has no upload-offset header",
                ));
            };
            store.append(&key, offset, content).await.map(Some)
        }
        Method::POST => {
            let content_type = text(CONTENT_TYPE).unwrap_or("application/octet-stream");
            store.join(&key, content_type).await
        }
        _ => return error(ApiError::method_not_allowed(&["GET", "PATCH", "POST"])),
    };
    let (mut answer, length) = match worked {
        Ok(Some(Appended::Length(length))) => {
            let answer = spindle_wire::Reply::empty().into_response(&[]);
            (answer.map(Body::from), length)
        }
        Ok(Some(Appended::Elsewhere(length))) => {
            (error(ApiError::other_upload_offset(length)), length)
        }
        Ok(Some(Appended::Busy)) => return error(ApiError::upload_is_busy()),
        Ok(None) => return error(ApiError::not_found_object("There is no such file")),
        Err(failure) => return failed(&failure),
    };
    answer
        .headers_mut()
        .insert(UPLOAD_OFFSET, HeaderValue::from(length));
    answer
}

/// Puts a blob into `answer`, whose headers are kept; its media type takes precedence over the stored
/// one. Honours `Range` and `If-None-Match` of `request`.
pub async fn send(
    store: &BlobStore,
    key: BlobKey,
    request: &HeaderMap,
    answer: Response<Body>,
) -> Response<Body> {
    answer_with(store, &key, &Method::GET, request, answer).await
}

async fn answer_with(
    store: &BlobStore,
    key: &BlobKey,
    method: &Method,
    request: &HeaderMap,
    mut answer: Response<Body>,
) -> Response<Body> {
    let is_conditional = request.contains_key(RANGE) || request.contains_key(IF_NONE_MATCH);
    let found = if method == Method::HEAD || is_conditional {
        store.find(key).await
    } else {
        store.get(key).await
    };
    let blob = match found {
        Ok(Some(blob)) => blob,
        Ok(None) => return error(ApiError::not_found_object("There is no such file")),
        Err(failure) => return failed(&failure),
    };
    describe(&blob, &mut answer);
    if is_known(request, &answer) {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        *answer.body_mut() = Body::empty();
        return answer;
    }
    let range = request.get(RANGE).and_then(|value| value.to_str().ok());
    let total = blob.length;
    let (first, count) =
        match range.map_or(RequestedRange::Whole, |value| range::parse(value, total)) {
            RequestedRange::Whole => (0, total),
            RequestedRange::Part(first, count) => {
                *answer.status_mut() = StatusCode::PARTIAL_CONTENT;
                content_range(
                    &mut answer,
                    &format!("bytes {first}-{}/{total}", first + count - 1),
                );
                (first, count)
            }
            RequestedRange::Nothing => {
                let mut refusal = error(ApiError::bad_request("The file has no such range"));
                *refusal.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
                content_range(&mut refusal, &format!("bytes */{total}"));
                return refusal;
            }
        };
    answer
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(count));
    if method == Method::HEAD {
        return answer;
    }
    match blob.content.body(first, count).await {
        Ok(body) => {
            *answer.body_mut() = body;
            answer
        }
        Err(failure) => failed(&failure),
    }
}

/// Sets the headers of every answer with this blob.
fn describe(blob: &Blob, answer: &mut Response<Body>) {
    let headers = answer.headers_mut();
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Ok(etag) = HeaderValue::from_str(&format!("\"{}\"", blob.etag)) {
        headers.insert(ETAG, etag);
    }
    if !headers.contains_key(CONTENT_TYPE)
        && let Ok(media_type) = HeaderValue::from_str(&blob.content_type)
    {
        headers.insert(CONTENT_TYPE, media_type);
    }
}

/// Whether the client already has this content.
fn is_known(request: &HeaderMap, answer: &Response<Body>) -> bool {
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    let (Some(known), Some(etag)) = (
        request.get(IF_NONE_MATCH).and_then(text),
        answer.headers().get(ETAG).and_then(text),
    ) else {
        return false;
    };
    let mut tags = known
        .split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"));
    tags.any(|tag| tag == etag || tag == "*")
}

fn content_range(answer: &mut Response<Body>, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(CONTENT_RANGE, value);
    }
}

/// The answer to a change; `false`: there was nothing to change.
fn done(result: Result<bool, BlobError>) -> Response<Body> {
    match result {
        Ok(true) => spindle_wire::Reply::empty()
            .into_response(&[])
            .map(Body::from),
        Ok(false) => error(ApiError::not_found_object("There is no such file")),
        Err(BlobError::Io(error)) if is_out_of_space(&error) => {
            // A smaller file may still fit, so this is no shortage of the disk; the component answers.
            tracing::warn!(%error, "no space for a blob");
            let mut refusal = self::error(ClientError::StorageFull.into());
            *refusal.status_mut() = StatusCode::INSUFFICIENT_STORAGE;
            refusal
        }
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &BlobError) -> Response<Body> {
    if let BlobError::Unavailable(reason) = failure {
        // Logged once, when it begins.
        tracing::debug!(reason, "a blob cannot be served now");
        return error(ApiError::unreachable(Dependency::Files));
    }
    tracing::error!(error = %failure, "a blob cannot be served");
    error(ApiError::internal())
}

fn error(error: ApiError) -> Response<Body> {
    error.into_response().map(Body::from)
}
