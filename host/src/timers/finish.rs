//! The rest of changes of many messages that were acknowledged before all of them was made: a
//! component makes it, one part a call.

use std::time::Duration;

use super::calls::ask_until_complete;
use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/finish_changes` every two seconds, and again until nothing is left.
#[derive(Debug, Clone, Copy, Default)]
pub struct FinishChanges;

#[async_trait::async_trait]
impl Job for FinishChanges {
    fn name(&self) -> &'static str {
        "finish-changes"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/finish_changes"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(2)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        ask_until_complete(calls, "/internal/finish_changes").await
    }
}

#[cfg(test)]
mod tests {
    use super::super::calls::PAUSE;
    use super::*;
    use bytes::Bytes;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    /// Has three parts to make.
    #[derive(Default)]
    struct Component(AtomicU64);

    #[async_trait::async_trait]
    impl InternalCalls for Component {
        async fn ask(&self, path: &str, _form: String) -> Result<Bytes, CallFailed> {
            assert_eq!(path, "/internal/finish_changes");
            let complete = self.0.fetch_add(1, Ordering::SeqCst) == 3;
            let answer = format!("{{\"complete\": {complete}}}");
            Ok(Bytes::from(answer))
        }
    }

    #[tokio::test]
    async fn it_goes_on_until_nothing_is_left_and_pauses_in_between() {
        let component = Component::default();
        let started = Instant::now();
        FinishChanges.run(&component).await.unwrap();
        assert_eq!(component.0.load(Ordering::SeqCst), 4);
        assert!(started.elapsed() >= 3 * PAUSE);
    }
}
