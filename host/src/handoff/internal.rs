//! The interface that components call: polls, hints, deletions, blobs, rate limits, sign-ins.
//!
//! Closed without a token; an empty token closes it altogether. Inside `spindle serve` it answers
//! the same calls without a socket, and each component has a token of its own, which opens what
//! that component needs.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode};
use spindle_wire::internal::headers::TOKEN;
use spindle_wire::internal::{self, Route, Sender, Task};
use spindle_wire::{ApiError, Reply};

use super::callers::Callers;
use super::figures;
use super::identity::SignIns;
use super::poll::{self, Base};
use spindle_admission::body::Body;
use spindle_admission::memory::Memory;
use spindle_blobs::BlobStore;
use spindle_front::{Caller, RateLimiter};
use spindle_ops::Figures;
use spindle_queues::EventService;
use spindle_system::log_pace::LogPace;
use spindle_system::secret::ComponentTokens;

/// The internal interface; clones share everything.
#[derive(Clone)]
pub struct InternalApi {
    callers: Callers,
    events: EventService,
    memory: Arc<Memory>,
    blobs: BlobStore,
    rate_limiter: Option<Arc<dyn RateLimiter>>,
    figures: Option<Figures>,
    sign_ins: Option<Arc<SignIns>>,
    /// Pace of log lines about wrong tokens.
    refusals: Arc<LogPace>,
}

impl InternalApi {
    /// For components that share `token`, their variable `internal_token`. Without a limiter every
    /// question for a verdict is answered with 404, which lets the request through.
    #[must_use]
    pub fn new(
        token: &str,
        events: EventService,
        blobs: BlobStore,
        rate_limiter: Option<Arc<dyn RateLimiter>>,
    ) -> Self {
        Self {
            callers: Callers::Alike(token.into()),
            memory: events.memory(),
            events,
            blobs,
            rate_limiter,
            figures: None,
            sign_ins: None,
            refusals: Arc::default(),
        }
    }

    /// For components that have each a token of its own.
    #[must_use]
    pub fn for_each(tokens: ComponentTokens, events: EventService, blobs: BlobStore) -> Self {
        Self {
            callers: Callers::Each(tokens),
            memory: events.memory(),
            events,
            blobs,
            rate_limiter: None,
            figures: None,
            sign_ins: None,
            refusals: Arc::default(),
        }
    }

    /// Shows figures to components that ask for them; without any there is no such route.
    #[must_use]
    pub fn with_figures(mut self, figures: Figures) -> Self {
        self.figures = Some(figures);
        self
    }

    /// Signs people in by identity providers; without it there are no such routes.
    #[must_use]
    pub fn with_sign_ins(mut self, sign_ins: Arc<SignIns>) -> Self {
        self.sign_ins = Some(sign_ins);
        self
    }

