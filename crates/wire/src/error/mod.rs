//! Errors as clients see them: status, `code`, `msg`, extra fields and headers.
//!
//! The domain's table has the codes with their statuses, texts and fields
//! ([`spindle_domain::errors`]); an error of a row has exactly the fields that strict clients
//! accept. This module adds the headers that some errors have, and the errors with the code
//! `BAD_REQUEST`. Internal causes never get here: they go to the log.

mod constructors;
mod dependency;
mod uploads;

pub use dependency::Dependency;
pub use spindle_domain::errors::{ClientError, Code};

use crate::Response;
use crate::reply::{json_response, push_field};
use http::header::{HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

/// An error response (docs/protocol/errors.md#statuses, docs/protocol/errors.md#codes).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{} {}: {msg}", .status.as_u16(), .code.name())]
pub struct ApiError {
    status: StatusCode,
    code: Code,
    msg: String,
    extra: Vec<(&'static str, Value)>,
    headers: Vec<(HeaderName, HeaderValue)>,
    wrong_guess: Option<WrongGuess>,
}

/// Marks, among the extensions of a response, that a wrong secret was sent, and its kind. It is
/// read by code that counts and logs guesses, and is not sent to clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongGuess {
    Password,
    /// An API key that travels as a parameter.
    Key,
    /// A code of a second factor.
    Code,
}

impl WrongGuess {
    /// The kind of secret, as the log names it.
    #[must_use]
    pub const fn secret(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key => "key",
            Self::Code => "code",
        }
    }

    /// Reads [`Self::secret`].
    #[must_use]
    pub fn of_secret(text: &[u8]) -> Option<Self> {
        let all = [Self::Password, Self::Key, Self::Code];
        all.into_iter()
            .find(|guess| guess.secret().as_bytes() == text)
    }
}

impl From<ClientError> for ApiError {
    fn from(error: ClientError) -> Self {
        let answer = Self {
            extra: error.fields(),
            ..Self::new(error.code(), error.text())
        };
        match error {
            ClientError::AuthenticationFailed => answer.of_a_wrong_guess(WrongGuess::Password),
            ClientError::InvalidSecondFactor => answer.of_a_wrong_guess(WrongGuess::Code),
            ClientError::InvalidApiKey => answer.of_a_wrong_guess(WrongGuess::Key),
            ClientError::RateLimitHit { retry_after } => {
                // The header holds whole seconds; rounding down would invite a request too early.
                answer.with_retry_after(&format!("{:.0}", retry_after.ceil()))
            }
            ClientError::StorageFull => answer.with_retry_after("10"),
            ClientError::Unauthorized { .. } => answer.with_header(
                WWW_AUTHENTICATE,
                HeaderValue::from_static(r#"Basic realm="zulip""#),
            ),
            _ => answer,
        }
    }
}

impl ApiError {
    fn new(code: Code, msg: impl Into<String>) -> Self {
        Self {
            // Each status of the table is one; a test says so.
            status: StatusCode::from_u16(code.status())
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            msg: msg.into(),
            extra: Vec::new(),
            headers: Vec::new(),
            wrong_guess: None,
        }
    }

    fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.extra.push((name, value.into()));
        self
    }

    fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn with_retry_after(self, seconds: &str) -> Self {
        match HeaderValue::from_str(seconds) {
            Ok(value) => self.with_header(RETRY_AFTER, value),
            Err(_) => self,
        }
    }

    const fn of_a_wrong_guess(mut self, secret: WrongGuess) -> Self {
        self.wrong_guess = Some(secret);
        self
    }

    /// HTTP status.
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// Machine-readable code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// Text for people.
    pub fn msg(&self) -> &str {
        &self.msg
    }

    /// The response: a JSON envelope with `result`, `msg`, `code` and the extra fields.
    pub fn into_response(self) -> Response {
        let mut body = String::from(r#"{"result":"error""#);
        push_field(&mut body, "msg", &Value::from(self.msg));
        push_field(&mut body, "code", &Value::from(self.code.name()));
        for (name, value) in &self.extra {
            push_field(&mut body, name, value);
        }
        body.push('}');
        let headers: HeaderMap = self.headers.into_iter().collect();
        let mut response = json_response(self.status, body, headers);
        if let Some(guess) = self.wrong_guess {
            response.extensions_mut().insert(guess);
        }
        response
    }
}

impl From<ApiError> for Response {
    fn from(error: ApiError) -> Self {
        error.into_response()
    }
}

#[cfg(test)]
mod tests;
