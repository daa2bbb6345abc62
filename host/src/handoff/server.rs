//! The internal interface on a socket, for `spindle events`.
//!
//! Owns its listener. Requests come from components on the same machine, but their sizes and times
//! are still bounded.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use spindle_wire::ApiError;
use tokio::net::TcpListener;

use super::internal::InternalApi;
use spindle_admission::body::Body;

/// Longest time for the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time for the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// Largest body: an upload with room to spare.
const LARGEST_BODY: usize = 32 << 20;

/// Time that answers get when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// A bound listener.
#[derive(Debug)]
pub struct InternalServer {
    listener: TcpListener,
}

impl InternalServer {
    /// Binds the address.
    pub async fn bind(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self { listener })
    }

    /// The address that it listens on.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Serves until `stop` is ready, then releases held polls and lets answers finish.
pub async fn serve(server: InternalServer, api: InternalApi, stop: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = server.listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors, most likely: waiting is all that helps.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        // Sends an answer immediately; without this, its last piece may wait for 40 ms.
        let _ = stream.set_nodelay(true);
        let api = api.clone();
        let service = service_fn(move |request| answer(api.clone(), request));
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(64 << 10)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "an internal connection has ended early");
            }
        });
    }
    drop(server);
    let finished = async {
        tokio::join!(api.release_polls(), graceful.shutdown());
    };
    if tokio::time::timeout(STOP_TIMEOUT, finished).await.is_err() {
        tracing::warn!("internal calls were cut off");
    }
}

async fn answer(
    api: InternalApi,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, LARGEST_BODY).collect();
    let body: Bytes = match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) | Err(_) => {
            let refusal = ApiError::bad_request("The body is too large or not complete");
            return Ok(refusal.into_response().map(Body::from));
        }
    };
    Ok(Box::pin(api.handle(Request::from_parts(head, body))).await)
}
