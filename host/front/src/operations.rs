//! Matching of requests to operations, and metrics for each operation.
//!
//! Labels are the ids in the table that the application is loaded with, and the empty label for everything else, so
//! clients cannot create labels. Metric handles are created when an operation is first called, since most servers use
//! few operations.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use http::{Method, StatusCode};
use metrics::Histogram;

use super::request_metrics::ResponseCounters;
use spindle_wire::path_template;

/// The operations of an application, found by method and path.
pub(super) struct Operations {
    /// By path template.
    by_path: HashMap<&'static str, Vec<OfMethod>>,
    /// The first entry is for requests that match no operation.
    measures: Vec<Measured>,
}

/// The index of an operation in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(u16);

/// An operation in traces and in the access log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) id: &'static str,
    /// With parameters in braces.
    pub(super) path: &'static str,
}

/// An operation of a path, and its method.
type OfMethod = (&'static str, Number);

struct Measured {
    operation: Operation,
    handles: OnceLock<Handles>,
}

struct Handles {
    requests: ResponseCounters,
    duration: Histogram,
}

impl Operations {
    /// From a table of method, path and id; parameters of a path are in braces.
    pub(super) fn new(table: &[(&'static str, &'static str, &'static str)]) -> Self {
        let mut operations = Self {
            by_path: HashMap::new(),
            measures: vec![Measured::new("", "")],
        };
        for &(method, path, id) in table {
            let Ok(number) = u16::try_from(operations.measures.len()) else {
                break;
            };
            let of_path = operations.by_path.entry(path).or_default();
            of_path.push((method, Number(number)));
            operations.measures.push(Measured::new(id, path));
        }
        operations
    }

    /// The operation of a path without a query.
    pub(super) fn find(&self, method: &Method, path: &str) -> Number {
        // HEAD is answered as GET, without the body.
        let method = match method {
            &Method::HEAD => "GET",
            method => method.as_str(),
        };
        let of_path = self.of_path(path).into_iter().flatten();
        let mut found = of_path.filter(|one| one.0 == method).map(|one| one.1);
        found.next().unwrap_or(Number(0))
    }

    fn of_path(&self, path: &str) -> Option<&Vec<OfMethod>> {
        // Most requests name a path without placeholders: one look-up instead of a pass over all templates.
        let literal = path_template::without_slash(path);
        let literal = Some(literal).filter(|path| !path.contains('{'));
        if let Some(found) = literal.and_then(|path| self.by_path.get(path)) {
            return Some(found);
        }
        let (template, _) = path_template::find(self.by_path.keys().copied(), path)?;
        self.by_path.get(template)
    }

    /// The operation of this number; `None` for a request that matches no operation.
    pub(super) fn get(&self, number: Number) -> Option<Operation> {
        let measured = self.measures.get(usize::from(number.0));
        let measured = measured.filter(|_| number != Number(0))?;
        Some(measured.operation)
    }

    /// Records one answer, and the time until it was ready or the request began to be held.
    pub(super) fn record(&self, number: Number, status: StatusCode, took: Duration) {
        let Some(measured) = self.measures.get(usize::from(number.0)) else {
            return;
        };
        let handles = measured
            .handles
            .get_or_init(|| Handles::new(measured.operation.id));
        handles.requests.count(status);
        handles.duration.record(took.as_secs_f64());
    }
}

impl Measured {
    fn new(id: &'static str, path: &'static str) -> Self {
        Self {
            operation: Operation { id, path },
            handles: OnceLock::new(),
        }
    }
}

impl Handles {
    fn new(id: &'static str) -> Self {
        Self {
            requests: ResponseCounters::new(|status| {
                metrics::counter!("spindle_operation_requests_total",
                    "operation" => id, "status" => status)
            }),
            duration: metrics::histogram!("spindle_operation_seconds", "operation" => id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(operations: &Operations, method: &Method, path: &str) -> &'static str {
        let number = operations.find(method, path);
        operations.get(number).map_or("", |operation| operation.id)
    }

    #[test]
    fn a_request_is_named_by_its_method_and_path() {
        let operations = Operations::new(spindle_openapi::OPERATIONS);
        for (method, path, expected) in [
            (Method::GET, "/", "get-page"),
            (Method::GET, "/api/v1/users/me", "get-own-user"),
            (Method::HEAD, "/api/v1/users/me", "get-own-user"),
            (Method::GET, "/api/v1/users/me/", "get-own-user"),
            (Method::GET, "/api/v1/users/17", "get-user"),
            (Method::GET, "/api/v1/users/a@b.c", "get-user-by-email"),
            (Method::GET, "/api/v1/users/17/status", "get-user-status"),
            (Method::POST, "/api/v1/messages", "send-message"),
            (Method::GET, "/api/v1/messages/5", "get-message"),
            (Method::PATCH, "/api/v1/messages/5", "update-message"),
            (Method::GET, "/join/some-key", "get-invitation-page"),
            (Method::PUT, "/api/v1/users/me", ""),
            (Method::GET, "/api/v1/users/me/nothing/here", ""),
            (Method::GET, "/api/v1/made-up-17", ""),
        ] {
            assert_eq!(id(&operations, &method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn every_operation_of_the_table_is_found() {
        let operations = Operations::new(spindle_openapi::OPERATIONS);
        for (method, path, expected) in spindle_openapi::OPERATIONS {
            let segments = path.split('/').map(|segment| match segment {
                _ if segment.ends_with("id}") => "17",
                _ if segment.ends_with('}') => "word",
                other => other,
            });
            let path = segments.collect::<Vec<_>>().join("/");
            let method = method.parse().unwrap();
            assert_eq!(id(&operations, &method, &path), *expected, "{path}");
        }
    }

    #[test]
    fn answers_are_counted_under_the_names_of_the_table_only() {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            let operations = Operations::new(&[("GET", "/x/{y_id}", "get-x")]);
            for (path, status) in [("/x/1", 200), ("/x/2", 503), ("/made-up", 404)] {
                let number = operations.find(&Method::GET, path);
                let status = StatusCode::from_u16(status).unwrap();
                operations.record(number, status, Duration::from_millis(3));
            }
        });
        let text = handle.render();
        for line in [
            "spindle_operation_requests_total{operation=\"get-x\",status=\"2xx\"} 1",
            "spindle_operation_requests_total{operation=\"get-x\",status=\"5xx\"} 1",
            "spindle_operation_requests_total{operation=\"\",status=\"4xx\"} 1",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert!(!text.contains("made-up"));
    }
}
