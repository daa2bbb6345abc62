//! Accepting connections, serving them, and stopping gracefully.
//!
//! Each connection, including its TLS handshake, is a task of its own, so that a slow client delays
//! no other. A stopping server accepts no more connections, makes hand-offs answer the requests they
//! hold, and gives requests in flight a time limit.

use super::app::{App, Inner};
use super::connection::{Connection, Progress, Timeouts, bare_error};
use super::connection_slots::{ConnectionSlot, ConnectionSlots};
use super::error::FrontError;
use super::request::Peer;
use super::tls::{HandshakeError, Tls};
use http::header::{STRICT_TRANSPORT_SECURITY, TRANSFER_ENCODING};
use http::uri::Scheme;
use http::{HeaderValue, StatusCode};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;

/// The parser's buffer for the head of a request. The front's own limit is smaller, so that the front
/// answers heads that are too large.
const PARSER_BUFFER: usize = 64 << 10;

const TWO_LENGTHS: FrontError =
    FrontError::Malformed("The length of the body is given in two ways");

/// A listening socket, with or without TLS.
pub struct Listener {
    socket: TcpListener,
    tls: Option<Tls>,
    /// The header Strict-Transport-Security of all answers.
    strict: Option<HeaderValue>,
}

impl Listener {
    /// A listener of HTTPS.
    pub fn with_tls(socket: TcpListener, tls: Tls) -> Self {
        Self {
            socket,
            tls: Some(tls),
            strict: None,
        }
    }

    /// `max-age` in seconds of the header that makes browsers use only HTTPS; 0 sends no such header.
    #[must_use]
    pub fn strict_for(mut self, seconds: u64) -> Self {
        let value = (seconds > 0).then(|| format!("max-age={seconds}"));
        self.strict = value.and_then(|value| HeaderValue::try_from(value).ok());
        self
    }
}

impl From<TcpListener> for Listener {
    /// A listener of plain HTTP.
    fn from(socket: TcpListener) -> Self {
        Self {
            socket,
            tls: None,
            strict: None,
        }
    }
}

impl App {
    /// Serves clients of `listener` until `shutdown` resolves, then stops
    /// gracefully and returns.
    pub async fn serve(&self, listener: impl Into<Listener>, shutdown: impl Future<Output = ()>) {
        let Listener {
            socket: listener,
            tls,
            strict,
        } = listener.into();
        for outcome in HANDSHAKES {
            count_handshake(outcome, 0);
        }
        let limits = &self.inner.limits;
        let proxies = &self.inner.trusted_proxies;
        let slots = ConnectionSlots::new(
            limits.connections,
            limits.connections_per_address,
            proxies,
            Arc::clone(self.inner.memory()),
        );
        let (stop, stopping) = watch::channel(false);
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                () = &mut shutdown => break,
                accepted = accept(&listener, &slots) => accepted,
            };
            let Some((socket, peer, slot)) = accepted else {
                continue;
            };
            let (inner, stopping) = (Arc::clone(&self.inner), stopping.clone());
            // Two kinds of tasks, because a task takes the memory of its largest state.
            match tls.clone() {
                None => tokio::spawn(async move {
                    serve_plain(inner, socket, peer, stopping).await;
                    drop(slot);
                }),
                Some(tls) => {
                    let strict = strict.clone();
                    tokio::spawn(async move {
                        serve_tls(inner, (tls, strict), socket, peer, stopping).await;
                        drop(slot);
                    })
                }
            };
        }
        drop(listener);
        stop.send_replace(true);
        for hand_off in self.inner.hand_offs.values() {
            hand_off.stop();
        }
        let ended = tokio::time::timeout(self.inner.limits.stop_timeout, slots.all_free());
        if ended.await.is_err() {
            let left = slots.taken();
            tracing::warn!(left, "connections were closed: they did not end in time");
        }
    }
}

type Accepted = (TcpStream, SocketAddr, ConnectionSlot);

