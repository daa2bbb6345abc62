//! The HTTP server for health and metrics: three read-only paths.
//!
//! Owns its listener and its connections. Must not share anything with the front that serves clients,
//! or an overloaded front would look like a dead server.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Response, StatusCode, header};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::{Health, Recorder};

/// Longest time that a client may take over the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);

/// A running server; dropping it stops it.
#[derive(Debug)]
pub struct OpsServer {
    address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl OpsServer {
    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for OpsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Listens on `address` and answers from `health` and `recorder`.
pub async fn start(
    address: SocketAddr,
    health: Arc<Health>,
    recorder: Recorder,
) -> std::io::Result<OpsServer> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let task = tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    tokio::spawn(serve(stream, Arc::clone(&health), recorder.clone()));
                }
                // Probably out of file descriptors: wait and retry.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    });
    Ok(OpsServer { address, task })
}

async fn serve(stream: TcpStream, health: Arc<Health>, recorder: Recorder) {
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let (health, recorder) = (Arc::clone(&health), recorder.clone());
        async move {
            let (method, path) = (request.method().clone(), request.uri().path().to_owned());
            // Checks access the disk.
            let answered =
                tokio::task::spawn_blocking(move || answer(&method, &path, &health, &recorder))
                    .await;
            Ok::<_, Infallible>(answered.unwrap_or_else(|_| {
                json_response(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    &json!({ "status": "failing" }),
                )
            }))
        }
    });
    // A disconnect of the client is no error.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn answer(
    method: &Method,
    path: &str,
    health: &Health,
    recorder: &Recorder,
) -> Response<Full<Bytes>> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return json_response(
            StatusCode::METHOD_NOT_ALLOWED,
            &json!({ "error": "only GET" }),
        );
    }
    match path {
        "/health/live" => json_response(StatusCode::OK, &json!({ "status": "live" })),
        "/health/ready" => {
            let (ready, reasons) = health.readiness();
            let status = if ready {
                StatusCode::OK
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            };
            json_response(status, &reasons)
        }
        "/metrics" => response(
            StatusCode::OK,
            "text/plain; version=0.0.4; charset=utf-8",
            recorder.render(),
        ),
        _ => json_response(
            StatusCode::NOT_FOUND,
            &json!({ "error": "not found", "paths": ["/health/live", "/health/ready", "/metrics"] }),
        ),
    }
}

fn json_response(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    response(status, "application/json", body.to_string())
}

fn response(status: StatusCode, content_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static(content_type),
    );
    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("no-store"),
    );
    response
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::sync::Arc;

    use super::super::{Health, ServerState, install};
    use super::start;

    fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_three_paths_answer() {
        let health = Arc::new(Health::default());
        let any = "127.0.0.1:0".parse().unwrap();
        let server = start(any, Arc::clone(&health), install().unwrap())
            .await
            .unwrap();
        let address = server.address();
        let ask = move |path: &'static str| tokio::task::spawn_blocking(move || get(address, path));

        assert!(
            ask("/health/live")
                .await
                .unwrap()
                .starts_with("HTTP/1.1 200")
        );
        assert!(
            ask("/health/ready")
                .await
                .unwrap()
                .starts_with("HTTP/1.1 503")
        );
        health.set(ServerState::Ready);
        assert!(ask("/health/ready").await.unwrap().contains("\"ready\""));
        let metrics = ask("/metrics").await.unwrap();
        assert!(
            metrics.contains("spindle_process_resident_bytes"),
            "{metrics}"
        );
        assert!(ask("/other").await.unwrap().starts_with("HTTP/1.1 404"));
    }
}
