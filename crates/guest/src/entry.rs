//! The entry points of a component: Spin's request is converted to a complete one and a complete
//! response back; a direct call of the native host brings a complete request.
//!
//! Owns reading the body, the order of asynchronous steps (variables, body, rate limit) and the
//! synchronous one (the operation), and the response's `Content-Length`: Spin never sets
//! TCP_NODELAY, so an answer without it costs keep-alive clients 44 ms.

use crate::admission::{Admission, AdmitAll};
use crate::attempts::Counted;
use crate::connections::Session;
use crate::environment::{self, Environment};
use crate::{Operation, dispatch, guesses, matching, outbound, perform, pieces, variables};
use bytes::{Bytes, BytesMut};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use spin_sdk::http::FullBody;
use spindle_wire::internal::headers::{PROVEN, UPLOAD_OFFSET};
use spindle_wire::internal::{self, Sender};
use spindle_wire::{ApiError, Request, Response, session_cookie};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest wait for a body where no host reads it first.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// Most bytes of a refused body that are read and discarded. A client that writes its whole body first sees the
/// answer only then: Spin closes a connection of which the body was not read.
const MAX_DISCARDED: usize = 32 << 20;

/// Answers one request with the operations of `table`. A component has no other code of its own.
pub async fn serve(
    table: &'static [Operation],
    request: spin_sdk::http::Request,
) -> http::Response<FullBody<Bytes>> {
    serve_admitted::<AdmitAll>(table, request).await
}

/// As [`serve`], for a component some of whose operations limit attempts on an account. It needs
/// the key-value store `default`.
pub async fn serve_counting_attempts(
    table: &'static [Operation],
    request: spin_sdk::http::Request,
) -> http::Response<FullBody<Bytes>> {
    serve_admitted::<Counted>(table, request).await
}

async fn serve_admitted<A: Admission>(
    table: &'static [Operation],
    request: spin_sdk::http::Request,
) -> http::Response<FullBody<Bytes>> {
    let environment = variables::environment().await;
    let (mut parts, body) = request.into_parts();
    let native = environment::behind_native_host(&parts.headers);
    environment::strip_forged(&mut parts.headers);
    let response = match pieces::offset_of(&parts).filter(|_| !native) {
        Some(offset) => answer_pieces::<A>(table, parts, body, offset, &environment).await,
        None => match read(table, parts, body).await {
            Ok(request) => answer_or_count::<A>(table, request, &environment).await,
            Err(error) => error.into_response(),
        },
    };
    with_length(response).map(FullBody::new)
}

/// Answers one whole request, which the native host has passed on by a direct call.
pub async fn respond(table: &'static [Operation], request: Request) -> Response {
    respond_admitted::<AdmitAll>(table, request).await
}

/// As [`respond`], for a component some of whose operations limit attempts on an account.
pub async fn respond_counting_attempts(table: &'static [Operation], request: Request) -> Response {
    respond_admitted::<Counted>(table, request).await
}

async fn respond_admitted<A: Admission>(
    table: &'static [Operation],
    mut request: Request,
) -> Response {
    let environment = variables::environment().await;
    if !may_have_parameters(request.headers()) {
        *request.body_mut() = Bytes::new();
    }
    with_length(answer_or_count::<A>(table, request, &environment).await)
}

fn with_length(mut response: Response) -> Response {
    let length = HeaderValue::from(response.body().len());
    response.headers_mut().insert(CONTENT_LENGTH, length);
    response
}

/// Answers a request whose body adds to an upload: one after another for each piece of it. The
/// native host does the same before it calls a component.
async fn answer_pieces<A: Admission>(
    table: &'static [Operation],
    mut parts: Parts,
    mut body: impl http_body::Body<Data = Bytes> + Unpin,
    mut offset: u64,
    environment: &std::rc::Rc<Environment>,
) -> Response {
    parts.headers.remove(CONTENT_LENGTH);
    let mut is_first = true;
    loop {
        let read = outbound::within(BODY_TIMEOUT, pieces::read(&mut body));
        let Some((piece, is_last)) = read.await else {
            return ApiError::bad_request("The body did not arrive in time").into_response();
        };
        let length = piece.len() as u64;
        let mut parts = parts.clone();
        parts
            .headers
            .insert(UPLOAD_OFFSET, HeaderValue::from(offset));
        let request = Request::from_parts(parts, piece);
        let response = match std::mem::take(&mut is_first) {
            true => answer_or_count::<A>(table, request, environment).await,
            false => answer::<A>(table, request, environment).await,
        };
        offset += length;
        if is_last || !pieces::goes_on_at(&response, offset) {
            return response;
        }
    }
}

async fn answer_or_count<A: Admission>(
    table: &'static [Operation],
    request: Request,
    environment: &std::rc::Rc<Environment>,
) -> Response {
    match environment.rate_limit_via_events {
        true => answer_counted::<A>(table, request, environment).await,
        false => answer::<A>(table, request, environment).await,
    }
}

