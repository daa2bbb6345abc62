//! HTTP towards the bucket, for the crate `object_store`: connections that are kept, certificates, time limits.
//!
//! Owns no request: that crate makes, signs and repeats them. Bodies are read as they are wanted, so a client
//! that reads slowly slows the bucket down and takes no memory.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use tokio::time::{Sleep, sleep, timeout};
use tokio_rustls::rustls::ClientConfig;

/// Time limit for a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// Time limit from the first byte of a request to the head of its answer.
const ANSWER: Duration = Duration::from_secs(8);
/// Time limit for the next bytes of an answer.
const PIECE: Duration = Duration::from_secs(8);
/// Most bytes of an answer that are read before they are wanted.
const READ_AHEAD: usize = 64 << 10;
/// Connections that are kept for the next request.
const IDLE: usize = 32;

/// Makes the client of a bucket.
#[derive(Debug)]
pub(super) struct Connector(pub(super) Arc<ClientConfig>);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_nodelay(true);
        let tls = HttpsConnectorBuilder::new()
            .with_tls_config((*self.0).clone())
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(IDLE)
            .http1_max_buf_size(READ_AHEAD)
            .build(tls);
        Ok(HttpClient::new(Service(client)))
    }
}

struct Service(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Service")
    }
}

#[async_trait::async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = timeout(ANSWER, self.0.request(request)).await;
        let answer = answer.map_err(|_| late())?.map_err(|error| {
            let kind = if error.is_connect() {
                HttpErrorKind::Connect
            } else {
                HttpErrorKind::Request
            };
            HttpError::new(kind, error)
        })?;
        Ok(answer.map(|body| HttpResponseBody::new(Timed::from(body))))
    }
}

fn late() -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, TookTooLong)
}

#[derive(Debug, thiserror::Error)]
#[error("there was no answer in time")]
struct TookTooLong;

/// An answer's body that fails when its next bytes do not come in time. The time during which no bytes are
/// wanted does not count.
struct Timed {
    body: Incoming,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl From<Incoming> for Timed {
    fn from(body: Incoming) -> Self {
        Self {
            body,
            waiting: None,
        }
    }
}

impl Body for Timed {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            this.waiting = None;
            let broken = |error| HttpError::new(HttpErrorKind::Interrupted, error);
            return Poll::Ready(frame.map(|frame| frame.map_err(broken)));
        }
        let waiting = this.waiting.get_or_insert_with(|| Box::pin(sleep(PIECE)));
        ready!(waiting.as_mut().poll(context));
        this.waiting = None;
        Poll::Ready(Some(Err(late())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The innermost cause of an error.
pub(super) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
