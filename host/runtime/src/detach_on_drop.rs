//! Work that is finished although its caller has gone.
//!
//! A client that disconnects does not undo what it has asked for: a call that has begun continues as a task of its own.

use std::pin::Pin;
use std::task::{Context, Poll};

/// Work in progress. Dropped halfway, it continues in the background; dropped before its first poll, it never begins.
pub(super) struct DetachOnDrop<F: Future + Send + 'static>
where
    F::Output: Send,
{
    work: Option<Pin<Box<F>>>,
    has_begun: bool,
}

impl<F: Future + Send + 'static> DetachOnDrop<F>
where
    F::Output: Send,
{
    pub(super) fn new(work: F) -> Self {
        Self {
            work: Some(Box::pin(work)),
            has_begun: false,
        }
    }
}

impl<F: Future + Send + 'static> Future for DetachOnDrop<F>
where
    F::Output: Send,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.has_begun = true;
        let Some(work) = &mut self.work else {
            return Poll::Pending;
        };
        let polled = work.as_mut().poll(cx);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<F: Future + Send + 'static> Drop for DetachOnDrop<F>
where
    F::Output: Send,
{
    fn drop(&mut self) {
        let Some(work) = self.work.take().filter(|_| self.has_begun) else {
            return;
        };
        // Without a runtime there is nothing to continue on.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = work.await;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;
    use tokio::sync::Notify;
    use tokio::time::timeout;

    /// Work that waits for `go`, and counts when it begins and when it ends.
    fn work(go: &Arc<Notify>, steps: &Arc<AtomicUsize>) -> impl Future<Output = u8> + use<> {
        let (go, steps) = (Arc::clone(go), Arc::clone(steps));
        async move {
            steps.fetch_add(1, Relaxed);
            go.notified().await;
            steps.fetch_add(1, Relaxed);
            7
        }
    }

    #[tokio::test]
    async fn what_has_begun_ends_although_nobody_waits() {
        let (go, steps) = (Arc::default(), Arc::default());
        let waiting = timeout(
            Duration::from_millis(5),
            DetachOnDrop::new(work(&go, &steps)),
        );
        assert!(waiting.await.is_err());
        assert_eq!(steps.load(Relaxed), 1);
        go.notify_one();
        while steps.load(Relaxed) < 2 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn what_has_not_begun_does_not_begin_and_what_has_ended_ends_once() {
        let (go, steps) = (Arc::new(Notify::new()), Arc::default());
        drop(DetachOnDrop::new(work(&go, &steps)));
        tokio::task::yield_now().await;
        assert_eq!(steps.load(Relaxed), 0);
        go.notify_one();
        assert_eq!(DetachOnDrop::new(work(&go, &steps)).await, 7);
        tokio::task::yield_now().await;
        assert_eq!(steps.load(Relaxed), 2);
    }
}
