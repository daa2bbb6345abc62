//! Errors of the host itself, in the protocol's envelope.
//!
//! `{"result":"error","msg":...,"code":...}` with the matching status, so that every error that a
//! client receives is JSON (docs/protocol/errors.md#statuses).

use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use spindle_admission::Overloaded;
use spindle_admission::body::Body;
use spindle_wire::{Code, NOT_CACHED};

/// An error answered by the host, before or instead of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontError {
    /// The request violates HTTP; the text says how.
    Malformed(&'static str),
    /// No route matches.
    NoRoute,
    /// `Authorization` came more than once.
    TwoAuthorizations,
    /// The body is larger than this component takes.
    BodyTooLarge,
    /// The body did not arrive in time.
    BodyTimeout,
    /// The headers are larger than the host takes.
    HeadersTooLarge,
    /// The component trapped, or its answer was invalid.
    Failed,
    /// A queue is full, or the wait in it took too long.
    Overloaded,
    /// The component did not answer in time.
    Deadline,
}

impl From<Overloaded> for FrontError {
    fn from(_: Overloaded) -> Self {
        Self::Overloaded
    }
}

impl FrontError {
    fn parts(self) -> (StatusCode, Code, &'static str) {
        const BAD: Code = Code::BadRequest;
        const INTERNAL: Code = Code::InternalServerError;
        match self {
            Self::Malformed(reason) => (StatusCode::BAD_REQUEST, BAD, reason),
            Self::NoRoute => (
                StatusCode::NOT_FOUND,
                BAD,
                "There is nothing at this address",
            ),
            Self::TwoAuthorizations => (
                StatusCode::UNAUTHORIZED,
                Code::Unauthorized,
                "The request has more than one Authorization header",
            ),
            Self::BodyTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                BAD,
                "The body of the request is too large",
            ),
            Self::BodyTimeout => (
                StatusCode::REQUEST_TIMEOUT,
                Code::RequestTimeout,
                "The body of the request did not arrive in time",
            ),
            Self::HeadersTooLarge => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                BAD,
                "The headers of the request are too large",
            ),
            Self::Failed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                INTERNAL,
                "The server failed to handle this request",
            ),
            Self::Overloaded => (
                StatusCode::SERVICE_UNAVAILABLE,
                INTERNAL,
                "The server is too busy; please try again",
            ),
            Self::Deadline => (
                StatusCode::GATEWAY_TIMEOUT,
                INTERNAL,
                "The server took too long to handle this request",
            ),
        }
    }

    /// The answer to send.
    pub fn response(self) -> Response<Body> {
        let (status, code, msg) = self.parts();
        let text = serde_json::json!({"result": "error", "msg": msg, "code": code.name()});
        let text = text.to_string();
        let mut response = Response::new(Body::from(text));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(NOT_CACHED));
        match self {
            Self::TwoAuthorizations => {
                let challenge = HeaderValue::from_static("Basic realm=\"zulip\"");
                headers.insert(WWW_AUTHENTICATE, challenge);
            }
            Self::Overloaded => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            // The next bytes on this connection may not be a new request.
            Self::Malformed(_) | Self::BodyTooLarge | Self::BodyTimeout | Self::HeadersTooLarge => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
