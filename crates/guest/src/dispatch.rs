//! One request against a table of operations, in the order that clients rely on: route,
//! OPTIONS, method, credentials, rate limit, role, parameters, logic
//! (docs/protocol/conventions.md#order).
//!
//! Owns that order and nothing else: the first failure is the only one reported. It must not
//! wait for anything, so that a transaction can never be interrupted by another request of
//! the same instance.

use crate::environment::{self, Environment};
use crate::error::Failure;
use crate::matching::{self, Route};
use crate::reply::{HandOff, PartOutcome, Reply, Work};
use crate::{Call, Connect, Limit, Operation, authenticate, cookies, guard, log};
use bytes::Bytes;
use http::header::{ALLOW, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use spindle_wire::internal::{Account, Verdict, headers as internal};
use spindle_wire::{ApiError, Params, Request, Response, session_cookie};
use std::cell::Cell;

/// The result of a request, before any work outside of the component.
pub struct Answered {
    /// The answer; for a hand-off, its headers.
    pub response: Response,
    /// The work that remains.
    pub hand_off: Option<HandOff>,
    /// Parameters that the operation did not read, if the answer of a hand-off reports them.
    pub ignored: Vec<String>,
    /// Whether an event may have been committed, for which waiting polls have to be woken.
    pub wrote: bool,
    /// The operation is in the middle; the response means nothing yet.
    pub pending: Option<Pending>,
}

/// An operation that waits for work on blobs.
pub struct Pending {
    /// The work that it waits for.
    pub work: Work,
    operation: &'static Operation,
    ignored: Vec<String>,
    seal: Seal,
}

/// The work that was done in the middle of an operation.
pub enum Done {
    /// Whole blobs are stored and deleted.
    Blobs,
    /// A step of a blob in parts is done.
    Part(PartOutcome),
}

/// Headers that every answer of the request gets.
#[derive(Clone, Copy, Default)]
struct Seal {
    /// Of the rate limit.
    verdict: Option<Verdict>,
    /// The account of a key that the host did not know.
    proves: Option<Account>,
    /// The session lives on from now: for so many seconds, and whether clients come over TLS.
    renews: Option<(i64, bool)>,
}

impl Pending {
    /// Continues the operation after the work was done, or answers its failure.
    pub fn resume(
        self,
        done: Result<Done, Failure>,
        request: &Request,
        connect: &dyn Connect,
        now: i64,
    ) -> Answered {
        let Self {
            work,
            operation,
            ignored,
            seal,
        } = self;
        let go_on = |done: Done| {
            let db = connect.db()?;
            match (work, done) {
                (Work::Blobs(work), Done::Blobs) => (work.then)(db, now),
                (Work::Part(work), Done::Part(outcome)) => (work.then)(db, now, outcome),
                _ => Err(Failure::internal("something else was done")),
            }
        };
        let result = done.and_then(go_on);
        let result = result.map(|reply| conclude(operation, reply, ignored));
        finish(operation, request, seal, result)
    }
}

impl Answered {
    fn with(response: Response) -> Self {
        Self {
            response,
            hand_off: None,
            ignored: Vec::new(),
            wrote: false,
            pending: None,
        }
    }
}

/// Answers `request` with the operations of `table` at `now` (UNIX seconds).
pub fn dispatch(
    table: &'static [Operation],
    request: &Request,
    environment: &Environment,
    connect: &dyn Connect,
    now: i64,
) -> Answered {
    match route(table, request) {
        Ok(routed) => routed.answer(request, environment, connect, now),
        Err(response) => Answered::with(*response),
    }
}

/// An operation that has been found for a request, with its parameters. That they are malformed is
/// reported only after the checks that precede them.
struct Routed<'r> {
    operation: &'static Operation,
    route: Route,
    params: Result<Params<'r>, ApiError>,
}

/// Facts about the caller, for any result of the request.
#[derive(Default)]
struct Known {
    account: Option<Account>,
    /// The end of their session has moved: so many seconds from now.
    renewed_for: Option<i64>,
}

