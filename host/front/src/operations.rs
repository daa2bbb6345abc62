//! Matching of requests to operations, and metrics for each operation.
//!
//! Labels are the ids in the table that the application is loaded with, and the empty label for
//! everything else, so clients cannot create labels. Metric handles are created when an operation is
//! first called, since most servers use few operations. Must not decide anything about a request.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use http::{Method, StatusCode};
use metrics::Histogram;

use super::request_metrics::ResponseCounters;

/// The operations of an application, found by method and path.
pub(super) struct Operations {
    root: Node,
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

/// A node in the tree of path segments.
#[derive(Default)]
struct Node {
    exact: HashMap<&'static str, Node>,
    /// Parameters that are ids: a segment of digits matches these first.
    id: Option<Box<Node>>,
    any: Option<Box<Node>>,
    /// Operations of the path that ends here, by method.
    ends: Vec<(&'static str, Number)>,
}

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
            root: Node::default(),
            measures: vec![Measured::new("", "")],
        };
        for &(method, path, id) in table {
            let Ok(number) = u16::try_from(operations.measures.len()) else {
                break;
            };
            let node = path
                .trim_matches('/')
                .split('/')
                .fold(&mut operations.root, |node, segment| node.child(segment));
            node.ends.push((method, Number(number)));
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
        let found = self.root.find(Some(path.trim_matches('/')), method);
        found.unwrap_or(Number(0))
    }

    /// The operation of this number; none for a request that matches no operation.
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

impl Node {
    /// The child node for a segment of the table, created if needed.
    fn child(&mut self, segment: &'static str) -> &mut Self {
        match segment.strip_prefix('{') {
            None => self.exact.entry(segment).or_default(),
            Some(name) if name.ends_with("id}") => self.id.get_or_insert_default(),
            Some(_) => self.any.get_or_insert_default(),
        }
    }

    /// Matches the rest of a path; `path` is `None` at its end.
    fn find(&self, path: Option<&str>, method: &str) -> Option<Number> {
        let Some(path) = path else {
            let mut ends = self.ends.iter();
            return ends.find(|end| end.0 == method).map(|end| end.1);
        };
        let (segment, rest) = match path.split_once('/') {
            Some((segment, rest)) => (segment, Some(rest)),
            None => (path, None),
        };
        let follow = |node: Option<&Self>| node.and_then(|node| node.find(rest, method));
        let is_id = segment.bytes().all(|byte| byte.is_ascii_digit());
        let (first, second) = if is_id {
            (&self.id, &self.any)
        } else {
            (&self.any, &self.id)
        };
        follow(self.exact.get(segment))
            .or_else(|| follow(first.as_deref()))
            .or_else(|| follow(second.as_deref()))
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
            (Method::GET, "", "get-page"),
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
