//! How timers reach the components.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Shortest pause between two calls of [`ask_until_complete`]: beside Spin, other writers ask for the
/// database now and then instead of waiting in line.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// Why a call has failed; for the log.
#[derive(Debug, thiserror::Error)]
pub enum CallFailed {
    /// The route has refused.
    #[error("{path} answered {status}")]
    Refused {
        path: String,
        status: http::StatusCode,
    },
    /// Nobody listens where the application should.
    #[error("the application does not answer: {0}")]
    Absent(String),
    /// The application does not say what is asked, or what is to be told is not known.
    #[error("{0}")]
    Unreachable(String),
}

/// Calls to internal routes. Implementations add the shared token.
#[async_trait::async_trait]
pub trait InternalCalls: Send + Sync + 'static {
    /// Posts a urlencoded form and returns the body of the answer.
    ///
    /// # Errors
    /// [`CallFailed`] for everything but success.
    async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed>;

    /// Posts a urlencoded form.
    ///
    /// # Errors
    /// As [`Self::ask`].
    async fn post(&self, path: &str, form: String) -> Result<(), CallFailed> {
        self.ask(path, form).await.map(|_| ())
    }
}

/// Asks a route that needs no parameters, and reads its answer.
pub(super) async fn ask<T: DeserializeOwned>(
    calls: &dyn InternalCalls,
    path: &str,
) -> Result<T, CallFailed> {
    let answer = calls.ask(path, String::new()).await?;
    serde_json::from_slice(&answer).map_err(|error| CallFailed::Unreachable(error.to_string()))
}

/// How far a route has come that does its work one part a call.
#[derive(Deserialize)]
struct Progress {
    complete: bool,
}

/// Calls a route that does its work one part a call, until nothing is left. Between two calls it pauses
/// as long as the last one took, so others have the writer half of the time at least.
pub(super) async fn ask_until_complete(
    calls: &dyn InternalCalls,
    path: &str,
) -> Result<(), CallFailed> {
    loop {
        let started = Instant::now();
        let progress: Progress = ask(calls, path).await?;
        if progress.complete {
            return Ok(());
        }
        tokio::time::sleep(started.elapsed().max(PAUSE)).await;
    }
}

/// The request of such a call.
pub(super) fn request(
    uri: &str,
    token: &str,
    form: String,
) -> Result<http::Request<Bytes>, CallFailed> {
    let form = Bytes::from(form);
    http::Request::post(uri)
        .header(
            http::header::CONTENT_TYPE,
            "application/x-www-form-urlencoded",
        )
        .header(http::header::CONTENT_LENGTH, form.len())
        .header(http::header::USER_AGENT, "spindle-timers")
        .header("x-spindle-internal", token)
        .body(form)
        .map_err(|error| CallFailed::Unreachable(error.to_string()))
}

/// The body of a success, which is 200 as everywhere.
pub(super) async fn body_of<B>(path: &str, answer: http::Response<B>) -> Result<Bytes, CallFailed>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: std::fmt::Display,
{
    let status = answer.status();
    if !status.is_success() {
        return Err(CallFailed::Refused {
            path: path.to_owned(),
            status,
        });
    }
    match answer.into_body().collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) => Err(CallFailed::Unreachable(error.to_string())),
    }
}
