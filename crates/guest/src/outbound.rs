//! Calls to the event-queue service: the only ones that a component makes.
//!
//! Owns the token they carry and the time they may take; their form is in `spindle_wire::internal`. A hint must never
//! delay or change the answer of a committed write; every other failure is an internal error
//! of the request.

use crate::environment::Environment;
use bytes::Bytes;
use futures::future::{Either, select};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use spin_sdk::http::FullBody;
use spin_sdk::http::body::IncomingBodyExt;
use spindle_wire::internal::headers::TOKEN;
use spindle_wire::internal::{Counted, Route, Sender};
use std::pin::pin;
use std::time::Duration;

/// How long the service may take to hear of a commit (design: wake-ups are hints).
pub(crate) const HINT_PATIENCE: Duration = Duration::from_millis(50);
/// How long a verdict of the rate limiter may take; without one the request is let through.
const VERDICT_PATIENCE: Duration = Duration::from_millis(50);

/// Sends one request to the service and reads the whole answer.
///
/// `path` starts with a slash. Errors are texts for the log.
pub(crate) async fn call(
    environment: &Environment,
    method: Method,
    path: &str,
    body: Bytes,
) -> Result<Response<Bytes>, String> {
    call_with(environment, method, path, &HeaderMap::new(), body).await
}

/// The same with further headers.
pub(crate) async fn call_with(
    environment: &Environment,
    method: Method,
    path: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Response<Bytes>, String> {
    if environment.events_url.is_empty() {
        return Err("the variable events_url is not set".to_owned());
    }
    let mut request = Request::builder()
        .method(method)
        .uri(format!("{}{path}", environment.events_url))
        .header(TOKEN, &environment.internal_token)
        .header(http::header::CONTENT_LENGTH, body.len())
        .body(FullBody::new(body))
        .map_err(|error| error.to_string())?;
    request.headers_mut().extend(headers.clone());
    let answer = spin_sdk::http::send(request)
        .await
        .map_err(|error| error.to_string())?;
    let (parts, body) = answer.into_parts();
    let body = body.bytes().await.map_err(|error| error.to_string())?;
    Ok(Response::from_parts(parts, body))
}

/// Tells the service that something was committed. Runs beside the answer and gives up early:
/// the service watches the database by itself.
pub(crate) fn hint(environment: std::rc::Rc<Environment>) {
    spin_sdk::wasip3::wit_bindgen::spawn(async move {
        let path = Route::Hint.path();
        let told = call(&environment, Method::POST, &path, Bytes::new());
        // Lost hints are harmless, so the outcome is nobody's concern.
        let _ = within(HINT_PATIENCE, told).await;
    });
}

/// Asks the service to count a request of `sender`; not limited when there was no answer in time.
pub(crate) async fn count(environment: &Environment, sender: &Sender) -> Counted {
    let path = Route::RateLimit.path();
    let asked = call(environment, Method::POST, &path, sender.form().into());
    match within(VERDICT_PATIENCE, asked).await {
        Some(Ok(answer)) if answer.status() == StatusCode::OK => {
            Counted::from_headers(answer.headers())
        }
        _ => Counted::default(),
    }
}

/// Says to the service which account the credentials of `sender` have, beside the answer. Credentials
/// that are no account's have been counted already.
pub(crate) fn say_proven(environment: std::rc::Rc<Environment>, sender: &Sender) {
    let body = Bytes::from(sender.form());
    spin_sdk::wasip3::wit_bindgen::spawn(async move {
        let path = Route::RateLimitAnswered.path();
        let told = call(&environment, Method::POST, &path, body);
        let _ = within(VERDICT_PATIENCE, told).await;
    });
}

/// The result of `work`, or `None` when `patience` is over first.
pub(crate) async fn within<T>(patience: Duration, work: impl Future<Output = T>) -> Option<T> {
    let work = pin!(work);
    let over = pin!(spin_sdk::time::sleep(patience));
    match select(work, over).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
