//! A component that does, by path, what a component must never do.
//!
//! Tests of the host call it while they call others, to show that only its own requests fail.
//! `data.rs` holds the paths that use stores. It behaves in the same way through WASI HTTP and through direct
//! calls. All answers are plain text, errors included, so that
//! a test can read the reason.

mod data;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use spin_sdk::http::FullBody;
use spin_sdk::http_service;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Status and text of an answer.
pub(crate) type Outcome = (StatusCode, String);

#[http_service]
async fn handle(request: spin_sdk::http::Request) -> Response<FullBody<Bytes>> {
    let (parts, body) = request.into_parts();
    let response = match body.collect().await {
        Ok(body) => respond(Request::from_parts(parts, body.to_bytes())).await,
        Err(error) => answer(StatusCode::BAD_REQUEST, format!("{error:?}")),
    };
    response.map(FullBody::new)
}

spindle_direct::export!(respond);

async fn respond(request: Request<Bytes>) -> Response<Bytes> {
    let path = request.uri().path().to_owned();
    let query = Query::new(request.uri().query());
    let action = path.rsplit('/').next().unwrap_or_default();
    let _here = Here::new();
    let (status, text) = match action {
        "trap" => std::process::abort(),
        "loop" => compute_for_ever(),
        "alloc" => allocate_without_end(),
        "grow" => grow(&query),
        "sleep" => sleep(&query).await,
        "echo" => return echo(request),
        "log" => log(&query),
        "hand-off" => return hand_off(&query),
        "beside" => beside(&query).await,
        "alone" => return alone(&request, &query).await,
        "fetch" => fetch(&query).await,
        "infinite-body" => return infinite_body(),
        "large" => return large(&query),
        other => data::answer(other, &query).await,
    };
    answer(status, text)
}

/// The parameters of the query string.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    fn new(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// The first value of `name`, or the empty string.
    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// The first value of `name` as a number, or `default`.
    pub(crate) fn number(&self, name: &str, default: i64) -> i64 {
        self.text(name).parse().unwrap_or(default)
    }
}

fn answer(status: StatusCode, text: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(text));
    *response.status_mut() = status;
    let length = HeaderValue::from(response.body().len());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    headers.insert(CONTENT_LENGTH, length);
    response
}

/// An answer without a body; a value that is no header is left out.
fn told(headers: &[(&'static str, &str)]) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    let headers = headers.iter().chain(&[("content-length", "0")]);
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(*name, value);
        }
    }
    response
}

fn compute_for_ever() -> Outcome {
    let mut number: u64 = 1;
    while number != 0 {
        number = std::hint::black_box(number | 1);
    }
    (StatusCode::OK, number.to_string())
}

fn allocate_without_end() -> Outcome {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        hoard.push(std::hint::black_box(vec![1; 1 << 20]));
    }
}

/// Allocates this many MiB little by little, as an answer that is put together does.
fn grow(query: &Query) -> Outcome {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    for _ in 0..query.number("mib", 1) {
        hoard.push(std::hint::black_box(vec![1; 1 << 20]));
    }
    (StatusCode::OK, hoard.len().to_string())
}

async fn sleep(query: &Query) -> Outcome {
    let milliseconds = u64::try_from(query.number("ms", 100)).unwrap_or(100);
    spin_sdk::time::sleep(Duration::from_millis(milliseconds)).await;
    (StatusCode::OK, "slept".to_owned())
}

fn log(query: &Query) -> Outcome {
    println!("{}", query.text("text"));
    eprintln!("{}", query.text("text"));
    (StatusCode::OK, "logged".to_owned())
}

fn hand_off(query: &Query) -> Response<Bytes> {
    told(&[
        ("x-spindle-hand-off", query.text("kind")),
        ("x-spindle-queue-id", query.text("queue_id")),
    ])
}

/// Requires an instance of its own, and answers how many requests are in the instance.
async fn alone(request: &Request<Bytes>, query: &Query) -> Response<Bytes> {
    if !request.headers().contains_key("x-spindle-alone") {
        return told(&[("x-spindle-alone", "1")]);
    }
    sleep(query).await;
    answer(StatusCode::OK, format!("{} here", HERE.load(Relaxed)))
}

/// Waits, and answers how many requests are in the instance then.
async fn beside(query: &Query) -> Outcome {
    sleep(query).await;
    (StatusCode::OK, format!("{} here", HERE.load(Relaxed)))
}

/// Requests in this instance.
static HERE: AtomicUsize = AtomicUsize::new(0);

/// Counts one of them.
struct Here;

impl Here {
    fn new() -> Self {
        HERE.fetch_add(1, Relaxed);
        Self
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        HERE.fetch_sub(1, Relaxed);
    }
}

fn infinite_body() -> Response<Bytes> {
    // More than the host is willing to keep for one answer, yet less than the
    // memory of an instance: the limit of the host is what must stop it.
    answer(StatusCode::OK, "x".repeat(40 << 20))
}

/// An answer of this many KiB.
fn large(query: &Query) -> Response<Bytes> {
    let kib = usize::try_from(query.number("kib", 1)).unwrap_or(1);
    answer(StatusCode::OK, "x".repeat(kib << 10))
}

async fn fetch(query: &Query) -> Outcome {
    match spin_sdk::http::get(query.text("url")).await {
        Ok(response) => {
            let status = response.status();
            match response.into_body().collect().await {
                Ok(body) => {
                    let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
                    (StatusCode::OK, format!("{} {text}", status.as_u16()))
                }
                Err(error) => (StatusCode::BAD_GATEWAY, format!("{error:?}")),
            }
        }
        Err(error) => (StatusCode::BAD_GATEWAY, format!("{error:?}")),
    }
}

/// Answers what arrived: method, path with query, headers sorted, length of the body.
fn echo(request: Request<Bytes>) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    let mut lines = vec![format!("{} {}", parts.method, parts.uri)];
    let mut headers: Vec<String> = parts
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    headers.sort();
    lines.append(&mut headers);
    lines.push(format!("body {}", body.len()));
    answer(StatusCode::OK, lines.join("\n"))
}
