//! The trace of one request: its operation, its outcome, and the time in the component.

use std::time::{Duration, SystemTime};

use http::{Method, StatusCode};
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;

/// A request that is being traced.
pub struct Trace {
    parent: Context,
    method: Method,
    operation: Option<&'static str>,
    started: SystemTime,
    called: Option<Called>,
}

/// The call of the component.
struct Called {
    started: SystemTime,
    took: Duration,
    request_id: String,
}

impl Trace {
    pub(super) fn new(method: &Method, operation: Option<&'static str>, parent: Context) -> Self {
        Self {
            parent,
            method: method.clone(),
            operation,
            started: SystemTime::now(),
            called: None,
        }
    }

    /// Records that the component answered after `took`.
    pub fn called(&mut self, took: Duration, request_id: &str) {
        let now = SystemTime::now();
        self.called = Some(Called {
            started: now.checked_sub(took).unwrap_or(self.started),
            took,
            request_id: request_id.to_owned(),
        });
    }

    pub(super) fn end(self, tracer: &SdkTracer, component: &str, status: StatusCode) {
        let Self {
            parent,
            method,
            operation,
            started,
            called,
        } = self;
        let method = known(&method);
        let mut attributes = vec![
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
            KeyValue::new("spindle.component", component.to_owned()),
        ];
        if let Some(operation) = operation {
            attributes.push(KeyValue::new("spindle.operation", operation));
        }
        if let Some(called) = &called {
            attributes.push(KeyValue::new(
                "spindle.request_id",
                called.request_id.clone(),
            ));
        }
        let span = tracer
            .span_builder(operation.unwrap_or(method))
            .with_kind(SpanKind::Server)
            .with_start_time(started)
            .with_attributes(attributes);
        let mut span = tracer.build_with_context(span, &parent);
        if !span.is_recording() {
            return;
        }
        if status.is_server_error() {
            span.set_status(Status::error(""));
        }
        if let Some(called) = called {
            let inside = Context::new().with_remote_span_context(span.span_context().clone());
            let part = tracer
                .span_builder(format!("component {component}"))
                .with_kind(SpanKind::Internal)
                .with_start_time(called.started);
            let mut part = tracer.build_with_context(part, &inside);
            part.end_with_timestamp(called.started + called.took);
        }
        span.end();
    }
}

/// The name of a standard method; other methods share one name, so that clients cannot create labels.
pub fn known(method: &Method) -> &'static str {
    for known in [
        "GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE",
    ] {
        if method.as_str() == known {
            return known;
        }
    }
    "_OTHER"
}
