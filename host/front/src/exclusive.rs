//! Instances that serve one request at a time, for long computations: password hashing.
//!
//! A component that is about to compute answers with the header `NEEDS_EXCLUSIVE` instead. The request then gets a ticket for a
//! hash and is repeated with that header in an exclusive instance, on a thread of its own: it delays no other request,
//! and the operating system gives it its share of the processors.

use super::app::HostedComponent;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use spindle_admission::memory::Client;
use spindle_admission::{Admission, Class, Holding, Ticket};
use spindle_runtime::{PoolError, RequestId};
use spindle_wire::internal::headers::NEEDS_EXCLUSIVE;
use std::sync::Arc;
use tokio::runtime::{Handle, RuntimeFlavor};

/// The client of calls that the host makes itself.
const HOST: Client = Client::Address(0);

/// Calls the component in a shared instance and, if it requests that, again in an exclusive one.
///
/// # Errors
///
/// See [`PoolError`]; `Overloaded` also when no ticket becomes free.
pub(super) async fn call_instance(
    admission: &Arc<Admission>,
    part: &HostedComponent,
    head: &Parts,
    body: Bytes,
    id: &RequestId,
    ticket: Option<Arc<Ticket>>,
) -> Result<Response<Bytes>, PoolError> {
    let request = || Request::from_parts(head.clone(), body.clone());
    let answer = part.pool.handle(request(), id.clone()).await?;
    if !answer.headers().contains_key(NEEDS_EXCLUSIVE) {
        return Ok(answer);
    }
    if matches!(head.method, Method::GET | Method::HEAD) {
        let component = part.pool.id();
        tracing::error!(component, "a read request asked for an exclusive instance");
        return Err(PoolError::Failed("not for read requests".to_owned()));
    }
    let _ticket = match ticket {
        Some(ticket) => {
            ticket.exchange(Class::Hash, Holding::Nothing).await?;
            ticket
        }
        None => Arc::new(admission.admit(HOST, Class::Hash).await?),
    };
    let mut request = request();
    request
        .headers_mut()
        .insert(NEEDS_EXCLUSIVE, HeaderValue::from_static("1"));
    on_a_thread(part.exclusive_pool.handle(request, id.clone())).await
}

/// Completes `call` on this thread; the runtime moves its other tasks to another one.
async fn on_a_thread<T>(call: impl Future<Output = T>) -> T {
    let handle = Handle::try_current();
    match handle {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(|| handle.block_on(call))
        }
        _ => call.await,
    }
}
