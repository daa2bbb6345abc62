//! A request that moves to threads of low priority when it turns out to take long, and back.
//!
//! The work asks for its move itself, while it is polled: [`lower`] when it has computed for long, [`raise`] before
//! it takes what others wait for. It moves when that poll ends. Must not know what the work is.

use super::{Threads, complete};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A poll in which work asks for its move ends at once, but the one who waits for it may be work as well that moves:
/// then one more ends.
const YIELDS: usize = 3;

/// A priority that work asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Low,
    Ordinary,
}

thread_local! {
    static IS_LOW: Cell<bool> = const { Cell::new(false) };
    /// What the work that this thread polls has asked for, until the poll ends.
    static ASKED: Cell<Option<Asked>> = const { Cell::new(None) };
}

/// Notes that the calling thread has low priority.
pub(super) fn mark_this_thread() {
    IS_LOW.set(true);
}

/// Asks for low priority. The caller must yield next.
pub(crate) fn lower() {
    if !IS_LOW.get() {
        ASKED.set(Some(Asked::Low));
    }
}

/// Continues on a thread of ordinary priority; called before the work takes what others wait for, or starts
/// threads or tasks that serve others. Work that does not move continues where it is.
pub(crate) async fn raise() {
    for _ in 0..YIELDS {
        if !IS_LOW.get() {
            return;
        }
        ASKED.set(Some(Asked::Ordinary));
        tokio::task::yield_now().await;
    }
}

/// Completes `work`, which runs on one of `threads` while it has asked for low priority, and at first where `is_long`
/// says so. Dropped in the middle, it may end or go on.
pub(crate) async fn movable<F>(work: F, threads: &'static Threads, is_long: bool) -> F::Output
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let mut work = Box::pin(work);
    let mut is_long = is_long;
    loop {
        if !is_long {
            let polled = poll_fn(|context| poll(work.as_mut(), context, Asked::Low));
            if let Some(done) = polled.await {
                return done;
            }
        }
        let Some(runtime) = threads.runtime() else {
            return work.await;
        };
        let moved = runtime.spawn(async move {
            let polled = poll_fn(|context| poll(work.as_mut(), context, Asked::Ordinary));
            let done = polled.await;
            (work, done)
        });
        let (back, done) = complete(moved).await;
        if let Some(done) = done {
            return done;
        }
        (work, is_long) = (back, false);
    }
}

/// Polls `work` until it is done, or asks for the priority `other` (`None`).
fn poll<F: Future>(
    work: Pin<&mut F>,
    context: &mut Context<'_>,
    other: Asked,
) -> Poll<Option<F::Output>> {
    let before = ASKED.take();
    let polled = work.poll(context);
    match polled {
        Poll::Ready(done) => {
            ASKED.set(before);
            Poll::Ready(Some(done))
        }
        Poll::Pending if ASKED.get() == Some(other) => {
            ASKED.set(before);
            Poll::Ready(None)
        }
        Poll::Pending => {
            // It may be a part of other work, on whose thread it runs.
            ASKED.set(ASKED.get().or(before));
            Poll::Pending
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::LONG;
    use super::super::testing::nice;
    use super::*;

    fn lowered(own: i32) -> i32 {
        (own + 10).min(19)
    }

    /// Computes for long, as seen from outside.
    async fn compute() {
        lower();
        tokio::task::yield_now().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_moves_when_it_asks_for_it_and_comes_back() {
        let own = nice();
        let work = async {
            let mut seen = vec![nice()];
            // Without having asked for another priority, it stays.
            tokio::task::yield_now().await;
            seen.push(nice());
            for _ in 0..2 {
                compute().await;
                seen.push(nice());
                tokio::task::yield_now().await;
                seen.push(nice());
                raise().await;
                seen.push(nice());
                raise().await;
                seen.push(nice());
            }
            seen
        };
        let low = lowered(own);
        let expected = [own, own, low, low, own, own, low, low, own, own];
        assert_eq!(movable(work, &LONG, false).await, expected);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_that_is_known_to_be_long_begins_with_low_priority() {
        let own = nice();
        let work = async {
            let before = nice();
            raise().await;
            (before, nice())
        };
        assert_eq!(movable(work, &LONG, true).await, (lowered(own), own));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_within_work_moves_alone_and_takes_the_outer_one_along_where_it_must() {
        let own = nice();
        let inner = move |is_outer_low: bool| async move {
            let before = nice();
            compute().await;
            let between = nice();
            raise().await;
            assert_eq!(nice(), own, "{is_outer_low}");
            (before, between)
        };
        let outer = async move {
            let first = movable(inner(false), &LONG, false).await;
            assert_eq!(nice(), own);
            compute().await;
            let second = movable(inner(true), &LONG, false).await;
            (first, second, nice())
        };
        let (first, second, end) = movable(outer, &LONG, false).await;
        let low = lowered(own);
        assert_eq!(first, (own, low));
        // The outer work had low priority, and with it the inner one.
        assert_eq!((second, end), ((low, low), own));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_that_nothing_moves_goes_on_where_it_is() {
        let own = nice();
        compute().await;
        raise().await;
        assert_eq!(nice(), own);
        let runtime = tokio::runtime::Handle::current();
        let blocking = LONG.run(move || {
            runtime.block_on(raise());
            nice()
        });
        assert_eq!(complete(blocking).await, lowered(own));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_panic_on_the_way_is_one_of_the_caller() {
        let working = tokio::spawn(movable(
            async {
                compute().await;
                std::panic::panic_any("on purpose")
            },
            &LONG,
            false,
        ));
        let ended: Result<(), _> = working.await;
        assert!(ended.unwrap_err().is_panic());
    }
}
