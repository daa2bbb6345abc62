//! The smallest component: it answers 30 bytes of JSON and uses no imports.
//!
//! Benchmarks compare the native host with `wasmtime serve` by it, so it must do nothing but
//! answer; it sets the content length so that no server has to use chunks. It has both exports of a
//! component: WASI HTTP and the direct one.

use bytes::Bytes;
use http::HeaderValue;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use spin_sdk::http::{FullBody, Request, Response};
use spin_sdk::http_service;

const BODY: &[u8] = b"{\"result\":\"success\",\"msg\":\"!\"}";

#[http_service]
async fn hello(_request: Request) -> Response<FullBody<Bytes>> {
    answer().map(FullBody::new)
}

async fn respond(_request: http::Request<Bytes>) -> http::Response<Bytes> {
    answer()
}

spindle_direct::export!(respond);

fn answer() -> http::Response<Bytes> {
    let mut response = http::Response::new(Bytes::from_static(BODY));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(BODY.len()));
    response
}
