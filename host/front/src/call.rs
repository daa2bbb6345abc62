//! One call of a component: the host's headers of the request, the answer, and its hand-off.
//!
//! Requests of clients (`app`) and calls of components to the application itself, whose headers are passed
//! on unchanged, both come here.

use super::access_log;
use super::app::{HostedComponent, Inner};
use super::error::FrontError;
use super::exclusive::call_instance;
use super::hand_off::{Handling, Instruction};
use super::headers;
use super::observation::Observation;
use super::rate::WRITTEN_PER_REQUEST;
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::uri::{Authority, Scheme};
use http::{HeaderName, HeaderValue, Request, Response, Uri};
use spindle_admission::Ticket;
use spindle_admission::body::Body;
use spindle_runtime::outbound_http::Dispatch;
use spindle_runtime::{PoolError, RequestId};
use spindle_wire::internal::Account;
use spindle_wire::internal::headers::{self as names, COUNTS_AS, HAND_OFF, PROVEN, WRONG_GUESS};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

impl Inner {
    /// Calls the component and performs the task of its answer. Calls of the host itself have no ticket.
    pub(super) async fn call(
        &self,
        part: &HostedComponent,
        mut head: Parts,
        body: Bytes,
        ticket: Option<Arc<Ticket>>,
        observed: Option<&mut Observation>,
    ) -> Result<Called, FrontError> {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        let id = RequestId::new(self.epoch, number, ticket.clone());
        let counted_by = ticket.clone();
        // One header says both: each one more costs a guest some microseconds.
        head.headers.insert(names::HOST, id.header());
        head.headers.remove(REQUEST_ID);
        if head.headers.contains_key(CONTENT_LENGTH) || !body.is_empty() {
            head.headers
                .insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        // Only a hand-off needs the head again, and its kinds are few and cheap.
        let started = Instant::now();
        let answer = call_instance(&self.admission, part, &head, body, &id, ticket).await;
        let took = started.elapsed();
        part.metrics.record_component(took, answer.as_ref().err());
        if let Some(observed) = observed {
            observed.called(took, id.as_str());
        }
        let mut answer = answer.map_err(|error| match error {
            PoolError::Overloaded => FrontError::Overloaded,
            PoolError::Deadline => FrontError::Deadline,
            PoolError::Failed(_) => FrontError::Failed,
        })?;
        headers::strip_hop_by_hop(answer.headers_mut());
        let instructions = headers::take_internal(answer.headers_mut());
        let account = instructions.get(PROVEN);
        let account = account.and_then(|id| id.to_str().ok()?.parse().ok());
        let mut response = answer.map(Body::from);
        if let Some(secret) = instructions.get(WRONG_GUESS) {
            access_log::mark_refused_secret(&mut response, secret);
        }
        if let (Some(ticket), Some(requests)) = (counted_by, instructions.get(COUNTS_AS)) {
            let requests = requests.to_str().ok().and_then(|text| text.parse().ok());
            ticket.wrote(requests.unwrap_or(1_u64).saturating_sub(1) * WRITTEN_PER_REQUEST);
        }
        if let Some(kind) = instructions.get(HAND_OFF) {
            let service = kind.to_str().ok().and_then(|kind| self.hand_offs.get(kind));
            let service = service.filter(|service| service.serves(part.pool.id()));
            let Some(service) = service else {
                tracing::error!(component = part.pool.id(), ?kind, "no such hand-off");
                return Err(FrontError::Failed);
            };
            response.headers_mut().remove(CONTENT_LENGTH);
            let instruction = Instruction {
                headers: instructions,
                response,
                memory: Arc::clone(self.memory()),
            };
            let handling = Arc::clone(service).handle(head, instruction);
            let step = Step::HandedOff(handling, id.header());
            return Ok(Called { step, account });
        }
        let step = Step::Answered(mark(response, id.header()));
        Ok(Called { step, account })
    }

    async fn dispatch(&self, component: Option<&str>, request: Request<Bytes>) -> Response<Body> {
        let started = Instant::now();
        let (mut head, body) = request.into_parts();
        to_the_application(&mut head);
        let found = match component {
            Some(id) => self.parts.iter().find(|part| part.pool.id() == id),
            None => self.part_of(head.uri.path()),
        };
        let Some(part) = found else {
            return FrontError::NoRoute.response();
        };
        let called = self.call(part, head, body, None, None).await;
        let response = match called.map(|called| called.step) {
            Ok(Step::Answered(response)) => response,
            Ok(Step::HandedOff(handling, id)) => mark(handling.await, id),
            Err(error) => error.response(),
        };
        part.metrics.record(response.status(), started);
        response
    }
}

#[async_trait::async_trait]
impl Dispatch for Inner {
    async fn dispatch_inside(
        &self,
        component: Option<&str>,
        request: Request<Bytes>,
    ) -> Response<Body> {
        self.dispatch(component, request).await
    }
}

/// The headers of a component's answer that are for the host.
pub(super) struct Called {
    pub(super) step: Step,
    /// The account of the credentials, if the host has asked for it.
    pub(super) account: Option<Account>,
}

/// How far a component's answer is.
pub(super) enum Step {
    /// It goes to the client unchanged.
    Answered(Response<Body>),
    /// A service of the host answers, perhaps much later; this is all that waits for it.
    HandedOff(Handling, HeaderValue),
}

/// Makes the target of a request that the host makes itself absolute.
fn to_the_application(head: &mut Parts) {
    if head.uri.authority().is_none() {
        let mut parts = head.uri.clone().into_parts();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(Authority::from_static("self"));
        if let Ok(uri) = Uri::from_parts(parts) {
            head.uri = uri;
        }
    }
}

/// Adds the id of the request in the log to the answer.
pub(super) fn mark(mut response: Response<Body>, id: HeaderValue) -> Response<Body> {
    response.headers_mut().insert(REQUEST_ID, id);
    response
}
