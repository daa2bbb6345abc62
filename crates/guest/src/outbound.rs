//! Calls to the event-queue service: the only ones that a component makes.
//!
//! Owns their addresses, the token they carry and the time they may take. A hint must never
//! delay or change the answer of a committed write; every other failure is an internal error
//! of the request.

use crate::environment::{self, Environment};
use bytes::Bytes;
use futures::future::{Either, select};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use spin_sdk::http::FullBody;
use spin_sdk::http::body::IncomingBodyExt;
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
        .header(environment::INTERNAL, &environment.internal_token)
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
        let told = call(&environment, Method::POST, "/internal/hint", Bytes::new());
        // Lost hints are harmless, so the outcome is nobody's concern.
        let _ = within(HINT_PATIENCE, told).await;
    });
}

/// What the service says about a request.
pub(crate) struct Counted {
    /// The verdict, in the form of the header that the native host sets; `None` without a limit.
    pub(crate) verdict: Option<HeaderValue>,
    /// Whether the service wants to know if the credentials are somebody's.
    pub(crate) unproven: bool,
}

/// Asks the service to count a request of `caller`; `None` when there was no answer in time.
pub(crate) async fn count(environment: &Environment, caller: &str) -> Option<Counted> {
    let body = Bytes::copy_from_slice(caller.as_bytes());
    let asked = call(environment, Method::POST, "/internal/rate-limit", body);
    let answer = within(VERDICT_PATIENCE, asked).await?.ok()?;
    if answer.status() != StatusCode::OK {
        return None;
    }
    let unproven = answer.headers().contains_key(environment::UNPROVEN);
    let verdict = Some(answer.into_body()).filter(|verdict| !verdict.is_empty());
    Some(Counted {
        verdict: verdict.and_then(|verdict| HeaderValue::from_bytes(&verdict).ok()),
        unproven,
    })
}

/// Tells the service which account the credentials of `caller` have, beside the answer. Credentials
/// that are no account's have been counted already.
pub(crate) fn tell_proven(
    environment: std::rc::Rc<Environment>,
    caller: &str,
    account: &HeaderValue,
) {
    let account = account.to_str().unwrap_or_default();
    let body = Bytes::from(format!("{caller}\naccount={account}"));
    spin_sdk::wasip3::wit_bindgen::spawn(async move {
        let path = "/internal/rate-limit/answered";
        let told = call(&environment, Method::POST, path, body);
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
