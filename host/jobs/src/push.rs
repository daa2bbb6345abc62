//! Calls to the push service: actions read the event log and claim due calls,
//! this module makes them, and another action records the outcomes. Runs only if a push service is
//! configured.
//!
//! A call whose outcome was not recorded, because the server ended in between, is
//! made again with the same key: the service receives everything at least once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use spindle_actions::push::{
    ClaimedPush, FinishedPush, claim_push_calls, collect_pushes, finish_push_call,
};
use spindle_domain::RealmId;
use spindle_store::Connection;
use tokio::task::JoinSet;

use super::outcome::Outcome;
use super::{Job, JobFailed, JobStore};
use spindle_outgoing::{PushCall, PushService};
use spindle_system::log_pace::LogPace;

/// Rounds of one run; the rest waits for the next.
const MOST_ROUNDS: usize = 50;

const REALM: RealmId = RealmId::ONLY;

/// Of lines about failed calls.
static PACE: LogPace = LogPace::new();

/// Collects until nothing is left, claims due calls, and records the outcome of each.
#[derive(Debug, Clone)]
pub struct CallPushService {
    service: PushService,
    site: Arc<str>,
}

impl CallPushService {
    /// Calls `service`. `site` is the address under which clients reach the server, without a slash at
    /// its end.
    pub fn new(service: PushService, site: String) -> Self {
        let site = site.into();
        Self { service, site }
    }
}

#[async_trait::async_trait]
impl Job for CallPushService {
    fn name(&self) -> &'static str {
        "call-push-service"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        for _ in 0..MOST_ROUNDS {
            let collect = |db: &dyn Connection, now: i64| collect_pushes(db, REALM, now);
            if store.run(collect).await? {
                break;
            }
        }
        let site = self.site.clone();
        let claim = move |db: &dyn Connection, now: i64| claim_push_calls(db, REALM, now, &site);
        let claimed = store.run(claim).await?;
        // In order for each person, so that a phone receives a notification before its removal;
        // concurrently for different people.
        let mut by_user: BTreeMap<i64, Vec<ClaimedPush>> = BTreeMap::new();
        for due in claimed {
            by_user.entry(due.user_id.into()).or_default().push(due);
        }
        let mut running = JoinSet::new();
        for calls_of_one in by_user.into_values() {
            let service = self.service.clone();
            running.spawn(async move {
                let mut outcomes: Vec<Outcome> = Vec::with_capacity(calls_of_one.len());
                for due in calls_of_one {
                    let outcome = match outcomes.last().filter(|last| last.status == 0) {
                        None => outcome(&service, due).await,
                        // A service that lets one call time out would let each of them time out,
                        // and all other people would wait for the end of this run.
                        Some(last) => {
                            Outcome::silence(due.id.into(), due.attempt, last.body.clone())
                        }
                    };
                    outcomes.push(outcome);
                }
                outcomes
            });
        }
        let mut result = Ok(());
        while let Some(ended) = running.join_next().await {
            for outcome in ended.unwrap_or_default() {
                result = result.and(finish(store, outcome).await);
            }
        }
        result
    }
}

/// Records the outcome of one call.
async fn finish(store: &JobStore, outcome: Outcome) -> Result<(), JobFailed> {
    let Outcome {
        id,
        attempt,
        status,
        body,
    } = outcome;
    let finished = FinishedPush {
        id: id.into(),
        attempt,
        status,
        body,
    };
    store
        .run(move |db, now| finish_push_call(db, REALM, now, &finished))
        .await
}

/// Makes one call.
async fn outcome(service: &PushService, due: ClaimedPush) -> Outcome {
    let sent = PushCall {
        path: due.path.to_owned(),
        content_type: due.content_type.to_owned(),
        body: due.body,
        idempotency_key: due.idempotency_key,
    };
    let outcome = Outcome::of(due.id.into(), due.attempt, service.call(sent).await);
    let result = match outcome.status {
        200..=299 => "done",
        _ => "failed",
    };
    metrics::counter!("spindle_push_calls_total", "outcome" => result).increment(1);
    if result == "failed"
        && let Some(left_out) = PACE.next()
    {
        let (status, attempt) = (outcome.status, outcome.attempt);
        tracing::warn!(status, attempt, left_out, answer = %outcome.body, "the push service did not take a call");
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Organization;
    use spindle_actions::push::configure_push_service;
    use spindle_store::push_calls::{self, NewPushCall};
    use spindle_store::{SilentReason, change_silently};
    use spindle_system::clock::Clock;
    use tokio::time::timeout;

    /// Notes two registrations of the owner's.
    fn register_twice(organization: &Organization, now: i64) {
        let db = organization.db();
        configure_push_service(&db, REALM, now, true).unwrap();
        let inserted = change_silently(&db, SilentReason::Calls, |tx| {
            for target in [7, 8] {
                let call = NewPushCall {
                    kind: "register",
                    form: "account",
                    user_id: organization.owner().user_id.get().into(),
                    target: Some(target),
                    message_id: None,
                    detail: r#"{"token_id": null, "bouncer_public_key": "", "encrypted_push_registration": ""}"#,
                };
                push_calls::insert(tx, &call, now)?;
            }
            Ok::<_, spindle_store::DbError>(())
        });
        inserted.unwrap();
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
        let (organization, clock) = (Organization::create(), Clock::new());
        register_twice(&organization, clock.unix_seconds());
        let store = JobStore::file(organization.database(), clock.clone());
        let job = CallPushService::new(service, "http://chat.test".to_owned());
        job.run(&store).await.unwrap();
        assert_eq!(accepting.await.unwrap(), 1);
        // Both are attempted again, before the claim that was made for the first attempt is over.
        let db = organization.db();
        let soon = clock.unix_seconds() + 50;
        let again = change_silently(&db, SilentReason::Calls, |tx| {
            push_calls::claim(tx, soon, soon, 10)
        });
        let again = again.unwrap();
        let attempts: Vec<i64> = again.iter().map(|row| row.attempts).collect();
        assert_eq!(attempts, [2, 2]);
    }
}