/// The first three steps: route, OPTIONS, method.
fn route<'r>(
    table: &'static [Operation],
    request: &'r Request,
) -> Result<Routed<'r>, Box<Response>> {
    let refuse = |error: ApiError| Box::new(error.into_response());
    let route = matching::find(table, request.uri().path())
        .ok_or_else(|| refuse(ApiError::no_such_route()))?;
    if request.method() == Method::OPTIONS {
        return Err(Box::new(options(&route)));
    }
    let params = if route.has_raw_body() {
        Params::from_query(request)
    } else {
        Params::from_request(request)
    };
    let method = verb(request, &params);
    let Some(operation) = route.operation(&method) else {
        return Err(refuse(ApiError::method_not_allowed(
            &route.allowed_methods(),
        )));
    };
    Ok(Routed {
        operation,
        route,
        params,
    })
}

/// The verb of the request; the body of a POST may ask for another one.
pub(crate) fn verb(request: &Request, params: &Result<Params<'_>, ApiError>) -> Method {
    let method = request.method().clone();
    if method != Method::POST {
        return method;
    }
    // The protocol of uploads has a header for the same, for clients that know no other verbs.
    if let Some(verb) = override_of_uploads(request.headers()) {
        return verb;
    }
    params
        .as_ref()
        .ok()
        .and_then(Params::method_override)
        .unwrap_or(method)
}

fn override_of_uploads(headers: &HeaderMap) -> Option<Method> {
    headers.get("tus-resumable")?;
    let verb = headers.get("x-http-method-override")?;
    [Method::DELETE, Method::HEAD, Method::PATCH]
        .into_iter()
        .find(|method| method.as_str().as_bytes() == verb.as_bytes())
}

/// Adds headers that an operation always has.
fn set_headers(headers: &mut HeaderMap, said: &'static [(&'static str, &'static str)]) {
    for (name, value) in said {
        let (name, value) = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        headers.insert(name, value);
    }
}

fn options(route: &Route) -> Response {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(allowed) = HeaderValue::from_str(&route.allowed_methods().join(", ")) {
        response.headers_mut().insert(ALLOW, allowed);
    }
    set_headers(response.headers_mut(), route.headers());
    response
}

impl Routed<'_> {
    /// The remaining steps, with the headers of the rate limit on every counted answer.
    fn answer(
        self,
        request: &Request,
        environment: &Environment,
        connect: &dyn Connect,
        now: i64,
    ) -> Answered {
        let operation = self.operation;
        let verdict = match operation.limit {
            Limit::Counted => Verdict::from_headers(request.headers()),
            Limit::Exempt => None,
        };
        let mut found = Known::default();
        let known = &mut found;
        let result = self.run(request, environment, connect, now, verdict.as_ref(), known);
        let is_secure = || session_cookie::is_secure(request, &environment.external_url);
        let is_asked = request.headers().contains_key(internal::UNPROVEN);
        let seal = Seal {
            verdict,
            proves: found.account.filter(|_| is_asked),
            renews: found.renewed_for.map(|seconds| (seconds, is_secure())),
        };
        finish(operation, request, seal, result)
    }

    fn run(
        self,
        request: &Request,
        environment: &Environment,
        connect: &dyn Connect,
        now: i64,
        verdict: Option<&Verdict>,
        known: &mut Known,
    ) -> Result<Answered, Failure> {
        let Self {
            operation,
            route,
            params,
        } = self;
        let external_url = &environment.external_url;
        let authenticated = authenticate::caller(operation, request, external_url, connect, now);
        // Above the limit, the answer must not reveal whether this key is right.
        let is_guess =
            authenticated.is_err() && authenticate::brings_credentials(request.headers());
        if is_guess && let Some(verdict) = verdict {
            verdict.check()?;
        }
        let caller = authenticated?;
        let is_renewal_due = caller.as_ref().is_some_and(|caller| caller.is_renewal_due);
        let actor = caller.map(|caller| caller.actor);
        known.account = actor.as_ref().map(authenticate::account_of);
        if let Some(verdict) = verdict {
            verdict.check()?;
        }
        guard::check(operation, actor.as_ref())?;
        let params = params?;
        guard::check_parameters(operation, &params, actor.as_ref())?;
        if operation.needs_exclusive(&params, request.headers()) {
            return Ok(redirect());
        }
        params.mark_known(route.values.names());
        let call = Call {
            request,
            path: route.values,
            actor,
            params,
            connect,
            environment,
            now,
            found: Cell::new(None),
        };
        let reply = (operation.run)(&call);
        known.account = known.account.or(call.found.get());
        let reply = reply?;
        known.renewed_for = is_renewal_due
            .then(|| cookies::renew(&call, &reply))
            .flatten();
        Ok(conclude(operation, reply, call.params.ignored()))
    }
}

