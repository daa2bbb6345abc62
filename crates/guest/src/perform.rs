//! The work that remains after an operation: hand-offs, in the way that this runtime offers.
//!
//! Owns the choice between headers for the native host and calls to the event-queue service; the form of
//! both is in `spindle_wire::internal`. It must not touch the database: by now the connection is back in the pool.

use crate::dispatch::{Answered, Done};
use crate::environment::{self, Environment};
use crate::error::Failure;
use crate::outbound::{call, call_with};
use crate::reply::{Blob, BlobWork, HandOff, Work};
use crate::{log, parts, service};
use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH,
    LOCATION, RANGE, RETRY_AFTER,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use spindle_wire::internal::{Route, Task};
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
    let failed = |failure: Failure| {
        if let Some(cause) = failure.cause {
            log::fault(environment::request_id(request), "hand-off", cause);
        }
        failure.answer.into_response()
    };
    if let HandOff::Blob(blob) = &hand_off
        && let Err(failure) = ensure_stored(blob, environment).await
    {
        return failed(failure);
    }
    if environment::behind_native_host(request) {
        let headers = response.headers_mut();
        if !task_of(&hand_off).write_to(&ignored, headers) {
            return failed(Failure::internal("a task does not fit into a header"));
        }
        if let HandOff::Blob(blob) = hand_off {
            headers.extend(blob.headers);
        }
        return response;
    }
    let target = Route::target_of(&task_of(&hand_off), &ignored);
    let result = match hand_off {
        HandOff::Poll(_) | HandOff::Figures => answered_there(response, &target, environment).await,
        HandOff::QueueDeleted(_) => Ok(report_deletion(response, &target, environment).await),
        HandOff::Identity(_) => led_there(response, &target, environment).await,
        HandOff::Blob(blob) => fetch(response, request, &blob, environment).await,
    };
    result.unwrap_or_else(failed)
}

/// The task for the host.
fn task_of(hand_off: &HandOff) -> Task {
    match hand_off {
        HandOff::Poll(poll) => Task::Poll(poll.clone()),
        HandOff::QueueDeleted(deleted) => Task::QueueDeleted(deleted.clone()),
        HandOff::Blob(blob) => Task::Blob(blob.key.clone()),
        HandOff::Figures => Task::Figures,
        HandOff::Identity(task) => task.clone(),
    }
}

