//! HTTP client for the collector: one connection for each batch, with TLS for https addresses.
//!
//! The thread that sends batches is not part of the runtime, so it spawns the requests on the runtime.
//! Redirects are not followed.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use spindle_outgoing::tls;

/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 10;

/// The client for the collector.
#[derive(Debug)]
pub(super) struct Collector {
    runtime: Handle,
    timeout: Duration,
}

impl Collector {
    /// Must be called within the runtime that does the work.
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            runtime: Handle::current(),
            timeout,
        }
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let timeout = self.timeout;
        // Spawned with its timer, because a timer must be created on the runtime.
        let sent = async move { tokio::time::timeout(timeout, send(request)).await };
        let sent = self.runtime.spawn(sent);
        sent.await??
    }
}

async fn send(request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let host = request.uri().host().ok_or("the collector has no host")?;
    let bare = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    let is_secure = request.uri().scheme_str() == Some("https");
    let port = request.uri().port_u16();
    let port = port.unwrap_or(if is_secure { 443 } else { 80 });
    let stream = TcpStream::connect((bare.as_str(), port)).await?;
    if !is_secure {
        return exchange(stream, request).await;
    }
    let connector = TlsConnector::from(tls()?);
    let stream = connector
        .connect(ServerName::try_from(bare)?, stream)
        .await?;
    exchange(stream, request).await
}

async fn exchange<S>(stream: S, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut head, body) = request.into_parts();
    let authority = head.uri.authority().map(ToString::to_string);
    head.headers
        .insert(http::header::HOST, authority.unwrap_or_default().parse()?);
    head.uri = head
        .uri
        .path_and_query()
        .map_or("/", |path| path.as_str())
        .parse()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Ends with the sender.
    tokio::spawn(connection);
    let request = Request::from_parts(head, Full::new(body));
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, MAX_ANSWER).collect().await?;
    Ok(Response::from_parts(head, body.to_bytes()))
}
