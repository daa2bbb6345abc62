//! Memory for the answers of the host's own services, which is reserved before an answer is built.
//!
//! What a component answers had to fit into its instance. A service has no such limit: one account may poll hundreds of
//! queues at once, each with megabytes to tell. Must not know what an answer contains.

use super::admission::BUDGET_TIMEOUT;
use super::body::{Body, SMALL};
use super::budget::{Budget, Client, Held};
use crate::concurrency::ConcurrencyLimit;
use crate::memory::Memory;
use bytes::Bytes;
use http_body_util::BodyExt;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// The part of the memory budget that answers share with bodies; clones share everything.
#[derive(Clone)]
pub struct AnswerBudget {
    budget: Arc<Budget>,
    /// One answer of a client waits for memory at a time, and the others for it: all that wait are woken whenever memory is
    /// given back.
    turns: Arc<ConcurrencyLimit>,
    /// How long an answer waits for memory, and as long for its turn before.
    timeout: Duration,
}

/// Memory for one answer, which is given back when the client has read it.
pub struct Reservation(Option<Held>);

impl AnswerBudget {
    /// The part of `memory`, with an account of its own of what each client has.
    #[must_use]
    pub fn new(memory: Arc<Memory>) -> Self {
        Self::within(&Budget::new(memory))
    }

    pub(super) fn within(budget: &Arc<Budget>) -> Self {
        Self::waiting_for(BUDGET_TIMEOUT, budget)
    }

    fn waiting_for(timeout: Duration, budget: &Arc<Budget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            turns: Arc::new(ConcurrencyLimit::new(1, timeout)),
            timeout,
        }
    }

    /// The same as [`new`](Self::new) with another time to wait.
    #[cfg(test)]
    pub(crate) fn with_timeout(timeout: Duration, memory: Arc<Memory>) -> Self {
        Self::waiting_for(timeout, &Budget::new(memory))
    }

    /// Reserves `bytes` for an answer to `client`, if they fit at this moment. A small answer is not counted.
    #[must_use]
    pub fn try_reserve(&self, client: Client, bytes: u64) -> Option<Reservation> {
        if bytes <= SMALL as u64 {
            return Some(Reservation::none());
        }
        let held = self.budget.try_reserve(client, bytes);
        held.map(|held| Reservation(Some(held)))
    }

    /// Waits until `bytes` fit, and reserves them; `None` when that takes too long.
    pub async fn reserve(&self, client: Client, bytes: u64) -> Option<Reservation> {
        let _turn = self.turns.acquire(client).await?;
        let held = self.budget.reserve(client, bytes, self.timeout).await;
        held.ok().map(|held| Reservation(Some(held)))
    }
}

impl Reservation {
    /// For an answer that is small.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// The same for an answer that has meanwhile become larger.
    #[must_use]
    pub fn of_at_least(self, bytes: u64) -> Self {
        Self(self.0.map(|held| held.of_at_least(bytes)))
    }

    /// A body of these bytes.
    #[must_use]
    pub fn whole(self, bytes: Bytes) -> Body {
        match self.0 {
            Some(held) => Body::Counted(Some(held.wrap(bytes))),
            None => bytes.into(),
        }
    }

    /// A body of several pieces.
    #[must_use]
    pub fn stream<B>(self, body: B) -> Body
    where
        B: http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let body = body.map_err(|never| match never {});
        let body = body.map_frame(move |frame| {
            // Given back with the body.
            let _held = &self;
            frame
        });
        Body::Stream(body.boxed_unsync())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Purpose;
    use http_body_util::Full;
    use tokio::time::timeout;

    const ONE: Client = Client::Account(1);
    const LARGE: u64 = 100 << 10;
    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60);

    /// Memory of which a client may have one large answer.
    fn budget(timeout: Duration) -> (Arc<Memory>, AnswerBudget) {
        let memory = Memory::of(8 * LARGE);
        let answers = AnswerBudget::with_timeout(timeout, Arc::clone(&memory));
        (memory, answers)
    }

    #[tokio::test]
    async fn an_answer_has_its_memory_until_it_has_been_read() {
        let (memory, answers) = budget(SOON);
        let held = || memory.held_for(Purpose::Transfers);
        let reservation = answers.try_reserve(ONE, LARGE).unwrap();
        assert_eq!(held(), LARGE);
        let body = reservation.whole(Bytes::from_static(b"x"));
        assert!(answers.try_reserve(ONE, LARGE).is_none());
        let read = body.collect().await.unwrap().to_bytes();
        assert_eq!((held(), &read[..]), (LARGE, &b"x"[..]));
        drop(read);
        assert_eq!(held(), 0);
        let reservation = answers.try_reserve(ONE, LARGE).unwrap();
        let reservation = reservation.of_at_least(LARGE + 5);
        assert_eq!(held(), LARGE + 5);
        let body = reservation.stream(Full::new(Bytes::from_static(b"x")));
        assert_eq!(held(), LARGE + 5);
        assert_eq!(body.collect().await.unwrap().to_bytes(), "x");
        assert_eq!(held(), 0);
    }

    #[tokio::test]
    async fn answers_of_a_client_wait_one_after_another() {
        let (_memory, answers) = budget(LATE);
        let first = answers.try_reserve(ONE, LARGE).unwrap();
        let waiting = || Box::pin(answers.reserve(ONE, LARGE));
        let (mut second, mut third) = (waiting(), waiting());
        assert!(timeout(SOON, &mut second).await.is_err());
        assert!(timeout(SOON, &mut third).await.is_err());
        drop(first);
        let second = second.await.unwrap();
        assert!(timeout(SOON, &mut third).await.is_err());
        drop(second);
        assert!(third.await.is_some());
    }

    #[tokio::test]
    async fn neither_memory_nor_a_turn_is_waited_for_without_end() {
        let (_memory, answers) = budget(SOON);
        let _first = answers.try_reserve(ONE, LARGE).unwrap();
        let waiting = || answers.reserve(ONE, LARGE);
        let (second, third) = tokio::join!(waiting(), waiting());
        assert!(second.is_none() && third.is_none());
        // Small ones need nothing, and other clients have a share of their own.
        assert!(answers.try_reserve(ONE, SMALL as u64).is_some());
        assert!(answers.try_reserve(Client::Account(2), LARGE).is_some());
    }
}