async fn accept(listener: &TcpListener, slots: &Arc<ConnectionSlots>) -> Option<Accepted> {
    let permit = slots.acquire().await?;
    match listener.accept().await {
        Ok((socket, peer)) => {
            let slot = slots.take(permit, peer.ip());
            if slot.is_none() {
                // In plain HTTP, since a handshake would cost more than this client may use. The answer is dropped if
                // the socket's buffer does not accept it immediately.
                let _ = socket.try_write(&too_many_connections());
            }
            Some((socket, peer, slot?))
        }
        Err(error) => {
            // Probably out of file descriptors: wait for connections to end.
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}

fn too_many_connections() -> Vec<u8> {
    let msg = "There are too many connections";
    bare_error(StatusCode::SERVICE_UNAVAILABLE, msg)
}

async fn serve_plain(
    inner: Arc<Inner>,
    socket: TcpStream,
    peer: SocketAddr,
    stopping: watch::Receiver<bool>,
) {
    prepare(&socket);
    let scheme = (Scheme::HTTP, None);
    serve_connection(inner, socket, peer, scheme, stopping).await;
}

async fn serve_tls(
    inner: Arc<Inner>,
    (tls, strict): (Tls, Option<HeaderValue>),
    socket: TcpStream,
    peer: SocketAddr,
    mut stopping: watch::Receiver<bool>,
) {
    prepare(&socket);
    // Boxed, so that the handshake's memory is freed while the connection is served.
    let handshake = Box::pin(shake_hands(&inner, &tls, socket, peer));
    let stream = tokio::select! {
        stream = handshake => stream,
        () = stopped(&mut stopping) => None,
    };
    if let Some(stream) = stream {
        drop(tls);
        serve_connection(inner, stream, peer, (Scheme::HTTPS, strict), stopping).await;
    }
}

/// Performs the handshake, within the time limit for the head of a request.
async fn shake_hands(
    inner: &Inner,
    tls: &Tls,
    socket: TcpStream,
    peer: SocketAddr,
) -> Option<TlsStream<TcpStream>> {
    let limit = inner.limits.header_timeout;
    let outcome = match tokio::time::timeout(limit, tls.handshake(socket)).await {
        Ok(Ok(stream)) => {
            count_handshake(DONE, 1);
            return Some(stream);
        }
        Ok(Err(HandshakeError::PlainHttp)) => PLAIN_HTTP,
        Ok(Err(HandshakeError::Failed(error))) => {
            tracing::debug!(%peer, %error, "the TLS handshake failed");
            FAILED
        }
        Err(_) => TOO_SLOW,
    };
    count_handshake(outcome, 1);
    None
}

const DONE: &str = "done";
const FAILED: &str = "failed";
const TOO_SLOW: &str = "too_slow";
const PLAIN_HTTP: &str = "plain_http";
/// The outcomes of handshakes, registered as metrics at the start so that rates have a first value.
const HANDSHAKES: [&str; 4] = [DONE, FAILED, TOO_SLOW, PLAIN_HTTP];

fn count_handshake(outcome: &'static str, by: u64) {
    metrics::counter!("spindle_tls_handshakes_total", "outcome" => outcome).increment(by);
}

/// The socket's send buffer: it limits the kernel memory of a slow client, and is small enough to
/// notice whether the client reads.
const UNSENT: u32 = 128 << 10;

fn prepare(socket: &TcpStream) {
    let prepared = socket
        .set_nodelay(true)
        .and_then(|()| SockRef::from(socket).set_tcp_notsent_lowat(UNSENT));
    if let Err(error) = prepared {
        tracing::debug!(%error, "cannot set the options of a socket");
    }
}

async fn serve_connection(
    inner: Arc<Inner>,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: SocketAddr,
    (scheme, strict): (Scheme, Option<HeaderValue>),
    mut stopping: watch::Receiver<bool>,
) {
    let limits = inner.limits;
    let progress = Arc::new(Progress::default());
    let timeouts = Timeouts {
        head: limits.header_timeout,
        idle: limits.idle_timeout,
        answer: limits.body_timeout,
    };
    let io = Connection::new(TokioIo::new(stream), &progress, timeouts);
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let chunked = request.headers().contains_key(TRANSFER_ENCODING);
        let two_lengths = chunked && progress.head_has_length();
        let answering = progress.answer();
        let client = Peer {
            address: peer.ip(),
            scheme: scheme.clone(),
        };
        let strict = strict.clone();
        let work = (!two_lengths).then(|| Arc::clone(&inner).serve(request, client));
        async move {
            let mut response = match work {
                Some(work) => work.await,
                None => TWO_LENGTHS.response(),
            };
            if let Some(strict) = strict {
                response
                    .headers_mut()
                    .insert(STRICT_TRANSPORT_SECURITY, strict);
            }
            drop(answering);
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .header_read_timeout(None)
        .max_buf_size(PARSER_BUFFER)
        .max_headers(128)
        .half_close(false);
    let mut connection = std::pin::pin!(builder.serve_connection(io, service));
    let outcome = tokio::select! {
        outcome = &mut connection => outcome,
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%peer, %error, "connection ended early");
    }
}

async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server was dropped, which counts as stopped.
    let _ = stopping.wait_for(|stop| *stop).await;
}
