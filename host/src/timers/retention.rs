//! The deletion of messages that are older than they are kept: a component does it, a few
//! messages a call.

use std::time::Duration;

use super::calls::ask_until_complete;
use super::{CallFailed, InternalCalls, Job};

/// Calls `POST /internal/expire_messages` once a minute, and again until nothing is left.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExpireMessages;

#[async_trait::async_trait]
impl Job for ExpireMessages {
    fn name(&self) -> &'static str {
        "expire-messages"
    }

    fn routes(&self) -> &'static [&'static str] {
        &["/internal/expire_messages"]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(60)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        ask_until_complete(calls, "/internal/expire_messages").await
    }
}

#[cfg(test)]
mod tests {
    use super::super::calls::PAUSE;
    use super::*;
    use bytes::Bytes;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    /// Has three batches to delete.
    #[derive(Default)]
    struct Component(AtomicU64);

    #[async_trait::async_trait]
    impl InternalCalls for Component {
        async fn ask(&self, path: &str, _form: String) -> Result<Bytes, CallFailed> {
            assert_eq!(path, "/internal/expire_messages");
            let complete = self.0.fetch_add(1, Ordering::SeqCst) == 3;
            let answer = format!("{{\"deleted_messages\": 1, \"complete\": {complete}}}");
            Ok(Bytes::from(answer))
        }
    }

    #[tokio::test]
    async fn it_goes_on_until_nothing_is_left_and_pauses_in_between() {
        let component = Component::default();
        let started = Instant::now();
        ExpireMessages.run(&component).await.unwrap();
        assert_eq!(component.0.load(Ordering::SeqCst), 4);
        assert!(started.elapsed() >= 3 * PAUSE);
    }
}
