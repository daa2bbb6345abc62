//! One request of a client: checks, limits, route, the call of its component, the answer.

use super::access_log;
use super::app::{HostedComponent, Inner};
use super::call::{Called, Step, mark};
use super::coding::Coding;
use super::compress;
use super::error::FrontError;
use super::headers;
use super::observation::Observation;
use super::pictures::may_hold_picture;
use super::rate::{Counted, caller};
use super::receive::Received;
use super::sender::{Credentials, Sender};
use super::upload_pieces;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST};
use http::request::Parts;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Method, Request, Response, Uri, Version};
use spindle_admission::body::Body;
use spindle_admission::memory::Client;
use spindle_admission::{Class, Holding};
use spindle_wire::internal::headers::{CLIENT_ADDRESS, UNPROVEN};
use spindle_wire::internal::{self, Account};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// The other end of a connection.
pub(super) struct Peer {
    pub(super) address: IpAddr,
    /// How the connection is made; addresses that answers hold begin with it.
    pub(super) scheme: Scheme,
}

impl Inner {
    /// Answers a request that came over a socket.
    ///
    /// The returned future may wait for minutes, so it must not hold the request or a call: the
    /// request is taken apart immediately, and the call is boxed.
    pub(super) fn serve<B>(
        self: Arc<Self>,
        request: Request<B>,
        peer: Peer,
    ) -> impl Future<Output = Response<Body>>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let started = Instant::now();
        let operation = self.operations.find(request.method(), request.uri().path());
        let coding = Coding::of(&request);
        let address =
            headers::client_address(request.headers(), peer.address, &self.trusted_proxies);
        let traces = self.traces.as_deref();
        let named = self.operations.get(operation);
        let mut observed = Observation::begin(&request, named, address, traces, self.access_log);
        let work = match self.admit(request, peer.scheme) {
            Ok((part, head, body)) => {
                let has_key = head.headers.contains_key(AUTHORIZATION);
                let (inner, called) = (Arc::clone(&self), Arc::clone(&part));
                let work = Box::pin(async move {
                    let watching = observed.as_deref_mut();
                    let outcome = inner.serve_part(&called, head, body, address, watching);
                    let outcome = outcome.await;
                    if let Ok((Step::Answered(response), _)) = &outcome {
                        access_log::log_refusal(response, has_key, address);
                    }
                    if let (Some(observed), Ok((_, sender))) = (&mut observed, &outcome) {
                        observed.sent_by(sender.account);
                    }
                    let outcome = outcome.map(|(step, sender)| (step, sender.holder()));
                    (outcome, observed)
                });
                Ok((part, work))
            }
            Err(error) => Err((error, observed)),
        };
        async move {
            let (part, (outcome, observed)) = match work {
                Ok((part, work)) => (Some(part), work.await),
                Err((error, observed)) => (None, (Err(error), observed)),
            };
            // Time from here on, for example while a poll is held, does not count for the
            // operation.
            let took = started.elapsed();
            let response = match outcome {
                Ok((step, holder)) => {
                    let mut response = match step {
                        Step::Answered(response) => response,
                        Step::HandedOff(handling, id) => {
                            self.counted(mark(handling.await, id), holder)
                        }
                    };
                    if compress::is_due(coding, &mut response) {
                        let compressor = &self.compressor;
                        let work = compressor.compress(self.memory(), holder, response);
                        response = Box::pin(work).await;
                    }
                    response
                }
                Err(error) => error.response(),
            };
            self.operations.record(operation, response.status(), took);
            let (metrics, component) = match &part {
                Some(part) => (&part.metrics, part.pool.id()),
                None => (&self.refused, ""),
            };
            metrics.record(response.status(), started);
            if let Some(observed) = observed {
                observed.end(self.traces.as_deref(), component, &response, started);
            }
            response
        }
    }

    /// Counts the bytes that the client has not read yet.
    fn counted(&self, response: Response<Body>, holder: Client) -> Response<Body> {
        response.map(|body| body.counted(self.memory(), holder))
    }

    /// Checks the head and finds the component.
    fn admit<B>(
        &self,
        request: Request<B>,
        scheme: Scheme,
    ) -> Result<(Arc<HostedComponent>, Parts, B), FrontError> {
        let mut request = request;
        headers::check(&request)?;
        to_absolute_form(&mut request, scheme)?;
        let part = self.part_of(request.uri().path());
        let part = part.map(Arc::clone).ok_or(FrontError::NoRoute)?;
        let (mut head, body) = request.into_parts();
        headers::strip_hop_by_hop(&mut head.headers);
        headers::take_internal(&mut head.headers);
        Ok((part, head, body))
    }

    async fn serve_part<B>(
        &self,
        part: &HostedComponent,
        mut head: Parts,
        body: B,
        address: IpAddr,
        observed: Option<&mut Observation>,
    ) -> Result<(Step, Sender), FrontError>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let limiter = self.rate_limiter.as_deref();
        let charging = self.rate_limiter.as_ref();
        let charging = charging.filter(|_| part.is_rate_limited);
        let counted = match charging {
            Some(limiter) => limiter.count(&caller(&head, address)),
            None => Counted::default(),
        };
        let mut sender = Sender {
            address,
            account: counted.account,
            unproven: counted.unproven,
            is_over: counted.is_over(),
        };
        // The account of the credentials may be known before the component is called.
        let for_component = internal::Counted {
            unproven: false,
            ..counted.for_component()
        };
        for_component.write_to(&mut head.headers);
        if part.needs_client_address
            && let Ok(address) = HeaderValue::try_from(address.to_string())
        {
            head.headers.insert(CLIENT_ADDRESS, address);
        }
        let credentials = Credentials::of(&head, address);
        if let Some(offset) = upload_pieces::offset_of(&head) {
            let passed = self.serve_in_pieces(part, head, body, &mut sender, offset, observed);
            let step = Box::pin(passed).await?;
            sender.forget_if_refused(limiter, &credentials, &step);
            return Ok((self.counted_step(step, &sender), sender));
        }
        let received = match self.receive(part, &head, body, &mut sender).await? {
            Ok(received) => received,
            Err(refusal) => return Ok((refusal, sender)),
        };
        if sender.unproven && !sender.is_over && has_key(&head) {
            // What the request costs counts for its account, and not for others at its address. Wrong credentials get
            // the answer of the operation. A session is not asked for twice: its first request may renew it, and
            // sessions are not made as fast as keys.
            let _proving = self.ticket(sender.holder(), Class::Ordinary).await?;
            self.prove(&head, &mut sender).await?;
        }
        // The memory of the body is released when the component has answered.
        let Received {
            body,
            held: _held,
            ticket,
        } = received;
        let ticket = match ticket {
            Some(ticket) => ticket,
            None => self.ticket(sender.holder(), Class::Ordinary).await?,
        };
        sender.pay_for(charging, &ticket);
        if part.has_pictures && !body.is_empty() && may_hold_picture(&head, &body) {
            ticket.exchange(Class::Picture, Holding::Nothing).await?;
        }
        // Also of a known bot, whose rate the operator may have changed.
        let is_bot =
            |account: Account| account.owner_id.is_some() || account.requests_per_minute.is_some();
        if sender.unproven || sender.account.is_some_and(is_bot) {
            head.headers.insert(UNPROVEN, HeaderValue::from_static("1"));
        }
        let call = self.call(part, head, body, Some(Arc::clone(&ticket)), observed);
        let Called { step, account } = call.await?;
        if sender.unproven {
            sender.learn(limiter, &credentials, account);
            sender.pay_for(charging, &ticket);
        } else {
            sender.renew(limiter, &credentials, account);
            sender.forget_if_refused(limiter, &credentials, &step);
        }
        Ok((self.counted_step(step, &sender), sender))
    }

    /// Counts an answer while its request still has its ticket, so that the next one finds it
    /// counted.
    fn counted_step(&self, step: Step, sender: &Sender) -> Step {
        match step {
            Step::Answered(response) => Step::Answered(self.counted(response, sender.holder())),
            later => later,
        }
    }
}

/// Whether the request has an API key, in its headers or as the address of a webhook.
fn has_key(head: &Parts) -> bool {
    head.headers.contains_key(AUTHORIZATION) || internal::webhook_key(&head.uri).is_some()
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