/// The answer that asks the native host for an instance of its own.
fn redirect() -> Answered {
    let mut response = Response::new(Bytes::new());
    response
        .headers_mut()
        .insert(internal::NEEDS_EXCLUSIVE, HeaderValue::from_static("1"));
    Answered::with(response)
}

/// Turns a failure into its answer, and adds the headers of the rate limit.
fn finish(
    operation: &'static Operation,
    request: &Request,
    seal: Seal,
    result: Result<Answered, Failure>,
) -> Answered {
    let mut answered = result.unwrap_or_else(|failure| {
        if let Some(cause) = failure.cause {
            log::fault(
                environment::request_id(request.headers()),
                operation.id,
                cause,
            );
        }
        Answered::with(failure.answer.into_response())
    });
    set_headers(answered.response.headers_mut(), operation.headers);
    if let Some(verdict) = seal.verdict {
        verdict.write_headers(answered.response.headers_mut());
    }
    if environment::behind_native_host(request.headers()) {
        set_headers(answered.response.headers_mut(), operation.for_host);
    }
    cookies::set_session_cookie(&mut answered.response, request, seal.renews);
    if let Some(account) = seal.proves
        && let Ok(value) = HeaderValue::try_from(account.to_string())
    {
        answered
            .response
            .headers_mut()
            .insert(internal::PROVEN, value);
    }
    if let Some(pending) = &mut answered.pending {
        pending.seal = seal;
    }
    answered
}

/// The headers of an envelope whose body the host writes.
fn envelope_headers() -> Response {
    let mut response = spindle_wire::Reply::empty().into_response(&[]);
    *response.body_mut() = Bytes::new();
    response
}

/// Puts the answer of an operation into its envelope.
fn conclude(operation: &'static Operation, reply: Reply, ignored: Vec<String>) -> Answered {
    let reply = match reply {
        Reply::BlobWork(work) => return waiting(operation, Work::Blobs(work), ignored),
        Reply::PartWork(work) => return waiting(operation, Work::Part(work), ignored),
        other => other,
    };
    let empty = || Response::new(Bytes::new());
    let envelope = |fields: spindle_wire::Reply| fields.into_response(&ignored);
    let (response, hand_off) = match reply {
        Reply::Fields(fields) => (envelope(fields), None),
        Reply::Whole(response) => (response, None),
        Reply::Poll(poll) => (envelope_headers(), Some(HandOff::Poll(poll))),
        Reply::Blob(blob) => (empty(), Some(HandOff::Blob(blob))),
        Reply::Figures => (envelope_headers(), Some(HandOff::Figures)),
        Reply::Identity(work) => {
            let mut response = empty();
            *response.headers_mut() = work.headers;
            (response, Some(HandOff::Identity(work.task)))
        }
        // Taken above.
        Reply::BlobWork(_) | Reply::PartWork(_) => (empty(), None),
        Reply::QueueDeleted(deleted) => (
            envelope(spindle_wire::Reply::empty()),
            Some(HandOff::QueueDeleted(deleted)),
        ),
    };
    Answered {
        response,
        hand_off,
        ignored,
        wrote: operation.method != Method::GET,
        pending: None,
    }
}

/// An operation in the middle.
fn waiting(operation: &'static Operation, work: Work, ignored: Vec<String>) -> Answered {
    let mut answered = Answered::with(Response::new(Bytes::new()));
    answered.pending = Some(Pending {
        work,
        operation,
        ignored,
        seal: Seal::default(),
    });
    answered
}

#[cfg(test)]
mod tests;