/// Combines the service's body with the headers of `response`.
async fn answered_there(
    mut response: Response,
    path: &str,
    environment: &Environment,
) -> Result<Response, Failure> {
    let there = call(environment, Method::GET, path, Bytes::new()).await;
    let there = there.map_err(service::unreachable)?;
    // Any other status is a fault between the component and the service.
    let answers = [
        StatusCode::OK,
        StatusCode::BAD_REQUEST,
        StatusCode::UNAUTHORIZED,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    if !answers.contains(&there.status()) {
        return Err(service::refused(there.status(), "answer"));
    }
    *response.status_mut() = there.status();
    for name in [CONTENT_TYPE, RETRY_AFTER] {
        if let Some(value) = there.headers().get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    *response.body_mut() = there.into_body();
    Ok(response)
}

/// Answers with where the service sends the browser, or with the icon that it gives; the headers of `response` stay.
async fn led_there(
    mut response: Response,
    target: &str,
    environment: &Environment,
) -> Result<Response, Failure> {
    let there = call(environment, Method::POST, target, Bytes::new()).await;
    let there = there.map_err(service::unreachable)?;
    let answers = [StatusCode::OK, StatusCode::FOUND, StatusCode::NOT_FOUND];
    if !answers.contains(&there.status()) {
        return Err(service::refused(there.status(), "lead to a provider"));
    }
    *response.status_mut() = there.status();
    for name in [CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION] {
        if let Some(value) = there.headers().get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    *response.body_mut() = there.into_body();
    Ok(response)
}

/// Notifies the service of a deleted queue. The deletion is committed, so a lost notification does not change the
/// answer: the service finds out later.
async fn report_deletion(response: Response, target: &str, environment: &Environment) -> Response {
    if !environment.events_url.is_empty() {
        let said = call(environment, Method::POST, target, Bytes::new());
        let _ = crate::outbound::within(crate::outbound::HINT_TIMEOUT, said).await;
    }
    response
}

/// Does the work that an operation waits for.
pub(crate) async fn work(work: &Work, environment: &Environment) -> Result<Done, Failure> {
    match work {
        Work::Blobs(work) => work_on_blobs(work, environment).await.map(|()| Done::Blobs),
        Work::Part(work) => parts::work(work, environment).await.map(Done::Part),
    }
}

async fn work_on_blobs(work: &BlobWork, environment: &Environment) -> Result<(), Failure> {
    for blob in &work.put {
        let path = Route::Blob(&blob.key).path();
        let mut headers = HeaderMap::new();
        let media_type = HeaderValue::from_str(&blob.content_type);
        let media_type = media_type.map_err(|error| Failure::internal(error.to_string()))?;
        headers.insert(CONTENT_TYPE, media_type);
        let content = blob.content.clone();
        let stored = call_with(environment, Method::PUT, &path, &headers, content).await;
        let status = stored.map_err(service::unreachable)?.status();
        if !status.is_success() {
            return Err(service::refused(status, "store a blob"));
        }
    }
    for key in &work.delete {
        let path = Route::Blob(key).path();
        let deleted = call(environment, Method::DELETE, &path, Bytes::new()).await;
        let status = deleted.map_err(service::unreachable)?.status();
        if !status.is_success() && status != StatusCode::NOT_FOUND {
            return Err(service::refused(status, "delete a blob"));
        }
    }
    Ok(())
}

/// Stores a blob that is made on demand and does not exist yet. An instance asks once for each
/// key.
async fn ensure_stored(blob: &Blob, environment: &Environment) -> Result<(), Failure> {
    let Some(make) = blob.make else {
        return Ok(());
    };
    if STORED.with_borrow(|stored| stored.contains(&blob.key)) {
        return Ok(());
    }
    let path = Route::Blob(&blob.key).path();
    let found = call(environment, Method::HEAD, &path, Bytes::new()).await;
    let found = found.map_err(service::unreachable)?.status();
    if found == StatusCode::NOT_FOUND {
        let content = make(&blob.key);
        let content = content.ok_or_else(|| Failure::internal("the content cannot be made"))?;
        let stored = call(environment, Method::PUT, &path, content.into()).await;
        let stored = stored.map_err(service::unreachable)?.status();
        if !stored.is_success() {
            return Err(service::refused(stored, "store a blob"));
        }
    } else if !found.is_success() {
        return Err(service::refused(found, "look up a blob"));
    }
    STORED.with_borrow_mut(|stored| {
        if stored.len() >= REMEMBERED {
            stored.clear();
        }
        stored.insert(blob.key.clone());
    });
    Ok(())
}

/// The headers of the client's request and of the service's answer that are passed on for a blob.
const FORWARDED_REQUEST_HEADERS: [HeaderName; 2] = [RANGE, IF_NONE_MATCH];
const FORWARDED_RESPONSE_HEADERS: [HeaderName; 4] =
    [ACCEPT_RANGES, CONTENT_RANGE, CONTENT_TYPE, ETAG];

/// Reads a blob from the service, or the part of it that the client wants, and answers with it.
async fn fetch(
    mut response: Response,
    request: &HeaderMap,
    blob: &Blob,
    environment: &Environment,
) -> Result<Response, Failure> {
    let path = Route::Blob(&blob.key).path();
    let wishes = FORWARDED_REQUEST_HEADERS
        .into_iter()
        .filter_map(|name| Some((name.clone(), request.get(name)?.clone())))
        .collect();
    let there = call_with(environment, Method::GET, &path, &wishes, Bytes::new()).await;
    let there = there.map_err(service::unreachable)?;
    *response.status_mut() = match there.status() {
        StatusCode::NOT_FOUND => {
            return Ok(ApiError::not_found_object("There is no such file").into_response());
        }
        status @ (StatusCode::OK
        | StatusCode::PARTIAL_CONTENT
        | StatusCode::NOT_MODIFIED
        | StatusCode::RANGE_NOT_SATISFIABLE) => status,
        status => return Err(service::refused(status, "give a blob")),
    };
    let headers = response.headers_mut();
    for name in FORWARDED_RESPONSE_HEADERS {
        if let Some(fact) = there.headers().get(&name) {
            headers.insert(name, fact.clone());
        }
    }
    if response.status() != StatusCode::RANGE_NOT_SATISFIABLE {
        response.headers_mut().extend(blob.headers.clone());
    }
    *response.body_mut() = there.into_body();
    Ok(response)
}
