//! What is left to do after an operation: hand-offs, by whichever way this runtime offers.
//!
//! Owns the choice between headers for the native host and calls to the event-queue service.
//! It must not touch the database: by now the connection is back in the pool.

use crate::dispatch::Answered;
use crate::environment::{self, Environment};
use crate::outbound::call;
use crate::reply::{Blob, HandOff, Poll, QueueDeleted};
use crate::{hand_off, log};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use spindle_wire::{ApiError, Response};
use std::cell::RefCell;
use std::collections::HashSet;

/// How many blob keys an instance remembers as stored.
const REMEMBERED: usize = 1024;

thread_local! {
    static STORED: RefCell<HashSet<String>> = RefCell::default();
}

/// Completes `answered`; `request` are the headers of the request.
pub(crate) async fn perform(
    answered: Answered,
    request: &HeaderMap,
    environment: &Environment,
) -> Response {
    let Answered {
        mut response,
        hand_off,
        ignored,
        ..
    } = answered;
    let Some(hand_off) = hand_off else {
        return response;
    };
    let failed = |cause: String| {
        log::fault(environment::request_id(request), "hand-off", cause);
        ApiError::internal().into_response()
    };
    if let HandOff::Blob(blob) = &hand_off
        && let Err(cause) = ensure_stored(blob, environment).await
    {
        return failed(cause);
    }
    if environment::behind_native_host(request) {
        return match hand_off::write(response.headers_mut(), &hand_off, &ignored) {
            Some(()) => response,
            None => failed("a value does not fit into a header".to_owned()),
        };
    }
    let result = match hand_off {
        HandOff::Poll(poll) => poll_there(response, &poll, &ignored, environment).await,
        HandOff::QueueDeleted(deleted) => Ok(tell_deleted(response, &deleted, environment).await),
        HandOff::Blob(blob) => fetch(response, &blob, environment).await,
    };
    result.unwrap_or_else(failed)
}

/// Lets the service hold the poll and passes its answer on, under this answer's headers.
async fn poll_there(
    mut response: Response,
    poll: &Poll,
    ignored: &[String],
    environment: &Environment,
) -> Result<Response, String> {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("user_id", &poll.user_id.to_string())
        .append_pair("last_event_id", &poll.last_event_id.to_string())
        .append_pair("dont_block", if poll.dont_block { "true" } else { "false" })
        .append_pair(
            "ignored_parameters",
            &serde_json::json!(ignored).to_string(),
        )
        .finish();
    let path = format!("/internal/queues/{}/poll?{query}", poll.queue_id);
    let there = call(environment, Method::GET, &path, Bytes::new()).await?;
    // Anything else than an answer to the poll is a fault between us and the service.
    if !matches!(there.status(), StatusCode::OK | StatusCode::BAD_REQUEST) {
        return Err(format!(
            "the service does not hold a poll: {}",
            there.status()
        ));
    }
    *response.status_mut() = there.status();
    if let Some(media_type) = there.headers().get(CONTENT_TYPE) {
        response
            .headers_mut()
            .insert(CONTENT_TYPE, media_type.clone());
    }
    *response.body_mut() = there.into_body();
    Ok(response)
}

/// Tells the service that a queue is gone. The deletion is committed, so a service that does
/// not hear of it changes nothing about the answer: it finds out by itself.
async fn tell_deleted(
    response: Response,
    deleted: &QueueDeleted,
    environment: &Environment,
) -> Response {
    if !environment.events_url.is_empty() {
        let path = format!(
            "/internal/queues/{}/deleted?user_id={}",
            deleted.queue_id, deleted.user_id
        );
        let told = call(environment, Method::POST, &path, Bytes::new());
        let _ = crate::outbound::within(crate::outbound::HINT_PATIENCE, told).await;
    }
    response
}

/// Stores a blob that does not exist yet. An instance asks once for each key.
async fn ensure_stored(blob: &Blob, environment: &Environment) -> Result<(), String> {
    if STORED.with_borrow(|stored| stored.contains(&blob.key)) {
        return Ok(());
    }
    let path = format!("/internal/blobs/{}", blob.key);
    let found = call(environment, Method::HEAD, &path, Bytes::new())
        .await?
        .status();
    if found == StatusCode::NOT_FOUND {
        let content = (blob.make)(&blob.key).ok_or("the content cannot be made")?;
        let stored = call(environment, Method::PUT, &path, content.into())
            .await?
            .status();
        if !stored.is_success() {
            return Err(format!("the service does not store a blob: {stored}"));
        }
    } else if !found.is_success() {
        return Err(format!("the service does not look up a blob: {found}"));
    }
    STORED.with_borrow_mut(|stored| {
        if stored.len() >= REMEMBERED {
            stored.clear();
        }
        stored.insert(blob.key.clone());
    });
    Ok(())
}

/// Reads a blob from the service and answers with it.
async fn fetch(
    mut response: Response,
    blob: &Blob,
    environment: &Environment,
) -> Result<Response, String> {
    let path = format!("/internal/blobs/{}", blob.key);
    let there = call(environment, Method::GET, &path, Bytes::new()).await?;
    if there.status() != StatusCode::OK {
        return Err(format!(
            "the service does not give a blob: {}",
            there.status()
        ));
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(blob.content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(blob.cache_control));
    *response.body_mut() = there.into_body();
    Ok(response)
}
