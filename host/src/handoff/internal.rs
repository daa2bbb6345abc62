//! The interface that components call: polls, hints, deletions, blobs, rate limits.
//!
//! Closed without a token; an empty token closes it altogether. Inside `spindle serve` it answers
//! the same calls without a socket, and each component has a token of its own, which opens what
//! that component needs.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode};
use spindle_wire::{ApiError, Reply};

use super::callers::Callers;
use super::figures;
use super::poll::{Base, Poll};
use super::routes::Route;
use crate::blobs::{self, BlobStore};
use crate::events::EventService;
use crate::front::{Body, Caller, RateLimiter, UNPROVEN};
use crate::ops::Figures;
use crate::secret::ComponentTokens;

/// The internal interface; clones share everything.
#[derive(Clone)]
pub struct InternalApi {
    callers: Callers,
    events: EventService,
    blobs: BlobStore,
    rate_limiter: Option<Arc<dyn RateLimiter>>,
    figures: Option<Figures>,
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
            events,
            blobs,
            rate_limiter,
            figures: None,
        }
    }

    /// For components that have each a token of its own.
    #[must_use]
    pub fn for_each(tokens: ComponentTokens, events: EventService, blobs: BlobStore) -> Self {
        Self {
            callers: Callers::Each(tokens),
            events,
            blobs,
            rate_limiter: None,
            figures: None,
        }
    }

    /// Shows figures to components that ask for them; without any there is no such route.
    #[must_use]
    pub fn with_figures(mut self, figures: Figures) -> Self {
        self.figures = Some(figures);
        self
    }

    /// Answers one request; only path and query of its URI matter.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let route = Route::of(&path);
        if route == Some(Route::Health) {
            return ok();
        }
        // Without the right token nobody learns anything, not even which paths exist.
        let token = request.headers().get("x-spindle-internal");
        let token = token.map_or(&[][..], HeaderValue::as_bytes);
        let Some(route) = route.filter(|route| self.callers.admit(route, token)) else {
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
            Route::Figures => self.show_figures(request.uri().query()).await,
            Route::Deleted(queue_id) => {
                self.events.deleted(queue_id);
                ok()
            }
            Route::Blob(key) => blobs::serve(&self.blobs, key, request).await,
            Route::Part(key) => blobs::serve_part(&self.blobs, key, request).await,
            Route::Poll(queue_id) => {
                let Some(poll) = read_poll(queue_id, request.uri().query()) else {
                    return error(ApiError::bad_request("The poll is not complete"));
                };
                drop(request);
                poll.answer(&self.events, Base::default()).await
            }
        }
    }

    async fn show_figures(&self, query: Option<&str>) -> Response<Body> {
        let Some(figures) = &self.figures else {
            return error(ApiError::no_such_route());
        };
        let parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let mut given = parameters.filter(|(name, _)| name == "ignored_parameters");
        let ignored = given.next();
        let ignored =
            ignored.and_then(|(_, names)| serde_json::from_str::<Vec<String>>(&names).ok());
        let base = Response::new(Body::empty());
        figures::answer(figures, &ignored.unwrap_or_default(), base).await
    }

    /// Answers every held poll, since the server is stopping.
    pub(super) async fn release_polls(&self) {
        self.events.release_polls().await;
    }

    /// Counts a request; the answer is the verdict, and whether its credentials are yet to be proven.
    fn rate_limit(&self, caller: &Bytes) -> Response<Body> {
        let (Some(limiter), Some(told)) = (&self.rate_limiter, Told::read(caller)) else {
            return error(ApiError::not_found_object("This request is not limited"));
        };
        let counted = limiter.count(&told.caller());
        let verdict = counted.verdict.and_then(|verdict| verdict.header());
        if verdict.is_none() && !counted.unproven {
            return error(ApiError::not_found_object("This request is not limited"));
        }
        let verdict = verdict.map_or_else(Bytes::new, |verdict| {
            Bytes::copy_from_slice(verdict.as_bytes())
        });
        let mut answer = Response::new(Body::from(verdict));
        if counted.unproven {
            let value = HeaderValue::from_static("1");
            answer.headers_mut().insert(UNPROVEN, value);
        }
        answer
    }

    /// Learns what a component has found out about credentials that were unproven.
    fn rate_limit_answered(&self, caller: &Bytes) -> Response<Body> {
        if let (Some(limiter), Some(told)) = (&self.rate_limiter, Told::read(caller)) {
            limiter.answered(&told.caller(), told.account);
        }
        ok()
    }
}

/// Who is counted, as components write it: lines of `address=`, `user=` (the value of
/// `Authorization`) or `session=` (the token of a cookie), and `account=` (its id, once a component has found it).
struct Told {
    address: IpAddr,
    authorization: Option<HeaderValue>,
    session: Option<String>,
    account: Option<i64>,
}

impl Told {
    fn read(text: &Bytes) -> Option<Self> {
        let mut told = Self {
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            authorization: None,
            session: None,
            account: None,
        };
        for line in std::str::from_utf8(text).ok()?.lines() {
            match line.split_once('=')? {
                // Spin gives the address with its port.
                ("address", value) => told.address = address(value).unwrap_or(told.address),
                ("user", value) => told.authorization = Some(HeaderValue::from_str(value).ok()?),
                ("session", value) => told.session = Some(value.to_owned()),
                ("account", value) => told.account = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        Some(told)
    }

    fn caller(&self) -> Caller<'_> {
        Caller {
            address: self.address,
            authorization: self.authorization.as_ref(),
            session: self.session.as_deref(),
        }
    }
}

fn address(text: &str) -> Option<IpAddr> {
    let socket = text
        .parse::<std::net::SocketAddr>()
        .map(|socket| socket.ip());
    socket.or_else(|_| text.parse()).ok()
}

fn read_poll(queue_id: &str, query: Option<&str>) -> Option<Poll> {
    let parameters: Vec<_> = form_urlencoded::parse(query?.as_bytes()).collect();
    let find = |name: &str| {
        let found = parameters.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_ref())
    };
    let ignored = find("ignored_parameters").and_then(|names| serde_json::from_str(names).ok());
    Some(Poll {
        queue_id: queue_id.to_owned(),
        user_id: find("user_id")?.parse().ok()?,
        last_event_id: find("last_event_id")?.parse().ok()?,
        dont_block: find("dont_block") == Some("true"),
        ignored: ignored.unwrap_or_default(),
    })
}

fn ok() -> Response<Body> {
    let mut answer = Reply::empty().into_response(&[]).map(Body::from);
    *answer.status_mut() = StatusCode::OK;
    answer
}

fn error(error: ApiError) -> Response<Body> {
    error.into_response().map(Body::from)
}
