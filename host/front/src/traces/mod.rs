//! Traces of requests, sent to a collector in OpenTelemetry's protocol.
//!
//! Disabled unless OpenTelemetry's own variables name a collector; a request then pays only for the
//! check of an `Option`. Owns the content of a span. Must not delay an answer: spans are created when
//! the answer is known, and sent by another thread. Paths are not recorded, because some are secret.

mod collector;
mod request;

use std::time::Duration;

use anyhow::{Context as _, Result};
use http::{HeaderMap, Method};
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

use collector::Collector;
pub use request::{Trace, known};

/// Time limit for one batch, unless a variable sets it.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Creates and sends spans.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
}

impl Traces {
    /// The tracing that the environment configures; `None` when it names no collector or disables
    /// tracing. Must be called within a tokio runtime, on which the spans are sent.
    pub fn from_environment() -> Result<Option<Self>> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if !is_wanted(variable) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Collector::new(timeout(variable)))
            .build()
            .context("traces (OTEL_EXPORTER_OTLP_...)")?;
        let mut resource = Resource::builder()
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        if !is_named(variable) {
            resource = resource.with_service_name("spindle");
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        tracing::info!("traces of requests are sent to a collector");
        Ok(Some(Self {
            tracer: provider.tracer("spindle"),
            provider,
            propagator: TraceContextPropagator::new(),
        }))
    }

    /// Begins the trace of a request, as a child of the client's trace if there is one.
    pub fn begin(
        &self,
        method: &Method,
        headers: &HeaderMap,
        operation: Option<&'static str>,
    ) -> Box<Trace> {
        let parent = self
            .propagator
            .extract_with_context(&Context::new(), &HeaderExtractor(headers));
        Box::new(Trace::new(method, operation, parent))
    }

    /// Ends the trace of a request that `component` has answered.
    pub fn end(&self, trace: Trace, component: &str, status: http::StatusCode) {
        trace.end(&self.tracer, component, status);
    }

    /// Sends the remaining spans; waits for the collector for a limited time.
    pub fn stop(&self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

/// Whether a collector is configured and tracing is not disabled.
fn is_wanted(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| {
        variable(name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
    };
    if is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
        return false;
    }
    variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").is_some()
        || variable("OTEL_EXPORTER_OTLP_ENDPOINT").is_some()
}

/// Whether the operator has set the service name.
fn is_named(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("OTEL_SERVICE_NAME").is_some()
        || variable("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="))
}

/// The time limit for one batch.
fn timeout(variable: impl Fn(&str) -> Option<String>) -> Duration {
    let given = variable("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT");
    let given = given.or_else(|| variable("OTEL_EXPORTER_OTLP_TIMEOUT"));
    let given = given.and_then(|milliseconds| milliseconds.trim().parse().ok());
    given.map_or(TIMEOUT, Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn a_collector_switches_them_on_and_two_variables_off() {
        let named = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/x");
        assert!(!is_wanted(environment(&[])));
        assert!(is_wanted(environment(&[named])));
        assert!(is_wanted(environment(&[own])));
        assert!(!is_wanted(environment(&[
            named,
            ("OTEL_SDK_DISABLED", "True")
        ])));
        assert!(!is_wanted(environment(&[
            own,
            ("OTEL_TRACES_EXPORTER", "none")
        ])));
    }

    #[test]
    fn the_own_variable_of_traces_wins() {
        let general = ("OTEL_EXPORTER_OTLP_TIMEOUT", "200");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "50");
        assert_eq!(
            timeout(environment(&[general, own])),
            Duration::from_millis(50)
        );
        assert_eq!(timeout(environment(&[general])), Duration::from_millis(200));
        assert_eq!(timeout(environment(&[])), TIMEOUT);
        let attributes = ("OTEL_RESOURCE_ATTRIBUTES", "a=b,service.name=chat");
        assert!(is_named(environment(&[attributes])) && !is_named(environment(&[])));
    }
}
