//! One request on its way: checks, limits, route, component, hand-off.
//!
//! The same way serves clients on sockets, components that call the application
//! itself, and native code of the host (timers), which may say more.

use super::Body;
use super::error::FrontError;
use super::hand_off::{HandOff, Handling, Instruction};
use super::headers;
use super::measures::Measures;
use super::options::{AppOptions, FrontLimits};
use super::rate::{Caller, Counted, RateLimiter, UNPROVEN, caller};
use super::router::Router;
use crate::capabilities::outbound_http::Dispatch;
use crate::runtime::{Pool, PoolError, RequestId};
use crate::traces::{Trace, Traces};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, HOST};
use http::request::Parts;
use http::uri::{Authority, Scheme};
use http::{HeaderName, HeaderValue, Method, Request, Response, Uri, Version};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use ipnet::IpNet;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

const OFFER: HeaderName = HeaderName::from_static("x-spindle-host");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RATE_LIMIT: HeaderName = HeaderName::from_static("x-spindle-rate-limit");
const TRACED: HeaderName = HeaderName::from_static("x-spindle-traced");
const OPERATION: &str = "x-spindle-operation";
const PROVEN: &str = "x-spindle-proven";
const HAND_OFF: &str = "x-spindle-hand-off";

/// A loaded application. Cloning is cheap and shares everything.
#[derive(Clone)]
pub struct App {
    pub(super) inner: Arc<Inner>,
}

/// Who is at the other end of a connection.
pub(super) struct Peer {
    pub(super) address: IpAddr,
    /// How the connection is made; addresses that answers hold begin with it.
    pub(super) scheme: Scheme,
}

/// A component and what the front has to know of it.
pub(super) struct Part {
    pub(super) pool: Pool,
    pub(super) max_body_bytes: usize,
    pub(super) measures: Measures,
}

pub(super) struct Inner {
    router: Router,
    pub(super) parts: Vec<Arc<Part>>,
    pub(super) limits: FrontLimits,
    pub(super) hand_offs: HashMap<String, Arc<dyn HandOff>>,
    rate_limiter: Option<Arc<dyn RateLimiter>>,
    trusted_proxies: Vec<IpNet>,
    /// Tells request ids of this process from those of others.
    epoch: u32,
    next_request: AtomicU64,
    /// Of requests that reach no component.
    refused: Measures,
    traces: Option<Arc<Traces>>,
}

impl Inner {
    pub(super) fn new(router: Router, parts: Vec<Arc<Part>>, options: AppOptions) -> Self {
        let nanos = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        Self {
            router,
            parts,
            limits: options.limits,
            hand_offs: options.hand_offs,
            rate_limiter: options.rate_limiter,
            trusted_proxies: options.trusted_proxies,
            epoch: (nanos & u128::from(u32::MAX)) as u32,
            next_request: AtomicU64::new(1),
            refused: Measures::new(""),
            traces: options.traces,
        }
    }
}

impl App {
    pub(super) fn new(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    /// Answers a request of native code, without a socket, a body limit or a
    /// rate limit. Headers are passed on as they are, internal ones included.
    pub async fn dispatch(&self, request: Request<Bytes>) -> Response<Body> {
        self.inner.dispatch(None, request).await
    }

    /// Instances alive now, by component.
    pub fn instances(&self) -> Vec<(String, usize)> {
        let parts = self.inner.parts.iter();
        parts
            .map(|part| (part.pool.id().to_owned(), part.pool.instances()))
            .collect()
    }
}

impl Inner {
    /// Answers a request that came over a socket.
    ///
    /// What it returns may wait for minutes, so it has no room for the request or for a call:
    /// the request is taken apart at once, and the call is boxed.
    pub(super) fn serve<B>(
        self: Arc<Self>,
        request: Request<B>,
        peer: Peer,
    ) -> impl Future<Output = Response<Body>>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let started = Instant::now();
        let traces = self.traces.as_ref();
        let mut trace = traces.map(|traces| traces.begin(request.method(), request.headers()));
        let work = match self.admit(request, peer.scheme) {
            Ok((part, head, body)) => {
                let (inner, called) = (Arc::clone(&self), Arc::clone(&part));
                let work = Box::pin(async move {
                    let work =
                        inner.serve_part(&called, head, body, peer.address, trace.as_deref_mut());
                    (work.await, trace)
                });
                Ok((part, work))
            }
            Err(error) => Err((error, trace)),
        };
        async move {
            let (part, (outcome, trace)) = match work {
                Ok((part, work)) => (Some(part), work.await),
                Err((error, trace)) => (None, (Err(error), trace)),
            };
            let response = match outcome {
                Ok(Step::Answered(response)) => response,
                Ok(Step::HandedOff(handling, id)) => mark(handling.await, &id),
                Err(error) => error.response(),
            };
            let (measures, component) = match &part {
                Some(part) => (&part.measures, part.pool.id()),
                None => (&self.refused, ""),
            };
            measures.record(response.status(), started);
            if let (Some(traces), Some(trace)) = (&self.traces, trace) {
                traces.end(*trace, component, response.status());
            }
            response
        }
    }

