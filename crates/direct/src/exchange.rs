//! From the bytes of a request to those of its response.
//!
//! A large body stays here until the host has room for it. Must not keep anything else between requests.

use bytes::Bytes;
use spindle_wire::internal::direct;
use spindle_wire::{Request, Response};
use std::cell::RefCell;

thread_local! {
    /// The body of the last answer, until the host asks for it.
    static BODY: RefCell<Bytes> = const { RefCell::new(Bytes::new()) };
}

/// Has `respond` answer the request in `bytes`. The answer is empty, which the host takes for a failure, when
/// they hold no request.
pub fn answer<F>(bytes: Vec<u8>, respond: impl FnOnce(Request) -> F) -> Vec<u8>
where
    F: Future<Output = Response>,
{
    BODY.take();
    let Some(request) = direct::to_request(bytes.into()) else {
        return Vec::new();
    };
    let response = spin_sdk::wit_bindgen::block_on(respond(request));
    let (bytes, body) = direct::from_response(response);
    if let Some(body) = body {
        BODY.set(body);
    }
    bytes
}

/// The body that the last answer has left out.
pub fn body() -> Vec<u8> {
    BODY.take().into()
}
