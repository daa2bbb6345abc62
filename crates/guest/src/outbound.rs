//! Calls to the event-queue service: the only ones that a component makes.
//!
//! Owns their token and their time limits; their form is in `spindle_wire::internal`. A hint must
//! never delay or change the answer of a committed write; [`crate::service`] turns every other failure
//! into an answer.

use crate::environment::Environment;
use crate::log;
use crate::service::WRONG_TOKEN;
use bytes::Bytes;
use futures::future::{Either, select};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use spin_sdk::http::FullBody;
use spin_sdk::http::body::IncomingBodyExt;
use spindle_wire::internal::headers::TOKEN;
use spindle_wire::internal::{Counted, Route, Sender};
use std::cell::Cell;
use std::pin::pin;
use std::time::{Duration, Instant};

/// The time limit of the hint after a commit.
pub(crate) const HINT_TIMEOUT: Duration = Duration::from_millis(50);
/// The time limit of the rate limiter; without a verdict the request is admitted. A service that does not run refuses
/// immediately; a busy one must not let guesses through uncounted.
const VERDICT_TIMEOUT: Duration = Duration::from_secs(2);

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

/// Sends the service the hint that something was committed. Runs while the answer is sent and gives up early: the
/// service also watches the database.
pub(crate) fn hint(environment: std::rc::Rc<Environment>) {
    beside(async move {
        let path = Route::Hint.path();
        let call = call(&environment, Method::POST, &path, Bytes::new());
        // Lost hints are harmless, so the outcome is ignored.
        let _ = within(HINT_TIMEOUT, call).await;
    });
}

/// Asks the service to count a request of `sender`; not limited when there was no answer in time.
pub(crate) async fn count(environment: &Environment, sender: &Sender) -> Counted {
    let path = Route::RateLimit.path();
    let asked = call(environment, Method::POST, &path, sender.form().into());
    match within(VERDICT_TIMEOUT, asked).await {
        Some(Ok(answer)) if answer.status() == StatusCode::OK => {
            Counted::from_headers(answer.headers())
        }
        // This request is not limited.
        Some(Ok(answer)) if answer.status() == StatusCode::NOT_FOUND => Counted::default(),
        Some(Ok(answer)) if answer.status() == StatusCode::FORBIDDEN => uncounted(WRONG_TOKEN),
        Some(Ok(answer)) => uncounted(&format!("the event service answers {}", answer.status())),
        Some(Err(cause)) => uncounted(&cause),
        None => uncounted("the event service does not answer in time"),
    }
}

/// Admits a request that was not counted, and says so in the log, once a minute.
fn uncounted(cause: &str) -> Counted {
    const PAUSE: Duration = Duration::from_secs(60);
    thread_local! {
        static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
    }
    if LAST.get().is_none_or(|last| last.elapsed() > PAUSE) {
        LAST.set(Some(Instant::now()));
        log::fault(
            "-",
            "rate limit",
            format!("requests are not limited: {cause}"),
        );
    }
    Counted::default()
}

/// Reports the account of the credentials of `sender` to the service, before the answer: the next request with them
/// counts for the account. `None` means that they were refused; they count for the address if they had an account
/// before.
pub(crate) async fn report_proven(environment: &Environment, sender: &Sender) {
    let path = Route::RateLimitAnswered.path();
    let call = call(environment, Method::POST, &path, sender.form().into());
    let _ = within(VERDICT_TIMEOUT, call).await;
}

/// Runs `work` while the answer is sent, and after it.
pub(crate) fn beside(work: impl Future<Output = ()> + 'static) {
    spin_sdk::wasip3::wit_bindgen::spawn(work);
}

/// The result of `work`, or `None` when `timeout` is over first.
pub(crate) async fn within<T>(timeout: Duration, work: impl Future<Output = T>) -> Option<T> {
    let work = pin!(work);
    let over = pin!(spin_sdk::time::sleep(timeout));
    match select(work, over).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
