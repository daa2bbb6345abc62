//! The baseline: a bare hyper server, run as a child process of the benchmark.
//!
//! `/hello` answers thirty bytes of JSON; `/wait` holds the request until `/wake` answers all waiting
//! requests with a small event. It shows what this machine can do without the project's code; every figure
//! of the project is compared with it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const HELLO: &[u8] = br#"{"result":"success","msg":"ok"}"#;
const EVENT: &[u8] =
    br#"{"result":"success","msg":"","events":[{"id":0,"type":"user_status","user_id":8}],"queue_id":"0"}"#;

type Waiters = Arc<Mutex<Vec<oneshot::Sender<()>>>>;

/// Serves until the process is ended.
pub async fn serve(listen: SocketAddr) -> Result<()> {
    let listener = TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    let waiters = Waiters::default();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let waiters = Arc::clone(&waiters);
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(request, Arc::clone(&waiters)));
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    waiters: Waiters,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = match request.uri().path() {
        "/wait" => {
            let (sender, receiver) = oneshot::channel();
            if let Ok(mut waiting) = waiters.lock() {
                waiting.push(sender);
            }
            let _ = receiver.await;
            EVENT
        }
        "/wake" => {
            let woken = waiters
                .lock()
                .map(|mut waiting| std::mem::take(&mut *waiting));
            for sender in woken.unwrap_or_default() {
                let _ = sender.send(());
            }
            HELLO
        }
        _ => HELLO,
    };
    let mut response = Response::new(Full::new(Bytes::from_static(body)));
    response.headers_mut().insert(
        hyper::header::CONTENT_TYPE,
        hyper::header::HeaderValue::from_static("application/json"),
    );
    Ok(response)
}
