//! Errors as clients see them: status, `code`, `msg`, extra fields and headers.
//!
//! Codes and their statuses stand in one table ([`Code`]); the constructors are the only way
//! to make an error, so that the extra fields of a code are always exactly those that strict
//! clients accept. Internal causes never get here: they go to the log.

mod code;
mod constructors;
mod uploads;

pub use code::Code;

use crate::Response;
use crate::reply::{json_response, push_field};
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

/// An error response (spec: Errors; protocol-facts 1.4; clients.md 3).
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

/// Marks, among the extensions of a response, that a secret was guessed wrong, and of what kind it
/// is. It is for those who count and log guesses; no client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongGuess {
    /// A password.
    Password,
    /// An API key that travels as a parameter.
    Key,
}

impl WrongGuess {
    /// The kind of secret, as the log names it.
    #[must_use]
    pub const fn secret(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key => "key",
        }
    }

    /// Reads [`Self::secret`].
    #[must_use]
    pub fn of_secret(text: &[u8]) -> Option<Self> {
        let both = [Self::Password, Self::Key];
        both.into_iter()
            .find(|guess| guess.secret().as_bytes() == text)
    }
}

impl ApiError {
    fn new(code: Code, msg: impl Into<String>) -> Self {
        Self {
            status: code.status(),
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
