//! Instances that serve one request at a time: for those that compute for long, which is hashing
//! passwords.
//!
//! A component that is about to do so answers with the header `ALONE` in its place. The request then
//! waits in a line of the whole server, and is repeated with that header in an instance that has
//! nothing else to do; everybody else goes on in the others. Must not know what is computed.

use super::app::{Inner, Part};
use super::budget::Holder;
use super::turns::Turn;
use crate::runtime::{PoolError, RequestId};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use spindle_wire::internal::headers::ALONE;
use std::num::NonZero;

/// How many such requests are in instances at once, and how many of other work that only computes.
pub(super) fn at_once() -> usize {
    of_processors(std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// Half of the processors stay with the others.
pub(crate) fn of_processors(processors: usize) -> usize {
    (processors / 2).max(1)
}

/// Whom a component is called for.
#[derive(Default)]
pub(super) struct For<'t> {
    /// None: the host itself.
    pub(super) holder: Option<Holder>,
    /// Their turn, which is given back while they wait in line.
    pub(super) turn: Option<&'t mut Option<Turn>>,
}

impl Inner {
    /// Has the component answer: in an instance that it shares, or, where it asks for that, in one
    /// that serves no other request meanwhile.
    ///
    /// # Errors
    ///
    /// See [`PoolError`]; also when the line is too long.
    pub(super) async fn ask(
        &self,
        part: &Part,
        head: &Parts,
        body: Bytes,
        id: &RequestId,
        whom: For<'_>,
    ) -> Result<Response<Bytes>, PoolError> {
        let request = || Request::from_parts(head.clone(), body.clone());
        let answer = part.pool.handle(request(), id.clone()).await?;
        if !answer.headers().contains_key(ALONE) {
            return Ok(answer);
        }
        if matches!(head.method, Method::GET | Method::HEAD) {
            let component = part.pool.id();
            tracing::error!(
                component,
                "an instance of its own for a request that only reads"
            );
            return Err(PoolError::Failed("a request that only reads".to_owned()));
        }
        if let Some(turn) = whom.turn {
            *turn = None;
        }
        let holder = whom.holder.unwrap_or(Holder::Address(0));
        let place = self.alone.enter(holder).await;
        let _place = place.map_err(|_| PoolError::Overloaded)?;
        let mut request = request();
        request
            .headers_mut()
            .insert(ALONE, HeaderValue::from_static("1"));
        part.alone.handle(request, id.clone()).await
    }
}
