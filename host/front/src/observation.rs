//! Data of one request for traces and the access log.
//!
//! Not created when both are disabled: a request then pays only for the check of an `Option`. The
//! content of a trace or a log line is not decided here.

use super::access_log::AccessLogEntry;
use super::operations::Operation;
use crate::traces::{Trace, Traces};
use http::{Request, Response};
use spindle_admission::body::Body;
use spindle_wire::internal::Account;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The trace and the log entry of one request.
pub(super) struct Observation {
    trace: Option<Box<Trace>>,
    log_entry: Option<AccessLogEntry>,
}

impl Observation {
    /// Begins with the head of a request to `operation`; `None` when traces and access log are disabled.
    pub(super) fn begin<B>(
        request: &Request<B>,
        operation: Option<Operation>,
        client: IpAddr,
        traces: Option<&Traces>,
        is_logged: bool,
    ) -> Option<Box<Self>> {
        if traces.is_none() && !is_logged {
            return None;
        }
        Some(Box::new(Self {
            trace: traces.map(|traces| {
                let id = operation.map(|operation| operation.id);
                traces.begin(request.method(), request.headers(), id)
            }),
            log_entry: is_logged.then(|| {
                AccessLogEntry::new(client, request.method(), request.uri().path(), operation)
            }),
        }))
    }

    /// Records that the component answered after `took`.
    pub(super) fn called(&mut self, took: Duration, request_id: &str) {
        if let Some(trace) = &mut self.trace {
            trace.called(took, request_id);
        }
    }

    /// Records the sender, as far as it is known.
    pub(super) fn sent_by(&mut self, account: Option<Account>) {
        if let (Some(log_entry), Some(account)) = (&mut self.log_entry, account) {
            log_entry.account(account.user_id);
        }
    }

    /// Ends the trace and writes the log entry.
    pub(super) fn end(
        self,
        traces: Option<&Traces>,
        component: &str,
        response: &Response<Body>,
        started: Instant,
    ) {
        if let (Some(traces), Some(trace)) = (traces, self.trace) {
            traces.end(*trace, component, response.status());
        }
        if let Some(log_entry) = self.log_entry {
            log_entry.write(component, response, started.elapsed());
        }
    }
}
