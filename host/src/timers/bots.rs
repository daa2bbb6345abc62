//! Calls to the services of outgoing bots: a component says which are due, they are made here,
//! and a component is told what came back.
//!
//! A call that was made and whose answer was not told, because the server ended in between, is
//! made again: services see each message at least once.

use std::time::Duration;

use serde::Deserialize;
use tokio::task::JoinSet;

use super::calls::ask;
use super::outcome::Outcome;
use super::{CallFailed, InternalCalls, Job};
use crate::services::{AddressGuard, ServiceCall, call};

/// Asks `POST /internal/bot_calls/claim` what is due, and tells `POST
/// /internal/bot_calls/finish` of each.
#[derive(Debug, Clone, Default)]
pub struct CallBots(pub AddressGuard);

#[derive(Deserialize)]
struct Claimed {
    calls: Vec<Due>,
}

#[derive(Deserialize)]
struct Due {
    id: i64,
    attempt: i64,
    url: String,
    content_type: String,
    body: String,
}

#[async_trait::async_trait]
impl Job for CallBots {
    fn name(&self) -> &'static str {
        "call-bots"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        let claimed: Claimed = ask(calls, "/internal/bot_calls/claim").await?;
        let mut running = JoinSet::new();
        for due in claimed.calls {
            let guard = self.0.clone();
            running.spawn(async move { outcome(&guard, due).await });
        }
        let mut result = Ok(());
        while let Some(finished) = running.join_next().await {
            let Ok(form) = finished else { continue };
            let told = calls.post("/internal/bot_calls/finish", form).await;
            result = result.and(told);
        }
        result
    }
}

/// Makes one call; returns what is told of it.
async fn outcome(guard: &AddressGuard, due: Due) -> String {
    let sent = ServiceCall {
        url: due.url,
        content_type: due.content_type,
        headers: Vec::new(),
        body: due.body,
    };
    let answer = call(guard, &sent).await;
    Outcome::of(due.id, due.attempt, answer).form()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Component(Mutex<Vec<String>>);

    #[async_trait::async_trait]
    impl InternalCalls for Component {
        async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
            if path.ends_with("/claim") {
                let calls = r#"{"result": "success", "calls": [{"id": 7, "attempt": 2,
                    "url": "http://127.0.0.1:9/", "content_type": "text/plain", "body": ""}]}"#;
                return Ok(Bytes::from(calls));
            }
            self.0.lock().unwrap().push(form);
            Ok(Bytes::new())
        }
    }

    #[tokio::test]
    async fn a_call_that_may_not_be_made_is_told_too() {
        let component = Component::default();
        CallBots::default().run(&component).await.unwrap();
        let told = component.0.lock().unwrap().join("");
        assert!(told.starts_with("id=7&attempt=2&status=0&body="), "{told}");
    }
}