    /// Answers one request; only path and query of its URI matter.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let route = Route::of(&path);
        if route == Some(Route::Health) {
            return ok();
        }
        // Without a valid token all paths answer alike, so that none can be discovered.
        let token = request.headers().get(TOKEN);
        let token = token.map_or(&[][..], HeaderValue::as_bytes);
        if !self.callers.admit(route.as_ref(), token) {
            return self.refuse(token);
        }
        let Some(route) = route else {
            return error(ApiError::no_such_route());
        };
        if let Some(method) = route.method()
            && request.method() != method
        {
            return error(ApiError::method_not_allowed(&[method]));
        }
        match route {
            Route::Health => ok(),
            Route::Hint => {
                self.events.on_commit();
                ok()
            }
            Route::RateLimit => self.rate_limit(request.body()),
            Route::RateLimitAnswered => self.rate_limit_answered(request.body()),
            Route::Figures => self.show_figures(&internal::ignored(form(&request))).await,
            Route::QueueDeleted => {
                let Some(Task::QueueDeleted(deleted)) = task(Task::QUEUE_DELETED, &request) else {
                    return error(ApiError::bad_request("The queue is not named"));
                };
                self.events.deleted(&deleted.queue_id);
                ok()
            }
            Route::Identity(kind) => {
                let Some(sign_ins) = &self.sign_ins else {
                    return error(ApiError::no_such_route());
                };
                let Some(task) = task(kind, &request) else {
                    return error(ApiError::bad_request("The sign-in is not complete"));
                };
                drop(request);
                sign_ins.answer(task, Response::new(Body::empty())).await
            }
            Route::Blob(key) => spindle_blobs::serve(&self.blobs, key, request).await,
            Route::Part(key) => spindle_blobs::serve_part(&self.blobs, key, request).await,
            Route::Poll => {
                let Some(Task::Poll(poll)) = task(Task::POLL, &request) else {
                    return error(ApiError::bad_request("The poll is not complete"));
                };
                let ignored = internal::ignored(form(&request));
                drop(request);
                let base = Base::default();
                // The component that asks knows whose client it is for.
                poll::answer(&self.events, &self.memory, poll, &ignored, base, false).await
            }
        }
    }

    /// The answer to a request without a valid token. A wrong one is most likely a component's, whose operator
    /// needs to know.
    fn refuse(&self, token: &[u8]) -> Response<Body> {
        let mut refusal = error(ApiError::no_such_route());
        if !token.is_empty() {
            *refusal.status_mut() = StatusCode::FORBIDDEN;
            if let Some(left_out) = self.refusals.next() {
                tracing::warn!(
                    left_out,
                    "a call with a wrong token was refused: the components' variable internal_token \
                     must be the --token (SPINDLE_TOKEN) of this service"
                );
            }
        }
        refusal
    }

    async fn show_figures(&self, ignored: &[String]) -> Response<Body> {
        let Some(figures) = &self.figures else {
            return error(ApiError::no_such_route());
        };
        figures::answer(figures, ignored, Response::new(Body::empty())).await
    }

    /// Answers every held poll, since the server is stopping.
    pub(super) async fn release_polls(&self) {
        self.events.release_polls().await;
    }

    /// Counts a request; the answer has the verdict, and whether its credentials are yet to be proven, in
    /// its headers.
    fn rate_limit(&self, form: &Bytes) -> Response<Body> {
        let (Some(limiter), Some(sender)) = (&self.rate_limiter, Sender::read(form)) else {
            return error(ApiError::not_found_object("This request is not limited"));
        };
        let authorization = authorization(&sender);
        let counted = limiter
            .count(&caller(&sender, authorization.as_ref()))
            .for_component();
        if counted == internal::Counted::default() {
            return error(ApiError::not_found_object("This request is not limited"));
        }
        let mut answer = ok();
        counted.write_to(answer.headers_mut());
        answer
    }

    /// Records the account that a component has found for unproven credentials.
    fn rate_limit_answered(&self, form: &Bytes) -> Response<Body> {
        if let (Some(limiter), Some(sender)) = (&self.rate_limiter, Sender::read(form)) {
            let authorization = authorization(&sender);
            limiter.answered(&caller(&sender, authorization.as_ref()), sender.account);
        }
        ok()
    }
}

/// The credentials as the rate limiter sees them; credentials that no header can hold count as absent.
fn authorization(sender: &Sender) -> Option<HeaderValue> {
    let text = sender.authorization.as_ref()?;
    HeaderValue::from_bytes(text.as_bytes()).ok()
}

fn caller<'s>(sender: &'s Sender, authorization: Option<&'s HeaderValue>) -> Caller<'s> {
    Caller {
        address: sender.address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
        authorization,
        session: sender.session.as_deref(),
    }
}

/// The form of a task that a call hands over.
fn form(request: &Request<Bytes>) -> &str {
    request.uri().query().unwrap_or_default()
}

fn task(kind: &str, request: &Request<Bytes>) -> Option<Task> {
    Task::read(kind, form(request))
}

fn ok() -> Response<Body> {
    let mut answer = Reply::empty().into_response(&[]).map(Body::from);
    *answer.status_mut() = StatusCode::OK;
    answer
}

fn error(error: ApiError) -> Response<Body> {
    error.into_response().map(Body::from)
}