async fn answer<A: Admission>(
    table: &'static [Operation],
    request: Request,
    environment: &std::rc::Rc<Environment>,
) -> Response {
    let now = now();
    let session = Session::new(&environment.database_url);
    let ticket = match A::admit(table, &request, &session, now).await {
        Ok(ticket) => ticket,
        Err(error) => return error.into_response(),
    };
    let mut answered = dispatch::dispatch(table, &request, environment, &session, now);
    // Blobs are stored while no transaction is open; the operation continues afterwards.
    while let Some(pending) = answered.pending.take() {
        let done = perform::work(&pending.work, environment).await;
        answered = pending.resume(done, &request, &session, self::now());
    }
    A::answered(ticket, &answered.response).await;
    // A connection that has seen an internal error is closed, which rolls back an open transaction.
    if !answered.response.status().is_server_error() {
        session.give_back();
    }
    let native = environment::behind_native_host(request.headers());
    if answered.wrote && !native && !environment.events_url.is_empty() {
        outbound::hint(environment.clone());
    }
    guesses::report(request.headers(), &mut answered.response);
    perform::perform(answered, request.headers(), environment).await
}

/// Whether there may be parameters in the body: without a media type none is a form.
fn may_have_parameters(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    length != Some(b"0") && headers.contains_key(CONTENT_TYPE)
}

/// Reads the body where there may be parameters in it.
async fn read(
    table: &'static [Operation],
    parts: Parts,
    body: impl http_body::Body<Data = Bytes> + Unpin + 'static,
) -> Result<Request, ApiError> {
    let headers = &parts.headers;
    let has_parameters = may_have_parameters(headers);
    if environment::behind_native_host(headers) {
        let body = match has_parameters {
            true => collect(body, usize::MAX).await?,
            false => Bytes::new(),
        };
        return Ok(Request::from_parts(parts, body));
    }
    let route = matching::find(table, parts.uri.path());
    let limit = route.map_or(0, |route| route.body_limit());
    let length = headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    let announced = length.and_then(|length| std::str::from_utf8(length).ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit as u64) && limit > 0 {
        discard(body);
        return Err(ApiError::payload_too_large());
    }
    if !has_parameters {
        return Ok(Request::from_parts(parts, Bytes::new()));
    }
    // Without a route nothing is read: the answer does not depend on it.
    let body = match limit {
        0 => Bytes::new(),
        _ => outbound::within(BODY_TIMEOUT, collect(body, limit))
            .await
            .ok_or_else(|| ApiError::bad_request("The body did not arrive in time"))??,
    };
    Ok(Request::from_parts(parts, body))
}

/// The whole body, of at most `limit` bytes.
async fn collect(
    mut body: impl http_body::Body<Data = Bytes> + Unpin + 'static,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::bad_request("The request ended too early"))?;
        if let Ok(data) = frame.into_data() {
            if whole.len().saturating_add(data.len()) > limit {
                discard(body);
                return Err(ApiError::payload_too_large());
            }
            whole.extend_from_slice(&data);
        }
    }
    Ok(whole.freeze())
}

/// Reads the rest of a refused body while the answer is sent.
fn discard(mut body: impl http_body::Body<Data = Bytes> + Unpin + 'static) {
    outbound::beside(async move {
        let rest = async {
            let mut read = 0;
            while read < MAX_DISCARDED
                && let Some(Ok(frame)) = body.frame().await
            {
                read += frame.data_ref().map_or(0, Bytes::len);
            }
        };
        outbound::within(BODY_TIMEOUT, rest).await;
    });
}

/// Under Spin the event-queue service counts; a verdict in the headers of a client is always removed.
async fn answer_counted<A: Admission>(
    table: &'static [Operation],
    mut request: Request,
    environment: &std::rc::Rc<Environment>,
) -> Response {
    // Files: a page needs many of them at the same time.
    if matching::find(table, request.uri().path()).is_some_and(|route| route.is_exempt()) {
        let uncounted = internal::Counted {
            verdict: None,
            unproven: false,
        };
        uncounted.write_to(request.headers_mut());
        return answer::<A>(table, request, environment).await;
    }
    let mut sender = sender(&request);
    let counted = outbound::count(environment, &sender).await;
    counted.write_to(request.headers_mut());
    let mut response = answer::<A>(table, request, environment).await;
    let account = response.headers_mut().remove(PROVEN);
    let account = account.and_then(|id| id.to_str().ok()?.parse().ok());
    // Let the service forget credentials that have ended.
    let is_refused = !counted.unproven && response.status() == StatusCode::UNAUTHORIZED;
    let has_credentials = sender.authorization.is_some() || sender.session.is_some();
    if counted.unproven && account.is_some() || is_refused && has_credentials {
        sender.account = account;
        outbound::report_proven(environment, &sender).await;
    }
    response
}

/// The sender of a request that the event-queue service counts: its address, and its credentials
/// when it has any.
fn sender(request: &Request) -> Sender {
    let headers = request.headers();
    let authorization = headers.get(AUTHORIZATION);
    let session = internal::webhook_key(request.uri());
    let session = session.or_else(|| session_cookie::token(headers, false));
    Sender {
        address: environment::client_address(headers).and_then(Sender::address_in),
        // Hashed there: the service keeps no credentials.
        authorization: authorization
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
        session: session
            .filter(|_| authorization.is_none())
            .map(str::to_owned),
        account: None,
    }
}

/// The time of the host, in UNIX seconds; a test host may have moved it.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|passed| i64::try_from(passed.as_secs()).ok())
        .unwrap_or(0)
}
