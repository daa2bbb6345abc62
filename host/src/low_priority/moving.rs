//! A request that moves to other threads: to those of low priority when it turns out to take long, to the one of writers
//! when it has to wait for its turn to write, and back.
//!
//! The work asks for its move itself, while it is polled: [`lower`] when it has computed for long, [`among_writers`]
//! when it waits for the writer lock, [`raise`] before it does anything else that others wait for. It moves when that
//! poll ends. Must not know what the work is.

use super::{LONG, WRITING, complete};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// A poll in which work asks for its move ends at once, but the one who waits for it may be work as well that moves:
/// then one more ends.
const YIELDS: usize = 3;

/// The kinds of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Ordinary,
    LowPriority,
    /// That of transactions which had to wait for the writer lock.
    Writing,
}

thread_local! {
    /// The kind of the calling thread.
    static HERE: Cell<Place> = const { Cell::new(Place::Ordinary) };
    /// Where the work that this thread polls wants to go on, until the poll ends.
    static ASKED: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Notes the kind of the calling thread.
pub(super) fn mark_this_thread(place: Place) {
    HERE.set(place);
}

/// Asks for low priority. The caller must yield next.
pub(crate) fn lower() {
    if HERE.get() != Place::LowPriority {
        ASKED.set(Some(Place::LowPriority));
    }
}

/// Continues on an ordinary thread; called before the work takes what others wait for, or starts
/// threads or tasks that serve others. Work that does not move continues where it is.
pub(crate) async fn raise() {
    for _ in 0..YIELDS {
        if HERE.get() == Place::Ordinary {
            return;
        }
        ASKED.set(Some(Place::Ordinary));
        tokio::task::yield_now().await;
    }
}

/// Completes `waiting`. If it is not complete at once, the work around it goes on among the writers, on whose thread
/// no computation and no delivery is before it when its turn comes; [`raise`] leads back. Work that does not move
/// waits where it is.
pub(crate) async fn among_writers<T>(waiting: impl Future<Output = T>) -> T {
    let mut waiting = pin!(waiting);
    poll_fn(|context| {
        let polled = waiting.as_mut().poll(context);
        if polled.is_pending() && HERE.get() != Place::Writing {
            ASKED.set(Some(Place::Writing));
        }
        polled
    })
    .await
}

/// Completes `work`, which has low priority from when it asks for it until it is raised again. Dropped in the middle, it
/// may end or go on.
pub(crate) async fn movable<F>(work: F) -> F::Output
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let mut work = Box::pin(work);
    let mut place = Place::Ordinary;
    loop {
        let threads = match place {
            Place::Ordinary => None,
            Place::LowPriority => LONG.runtime(),
            Place::Writing => WRITING.runtime(),
        };
        let outcome = match threads {
            None => poll_fn(|context| poll(work.as_mut(), context, place)).await,
            Some(runtime) => {
                let moved = runtime.spawn(async move {
                    let outcome = poll_fn(|context| poll(work.as_mut(), context, place)).await;
                    (work, outcome)
                });
                let (back, outcome) = complete(moved).await;
                work = back;
                outcome
            }
        };
        match outcome {
            Outcome::Done(done) => return done,
            Outcome::Moves(to) => place = to,
        }
    }
}

/// What becomes of work that is polled.
enum Outcome<T> {
    Done(T),
    Moves(Place),
}

/// Polls `work` until it is done, or asks for another place than `here`.
fn poll<F: Future>(
    work: Pin<&mut F>,
    context: &mut Context<'_>,
    here: Place,
) -> Poll<Outcome<F::Output>> {
    let before = ASKED.take();
    let polled = work.poll(context);
    match (polled, ASKED.get()) {
        (Poll::Ready(done), _) => {
            ASKED.set(before);
            Poll::Ready(Outcome::Done(done))
        }
        (Poll::Pending, Some(to)) if to != here => {
            ASKED.set(before);
            Poll::Ready(Outcome::Moves(to))
        }
        (Poll::Pending, asked) => {
            // It may be a part of other work, on whose thread it runs.
            ASKED.set(asked.or(before));
            Poll::Pending
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
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
        assert_eq!(movable(work).await, expected);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_that_has_to_wait_for_its_turn_does_so_among_the_writers() {
        fn is_writer() -> bool {
            let name = std::thread::current().name().map(str::to_owned);
            name.is_some_and(|name| name.starts_with("spindle-write"))
        }
        let work = async {
            among_writers(std::future::ready(())).await;
            let at_once = is_writer();
            among_writers(tokio::time::sleep(std::time::Duration::from_millis(1))).await;
            let waited = is_writer();
            compute().await;
            let computing = (is_writer(), nice());
            among_writers(tokio::time::sleep(std::time::Duration::from_millis(1))).await;
            let again = (is_writer(), nice());
            raise().await;
            (at_once, waited, computing, again, is_writer())
        };
        let own = nice();
        let expected = (false, true, (false, lowered(own)), (true, own), false);
        assert_eq!(movable(work).await, expected);
        // Nothing moves this one.
        among_writers(tokio::time::sleep(std::time::Duration::from_millis(1))).await;
        assert!(!is_writer());
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
            let first = movable(inner(false)).await;
            assert_eq!(nice(), own);
            compute().await;
            let second = movable(inner(true)).await;
            (first, second, nice())
        };
        let (first, second, end) = movable(outer).await;
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
        let working = tokio::spawn(movable(async {
            compute().await;
            std::panic::panic_any("on purpose")
        }));
        let ended: Result<(), _> = working.await;
        assert!(ended.unwrap_err().is_panic());
    }
}
