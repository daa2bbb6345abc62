//! Blobs that come in parts, over the interface of the event-queue service.
//!
//! Owns the call for each step. Operations own the meaning and the order of the steps.

use crate::environment::Environment;
use crate::error::Failure;
use crate::outbound::call_with;
use crate::reply::{PartOutcome, PartStep, PartWork};
use crate::service;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use spindle_wire::internal::Route;
use spindle_wire::internal::headers::UPLOAD_OFFSET;

/// Takes one step.
pub(crate) async fn work(
    work: &PartWork,
    environment: &Environment,
) -> Result<PartOutcome, Failure> {
    let path = Route::Part(&work.key).path();
    let mut headers = HeaderMap::new();
    let (method, path, body) = match &work.step {
        PartStep::Measure => (Method::GET, path, Bytes::new()),
        PartStep::Append { offset, content } => {
            headers.insert(UPLOAD_OFFSET, HeaderValue::from(*offset));
            (Method::PATCH, path, content.clone())
        }
        PartStep::Join { content_type } => {
            let value = HeaderValue::from_str(content_type);
            let value = value.map_err(|error| Failure::internal(error.to_string()))?;
            headers.insert(CONTENT_TYPE, value);
            (Method::POST, path, Bytes::new())
        }
        PartStep::Read => {
            let path = Route::Blob(&work.key).path();
            (Method::GET, path, Bytes::new())
        }
    };
    let answer = call_with(environment, method, &path, &headers, body).await;
    let answer = answer.map_err(service::unreachable)?;
    match (answer.status(), &work.step) {
        (StatusCode::NOT_FOUND, _) => Ok(PartOutcome::Missing),
        (StatusCode::LOCKED, _) => Ok(PartOutcome::Busy),
        (StatusCode::CONFLICT, _) => length(&answer).map(PartOutcome::Elsewhere),
        (StatusCode::OK, PartStep::Read) => Ok(PartOutcome::Content(answer.into_body())),
        (StatusCode::OK, _) => length(&answer).map(PartOutcome::Length),
        (status, _) => Err(service::refused(status, "handle a part")),
    }
}

fn length(answer: &Response<Bytes>) -> Result<u64, Failure> {
    let length = answer.headers().get(UPLOAD_OFFSET);
    let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
    length.ok_or_else(|| Failure::internal("the service does not say how many bytes there are"))
}