    /// Checks the head and finds the component.
    fn admit<B>(
        &self,
        request: Request<B>,
        scheme: Scheme,
    ) -> Result<(Arc<Part>, Parts, B), FrontError> {
        let mut request = request;
        headers::check(&request)?;
        to_absolute_form(&mut request, scheme)?;
        let number = self.router.find(request.uri().path());
        let part = number.and_then(|number| self.parts.get(number));
        let part = part.map(Arc::clone).ok_or(FrontError::NoRoute)?;
        let (mut head, body) = request.into_parts();
        headers::strip_hop_by_hop(&mut head.headers);
        headers::strip_internal(&mut head.headers);
        Ok((part, head, body))
    }

    async fn serve_part<B>(
        &self,
        part: &Part,
        mut head: Parts,
        body: B,
        peer: IpAddr,
        trace: Option<&mut Trace>,
    ) -> Result<Step, FrontError>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let body = self.collect(&head, body, part.max_body_bytes).await?;
        let address = headers::client_address(&head.headers, peer, &self.trusted_proxies);
        let counted = match &self.rate_limiter {
            Some(limiter) => limiter.count(&caller(&head.headers, address)),
            None => Counted::default(),
        };
        if let Some(value) = counted.verdict.and_then(|verdict| verdict.header()) {
            head.headers.insert(RATE_LIMIT, value);
        }
        if !counted.unproven {
            return Ok(self.call(part, head, body, trace).await?.step);
        }
        head.headers.insert(UNPROVEN, HeaderValue::from_static("1"));
        let authorization = head.headers.get(AUTHORIZATION).cloned();
        let Called { step, proven } = self.call(part, head, body, trace).await?;
        if let Some(limiter) = &self.rate_limiter {
            let authorization = authorization.as_ref();
            let caller = Caller {
                address,
                authorization,
            };
            limiter.answered(&caller, proven);
        }
        Ok(step)
    }

    /// Reads the whole body, so that no slow client ever holds an instance.
    async fn collect<B>(&self, head: &Parts, body: B, limit: usize) -> Result<Bytes, FrontError>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if body.is_end_stream() {
            return Ok(Bytes::new());
        }
        let announced = head.headers.get(CONTENT_LENGTH);
        let announced = announced.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Err(FrontError::BodyTooLarge);
        }
        let reading = Limited::new(body, limit).collect();
        match tokio::time::timeout(self.limits.body_timeout, reading).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(FrontError::BodyTooLarge),
            Ok(Err(_)) => Err(FrontError::Malformed(
                "The body of the request is not complete",
            )),
            Err(_) => Err(FrontError::BodyTimeout),
        }
    }

    /// Calls the component and does what its answer tells the host to do.
    async fn call(
        &self,
        part: &Part,
        mut head: Parts,
        body: Bytes,
        trace: Option<&mut Trace>,
    ) -> Result<Called, FrontError> {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        let id = RequestId::new(self.epoch, number);
        // One header says both: each one more costs a guest some microseconds.
        head.headers.insert(OFFER, id.header());
        head.headers.remove(REQUEST_ID);
        if trace.is_some() {
            head.headers.insert(TRACED, HeaderValue::from_static("1"));
        }
        if head.headers.contains_key(CONTENT_LENGTH) || !body.is_empty() {
            head.headers
                .insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        // Only a hand-off needs the head again, and its kinds are few and cheap.
        let kept = (!self.hand_offs.is_empty()).then(|| head.clone());
        let request = Request::from_parts(head, body);
        let started = Instant::now();
        let answer = part.pool.handle(request, id.clone()).await;
        let took = started.elapsed();
        part.measures.record_component(took, answer.as_ref().err());
        if let Some(trace) = trace {
            let operation = answer.as_ref().ok();
            let operation = operation.and_then(|answer| answer.headers().get(OPERATION));
            trace.called(took, id.as_str(), operation);
        }
        let mut answer = answer.map_err(|error| match error {
            PoolError::Overloaded => FrontError::Overloaded,
            PoolError::Deadline => FrontError::Deadline,
            PoolError::Failed(_) => FrontError::Failed,
        })?;
        headers::strip_hop_by_hop(answer.headers_mut());
        let instructions = headers::take_internal(answer.headers_mut());
        let proven = instructions.contains_key(PROVEN);
        let mut response = answer.map(Body::from);
        if let Some(kind) = instructions.get(HAND_OFF) {
            let service = kind.to_str().ok().and_then(|kind| self.hand_offs.get(kind));
            let (Some(service), Some(kept)) = (service, kept) else {
                tracing::error!(component = part.pool.id(), ?kind, "unknown hand-off");
                return Err(FrontError::Failed);
            };
            response.headers_mut().remove(CONTENT_LENGTH);
            let instruction = Instruction {
                headers: instructions,
                response,
            };
            let handling = Arc::clone(service).handle(kept, instruction);
            let step = Step::HandedOff(handling, id);
            return Ok(Called { step, proven });
        }
        let step = Step::Answered(mark(response, &id));
        Ok(Called { step, proven })
    }

    async fn dispatch(&self, component: Option<&str>, request: Request<Bytes>) -> Response<Body> {
        let started = Instant::now();
        let (mut head, body) = request.into_parts();
        if head.uri.authority().is_none() {
            let mut parts = head.uri.clone().into_parts();
            parts.scheme = Some(Scheme::HTTP);
            parts.authority = Some(Authority::from_static("self"));
            head.uri = Uri::from_parts(parts).unwrap_or(head.uri);
        }
        let found = match component {
            Some(id) => self.parts.iter().find(|part| part.pool.id() == id),
            None => {
                let number = self.router.find(head.uri.path());
                number.and_then(|number| self.parts.get(number))
            }
        };
        let Some(part) = found else {
            return FrontError::NoRoute.response();
        };
        let called = self.call(part, head, body, None).await;
        let response = match called.map(|called| called.step) {
            Ok(Step::Answered(response)) => response,
            Ok(Step::HandedOff(handling, id)) => mark(handling.await, &id),
            Err(error) => error.response(),
        };
        part.measures.record(response.status(), started);
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

/// What a component has said.
struct Called {
    step: Step,
    /// It has found the account of the credentials; said only when it was asked.
    proven: bool,
}

/// How far a component's answer is.
enum Step {
    /// It goes to the client as it is.
    Answered(Response<Body>),
    /// A service of the host answers, perhaps much later; this is all that waits for it.
    HandedOff(Handling, RequestId),
}

/// Tells the client under which number its request stands in the log.
fn mark(mut response: Response<Body>, id: &RequestId) -> Response<Body> {
    response.headers_mut().insert(REQUEST_ID, id.header());
    response
}

/// Makes the target absolute, as components expect it: `GET http://host/path`
/// means that host, `GET /path` the one in `Host`.
fn to_absolute_form<B>(request: &mut Request<B>, scheme: Scheme) -> Result<(), FrontError> {
    const NO_HOST: FrontError = FrontError::Malformed("The request must name one host");
    const NO_PATH: FrontError = FrontError::Malformed("The target of the request is not a path");
    let mut parts = request.uri().clone().into_parts();
    let path = parts.path_and_query.as_ref().ok_or(NO_PATH)?;
    if !path.as_str().starts_with('/') || *request.method() == Method::CONNECT {
        return Err(NO_PATH);
    }
    if parts.authority.is_none() {
        let mut hosts = request.headers().get_all(HOST).iter();
        parts.authority = match (hosts.next(), request.version()) {
            (Some(host), _) => Some(Authority::try_from(host.as_bytes()).map_err(|_| NO_HOST)?),
            (None, Version::HTTP_11) => return Err(NO_HOST),
            (None, _) => Some(Authority::from_static("localhost")),
        };
        if hosts.next().is_some() {
            return Err(NO_HOST);
        }
    }
    parts.scheme = Some(scheme);
    *request.uri_mut() = Uri::from_parts(parts).map_err(|_| NO_PATH)?;
    Ok(())
}
