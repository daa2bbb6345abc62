//! Instances that serve one request at a time, for long computations: password hashing.
//!
//! A component that is about to compute answers with the header `ALONE` instead. The
//! request then waits in a queue shared by the whole server and is repeated with that header in an
//! exclusive instance on a thread of its own, so that it delays no other request, and the operating system gives it the
//! share of a thread: there is a person who waits for it, and few passwords are hashed at once. The requests of a client
//! that sends one after another have low priority.
//! Must not know what is computed.

use super::app::{Inner, Part};
use super::budget::Client;
use super::fair_queue::FairQueue;
use crate::concurrency::ConcurrencyPermit;
use crate::runtime::{PoolError, RequestId};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use spindle_wire::internal::headers::ALONE;
use std::num::NonZero;
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};

/// The shortest time between two exclusive requests of a client. Hashing a password takes longer; guesses that are refused
/// without hashing are a few dozen a second, and not as many as a processor can refuse.
pub(crate) const PACE: Duration = Duration::from_millis(25);

/// The queue for exclusive instances.
pub(super) fn queue() -> FairQueue {
    FairQueue::new(max_concurrent())
        .paced(PACE)
        .with_low_priority(max_concurrent())
}

/// Most exclusive instances at once: beside those of ordinary priority, as many of low priority.
pub(super) fn max_instances() -> usize {
    max_concurrent() * 2
}

/// Most exclusive requests of ordinary priority at once; also the limit for other processor-bound work.
pub(super) fn max_concurrent() -> usize {
    max_concurrent_on(std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// Half of the processors stay free for other work.
pub(crate) fn max_concurrent_on(processors: usize) -> usize {
    (processors / 2).max(1)
}

/// The client for which a component is called, with its concurrency permit.
#[derive(Default)]
pub(super) struct CallContext<'t> {
    /// `None` for calls of the host itself.
    pub(super) holder: Option<Client>,
    /// The client's permit, which is released while the request is queued.
    pub(super) permit: Option<&'t mut Option<ConcurrencyPermit>>,
}

impl Inner {
    /// Calls the component in a shared instance and, if it requests that, again in an exclusive one.
    ///
    /// # Errors
    ///
    /// See [`PoolError`]; `Overloaded` also when the queue for exclusive instances is full.
    pub(super) async fn call_instance(
        &self,
        part: &Part,
        head: &Parts,
        body: Bytes,
        id: &RequestId,
        context: CallContext<'_>,
    ) -> Result<Response<Bytes>, PoolError> {
        let request = || Request::from_parts(head.clone(), body.clone());
        let answer = part.pool.handle(request(), id.clone()).await?;
        if !answer.headers().contains_key(ALONE) {
            return Ok(answer);
        }
        if matches!(head.method, Method::GET | Method::HEAD) {
            let component = part.pool.id();
            tracing::error!(component, "a read request asked for an exclusive instance");
            return Err(PoolError::Failed("not for read requests".to_owned()));
        }
        if let Some(permit) = context.permit {
            *permit = None;
        }
        let holder = context.holder.unwrap_or(Client::Address(0));
        let permit = self.exclusive_queue.acquire(holder).await;
        let permit = permit.map_err(|_| PoolError::Overloaded)?;
        let mut request = request();
        request
            .headers_mut()
            .insert(ALONE, HeaderValue::from_static("1"));
        let computing = Some(permit.computing());
        let pool = &part.exclusive_pool;
        on_a_thread(pool.handle_with(request, id.clone(), computing)).await
    }
}

/// Completes `call` on this thread, which does nothing else meanwhile; the runtime gives its other tasks
/// to another thread. The operating system then shares the processors between this call and the threads
/// of the runtime, and the call does not wait for each of their tasks.
async fn on_a_thread<T>(call: impl Future<Output = T>) -> T {
    let handle = Handle::try_current();
    match handle {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(|| handle.block_on(call))
        }
        _ => call.await,
    }
}
