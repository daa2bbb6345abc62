//! Figures for owners: the host answers for the component that has checked the caller.

use std::sync::Arc;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Response};
use serde_json::{Map, Value};
use spindle_wire::internal::Task;

use super::callers;
use spindle_admission::body::Body;
use spindle_front::{HandOff, Handling, Instruction};
use spindle_ops::Figures;

/// [`Task::Figures`].
pub(super) struct ShownFigures(pub(super) Figures);

impl HandOff for ShownFigures {
    fn handle(self: Arc<Self>, _request: Parts, instruction: Instruction) -> Handling {
        let task = Task::from_headers(&instruction.headers);
        let ignored = task.map(|(_, ignored)| ignored).unwrap_or_default();
        Box::pin(async move { answer(&self.0, &ignored, instruction.response).await })
    }

    fn serves(&self, component: &str) -> bool {
        callers::FIGURES.contains(&component)
    }
}

/// The figures in their envelope; `base` gives the headers, `ignored` names parameters that the
/// component does not support.
pub(super) async fn answer(
    figures: &Figures,
    ignored: &[String],
    mut base: Response<Body>,
) -> Response<Body> {
    let figures = figures.clone();
    // Looks at files of the system.
    let fields = tokio::task::spawn_blocking(move || figures.fields()).await;
    let mut envelope = Map::new();
    envelope.insert("result".to_owned(), Value::from("success"));
    envelope.insert("msg".to_owned(), Value::from(""));
    envelope.extend(fields.unwrap_or_default());
    if !ignored.is_empty() {
        let name = "ignored_parameters_unsupported".to_owned();
        envelope.insert(name, Value::from(ignored));
    }
    let body = Value::from(envelope).to_string();
    let headers = base.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    *base.body_mut() = Body::from(body);
    base
}
