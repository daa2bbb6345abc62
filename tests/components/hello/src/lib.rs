//! The smallest component: it answers 30 bytes of JSON and uses no imports.
//!
//! Benchmarks compare the native host with `wasmtime serve` by it, so it must do nothing but
//! answer; it sets the content length so that no server has to use chunks.

use bytes::Bytes;
use spin_sdk::http::{FullBody, Request, Response};
use spin_sdk::http_service;

const BODY: &[u8] = b"{\"result\":\"success\",\"msg\":\"!\"}";

#[http_service]
async fn hello(_request: Request) -> Result<Response<FullBody<Bytes>>, spin_sdk::http::Error> {
    let response = Response::builder()
        .header("content-type", "application/json")
        .header("content-length", BODY.len())
        .body(FullBody::new(Bytes::from_static(BODY)))?;
    Ok(response)
}
