//! Blobs over HTTP: routes for components, and sending a blob to a client for a component.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll};

use ::http::header::{
    ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RANGE,
};
use ::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use spindle_domain::errors::ClientError;
use spindle_wire::ApiError;
use spindle_wire::internal::headers::UPLOAD_OFFSET;
use tokio::task::{JoinHandle, spawn_blocking};

use super::key::BlobKey;
use super::partial::Appended;
use super::range::{self, RequestedRange};
use super::store::{Blob, BlobError, BlobStore};
use crate::disk_space::is_out_of_space;
use crate::front::Body;

/// Blobs up to this size are sent in one chunk; larger ones in chunks of this size.
const CHUNK: u64 = 64 << 10;

/// Answers a request for the blob with this key: GET and HEAD with a range, PUT, DELETE.
pub async fn serve(store: &BlobStore, key: &str, request: Request<Bytes>) -> Response<Body> {
    let Some(key) = BlobKey::parse(key) else {
        return error(ApiError::bad_request("This is not the key of a blob"));
    };
    let store = store.clone();
    let (head, content) = request.into_parts();
    match head.method {
        Method::GET | Method::HEAD => {
            let mut answer = send(&store, key, &head.headers, Response::new(Body::empty())).await;
            if head.method == Method::HEAD {
                *answer.body_mut() = Body::empty();
            }
            answer
        }
        Method::PUT => {
            let content_type = head.headers.get(CONTENT_TYPE);
            let content_type = content_type.and_then(|value| value.to_str().ok());
            let content_type = content_type
                .unwrap_or("application/octet-stream")
                .to_owned();
            let put = move || store.put(&key, &content_type, &content);
            done(
                spawn_blocking(put)
                    .await
                    .map(|result| result.map(|()| true)),
            )
        }
        Method::DELETE => done(spawn_blocking(move || store.delete(&key)).await),
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
    let store = store.clone();
    let (head, content) = request.into_parts();
    let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
    let work: Box<dyn FnOnce() -> Result<Option<Appended>, BlobError> + Send> = match head.method {
        Method::GET => Box::new(move || Ok(store.part_length(&key)?.map(Appended::Length))),
        Method::PATCH => {
            let Some(offset) = text(UPLOAD_OFFSET).and_then(|offset| offset.parse().ok()) else {
                return error(ApiError::bad_request(
                    "The part has no upload-offset header",
                ));
            };
            Box::new(move || store.append(&key, offset, &content).map(Some))
        }
        Method::POST => {
            let content_type = text(CONTENT_TYPE).unwrap_or("application/octet-stream");
            let content_type = content_type.to_owned();
            Box::new(move || store.join(&key, &content_type))
        }
        _ => return error(ApiError::method_not_allowed(&["GET", "PATCH", "POST"])),
    };
    let (mut answer, length) = match spawn_blocking(work).await {
        Ok(Ok(Some(Appended::Length(length)))) => {
            let answer = spindle_wire::Reply::empty().into_response(&[]);
            (answer.map(Body::from), length)
        }
        Ok(Ok(Some(Appended::Elsewhere(length)))) => {
            (error(ApiError::other_upload_offset(length)), length)
        }
        Ok(Ok(Some(Appended::Busy))) => return error(ApiError::upload_is_busy()),
        Ok(Ok(None)) => return error(ApiError::not_found_object("There is no such file")),
        Ok(Err(failure)) => return failed(&failure),
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
    mut answer: Response<Body>,
) -> Response<Body> {
    let store = store.clone();
    let blob = match spawn_blocking(move || store.get(&key)).await {
        Ok(Ok(Some(blob))) => blob,
        Ok(Ok(None)) => return error(ApiError::not_found_object("There is no such file")),
        Ok(Err(failure)) => return failed(&failure),
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
    match content(blob, first, count).await {
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
    if let Ok(etag) = HeaderValue::from_str(&format!("\"{}\"", blob.sha256)) {
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

/// A range of a blob as a body.
async fn content(mut blob: Blob, first: u64, count: u64) -> std::io::Result<Body> {
    let start = blob.offset + first;
    if count <= CHUNK {
        let piece = spawn_blocking(move || {
            blob.file.seek(SeekFrom::Start(start))?;
            read_piece(&mut blob.file, count)
        });
        return piece.await.map_err(std::io::Error::other)?.map(Body::from);
    }
    let pieces = Pieces {
        left: count,
        step: Step::Seek(blob.file, start),
    };
    Ok(Body::Stream(pieces.boxed_unsync()))
}

/// A body that reads a chunk only when it is polled, so that a client that does not read occupies no
/// thread and at most one chunk of memory.
struct Pieces {
    left: u64,
    step: Step,
}

/// The next action of the body.
enum Step {
    Seek(File, u64),
    Read(File),
    Reading(JoinHandle<(File, std::io::Result<Bytes>)>),
    Ended,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        let wanted = self.left.min(CHUNK);
        if wanted == 0 {
            return Poll::Ready(None);
        }
        let mut reading = match std::mem::replace(&mut self.step, Step::Ended) {
            Step::Seek(file, start) => read(file, Some(start), wanted),
            Step::Read(file) => read(file, None, wanted),
            Step::Reading(reading) => reading,
            Step::Ended => return Poll::Ready(None),
        };
        let Poll::Ready(done) = Pin::new(&mut reading).poll(context) else {
            self.step = Step::Reading(reading);
            return Poll::Pending;
        };
        let piece = match done {
            Ok((file, piece)) => {
                if piece.is_ok() {
                    self.left -= wanted;
                    self.step = Step::Read(file);
                }
                piece
            }
            Err(error) => Err(std::io::Error::other(error)),
        };
        Poll::Ready(Some(piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Reads one chunk on a thread that may block.
fn read(
    mut file: File,
    start: Option<u64>,
    count: u64,
) -> JoinHandle<(File, std::io::Result<Bytes>)> {
    spawn_blocking(move || {
        let sought = start.map_or(Ok(0), |start| file.seek(SeekFrom::Start(start)));
        let piece = sought.and_then(|_| read_piece(&mut file, count));
        (file, piece)
    })
}

fn read_piece(file: &mut File, count: u64) -> std::io::Result<Bytes> {
    let mut piece = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    file.take(count).read_to_end(&mut piece)?;
    if piece.len() as u64 == count {
        Ok(piece.into())
    } else {
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

fn content_range(answer: &mut Response<Body>, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(CONTENT_RANGE, value);
    }
}

/// The answer to a change; `false`: there was nothing to change.
fn done(result: Result<Result<bool, BlobError>, tokio::task::JoinError>) -> Response<Body> {
    match result {
        Ok(Ok(true)) => spindle_wire::Reply::empty()
            .into_response(&[])
            .map(Body::from),
        Ok(Ok(false)) => error(ApiError::not_found_object("There is no such file")),
        Ok(Err(BlobError::Io(error))) if is_out_of_space(&error) => {
            // A smaller file may still fit, so this is no shortage of the disk; the component answers.
            tracing::warn!(%error, "no space for a blob");
            let mut refusal = self::error(ClientError::StorageFull.into());
            *refusal.status_mut() = StatusCode::INSUFFICIENT_STORAGE;
            refusal
        }
        Ok(Err(failure)) => failed(&failure),
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &dyn std::fmt::Display) -> Response<Body> {
    tracing::error!(error = %failure, "a blob cannot be served");
    error(ApiError::internal())
}

fn error(error: ApiError) -> Response<Body> {
    error.into_response().map(Body::from)
}
