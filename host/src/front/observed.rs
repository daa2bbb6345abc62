//! A request that is watched, for traces and the access log.
//!
//! Nothing of it exists when both are off: a request then pays for one look at an empty option.
//! What a trace or a line says is not decided here.

use super::Body;
use super::access::Line;
use super::budget::Holder;
use crate::traces::{Trace, Traces};
use http::{HeaderMap, Request, Response};
use spindle_wire::internal::headers::{OPERATION, PATH};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// What is gathered of one request.
pub(super) struct Observed {
    trace: Option<Box<Trace>>,
    line: Option<Line>,
}

impl Observed {
    /// Begins with the head of a request; none when nobody wants to know.
    pub(super) fn begin<B>(
        request: &Request<B>,
        client: IpAddr,
        traces: Option<&Traces>,
        is_logged: bool,
    ) -> Option<Box<Self>> {
        if traces.is_none() && !is_logged {
            return None;
        }
        Some(Box::new(Self {
            trace: traces.map(|traces| traces.begin(request.method(), request.headers())),
            line: is_logged.then(|| Line::new(client, request.method(), request.uri().path())),
        }))
    }

    /// The component has just answered, after this time; `said` are the headers of its answer.
    pub(super) fn called(&mut self, took: Duration, request_id: &str, said: Option<&HeaderMap>) {
        let operation = said.and_then(|headers| headers.get(OPERATION));
        if let Some(trace) = &mut self.trace {
            trace.called(took, request_id, operation);
        }
        if let Some(line) = &mut self.line {
            line.operation(operation, said.and_then(|headers| headers.get(PATH)));
        }
    }

    /// Who has sent it, as far as it is known.
    pub(super) fn sent_by(&mut self, holder: Holder) {
        if let (Some(line), Holder::Account(account)) = (&mut self.line, holder) {
            line.account(account);
        }
    }

    /// The answer goes out.
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
        if let Some(line) = self.line {
            line.write(component, response, started.elapsed());
        }
    }
}
