//! Calls to the push service: components look through what has happened and say which calls are
//! due, they are made here, and a component is told what came back. Runs only where a push service
//! is configured.
//!
//! A call that was made and whose answer was not told, because the server ended in between, is
//! made again under the same key: the service hears of everything at least once.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use tokio::task::JoinSet;

use super::calls::ask;
use super::outcome::Outcome;
use super::{CallFailed, InternalCalls, Job};
use crate::services::{PushCall, PushService};

/// Asks `POST /internal/push/collect` until nothing is left, then `POST /internal/push/claim` what
/// is due, and tells `POST /internal/push/finish` of each.
#[derive(Debug, Clone)]
pub struct CallPushService(pub PushService);

/// Rounds of one run; what is left then waits for the next.
const MOST_ROUNDS: usize = 50;

#[derive(Deserialize)]
struct Collected {
    complete: bool,
}

#[derive(Deserialize)]
struct Claimed {
    calls: Vec<Due>,
}

#[derive(Deserialize)]
struct Due {
    id: i64,
    user_id: i64,
    attempt: i64,
    path: String,
    content_type: String,
    body: String,
    idempotency_key: String,
}

#[async_trait::async_trait]
impl Job for CallPushService {
    fn name(&self) -> &'static str {
        "call-push-service"
    }

    fn routes(&self) -> &'static [&'static str] {
        &[
            "/internal/push/collect",
            "/internal/push/claim",
            "/internal/push/finish",
        ]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        for _ in 0..MOST_ROUNDS {
            let collected: Collected = ask(calls, "/internal/push/collect").await?;
            if collected.complete {
                break;
            }
        }
        let claimed: Claimed = ask(calls, "/internal/push/claim").await?;
        // In order for each person, so that no phone is asked to take back what it is shown
        // only afterwards; side by side otherwise.
        let mut by_user: BTreeMap<i64, Vec<Due>> = BTreeMap::new();
        for due in claimed.calls {
            by_user.entry(due.user_id).or_default().push(due);
        }
        let mut running = JoinSet::new();
        for calls_of_one in by_user.into_values() {
            let service = self.0.clone();
            running.spawn(async move {
                let mut outcomes: Vec<Outcome> = Vec::with_capacity(calls_of_one.len());
                for due in calls_of_one {
                    let outcome = match outcomes.last().filter(|last| last.status == 0) {
                        None => outcome(&service, due).await,
                        // A service that keeps one call waiting until its time is up would do so
                        // with each of them, and everybody else waits for this run to end.
                        Some(last) => Outcome::silence(due.id, due.attempt, last.body.clone()),
                    };
                    outcomes.push(outcome);
                }
                outcomes
            });
        }
        let mut result = Ok(());
        while let Some(finished) = running.join_next().await {
            for outcome in finished.unwrap_or_default() {
                let told = calls.post("/internal/push/finish", outcome.form()).await;
                result = result.and(told);
            }
        }
        result
    }
}

/// Makes one call.
async fn outcome(service: &PushService, due: Due) -> Outcome {
    let sent = PushCall {
        path: due.path,
        content_type: due.content_type,
        body: due.body,
        idempotency_key: due.idempotency_key,
    };
    let outcome = Outcome::of(due.id, due.attempt, service.call(sent).await);
    let result = match outcome.status {
        200..=299 => "done",
        _ => "failed",
    };
    metrics::counter!("spindle_push_calls_total", "outcome" => result).increment(1);
    if result == "failed" {
        let (status, attempt) = (outcome.status, outcome.attempt);
        tracing::warn!(status, attempt, answer = %outcome.body, "the push service did not take a call");
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::sync::Mutex;
    use tokio::time::timeout;

    /// Has two parts of the log, and two calls about one person.
    #[derive(Default)]
    struct Component(Mutex<Vec<String>>);

    #[async_trait::async_trait]
    impl InternalCalls for Component {
        async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
            let mut seen = self.0.lock().unwrap();
            seen.push(format!("{path} {form}"));
            let complete = seen.len() > 1;
            Ok(match path {
                "/internal/push/collect" => format!("{{\"complete\": {complete}}}").into(),
                "/internal/push/claim" => Bytes::from_static(
                    br#"{"calls": [{"id": 7, "user_id": 5, "attempt": 2, "path": "/x", "body": "",
                        "content_type": "text/plain", "idempotency_key": "u-7"},
                        {"id": 8, "user_id": 5, "attempt": 1, "path": "/x", "body": "",
                        "content_type": "text/plain", "idempotency_key": "u-8"}]}"#,
                ),
                _ => Bytes::new(),
            })
        }
    }

    #[tokio::test]
    async fn a_service_that_gives_no_answer_is_not_asked_again_about_the_same_person() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let accepting = tokio::spawn(async move {
            let mut connections = 0;
            // Each is closed without a word.
            while let Ok(Ok(_)) = timeout(Duration::from_millis(500), listener.accept()).await {
                connections += 1;
            }
            connections
        });
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("key");
        std::fs::write(&key, "secret").unwrap();
        let service = PushService::new(&address, "id", &key).unwrap();
        let component = Component::default();
        CallPushService(service).run(&component).await.unwrap();
        assert_eq!(accepting.await.unwrap(), 1);
        let seen = component.0.lock().unwrap();
        let paths: Vec<&str> = seen
            .iter()
            .filter_map(|call| call.split(' ').next())
            .collect();
        assert_eq!(
            paths,
            [
                "/internal/push/collect",
                "/internal/push/collect",
                "/internal/push/claim",
                "/internal/push/finish",
                "/internal/push/finish"
            ]
        );
        for (told, start) in seen[3..].iter().zip(["id=7&attempt=2", "id=8&attempt=1"]) {
            assert!(told.contains(&format!("{start}&status=0&body=")), "{told}");
        }
    }
}
