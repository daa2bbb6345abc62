//! How timers reach the components.

/// Why a call has failed; for the log.
#[derive(Debug, thiserror::Error)]
pub enum CallFailed {
    /// The route has refused.
    #[error("{path} answered {status}")]
    Refused {
        path: String,
        status: http::StatusCode,
    },
    /// The application cannot be reached, or what is to be told is not known.
    #[error("{0}")]
    Unreachable(String),
}

/// Calls to internal routes. Implementations add the shared token.
#[async_trait::async_trait]
pub trait InternalCalls: Send + Sync + 'static {
    /// Posts a urlencoded form.
    ///
    /// # Errors
    /// [`CallFailed`] for everything but success.
    async fn post(&self, path: &str, form: String) -> Result<(), CallFailed>;
}

/// The request of such a call.
pub(super) fn request(
    uri: &str,
    token: &str,
    form: String,
) -> Result<http::Request<bytes::Bytes>, CallFailed> {
    let form = bytes::Bytes::from(form);
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

/// Success is 200, as everywhere.
pub(super) fn check(path: &str, status: http::StatusCode) -> Result<(), CallFailed> {
    if status.is_success() {
        return Ok(());
    }
    Err(CallFailed::Refused {
        path: path.to_owned(),
        status,
    })
}
