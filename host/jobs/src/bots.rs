//! Calls to the services of outgoing bots: an action claims due calls, this module makes them, and
//! another action records the outcomes.
//!
//! Calls are concurrent: no run waits for one. The limiter of calls decides which may begin; the
//! others are returned. A call whose outcome was not recorded, because the server ended in between,
//! is repeated: services receive each message at least once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use spindle_actions::bots::{
    ClaimedCall, DeferredCall, FailedCall, FinishedCall, claim_bot_calls, defer_bot_calls,
    finish_bot_call,
};
use spindle_domain::RealmId;
use spindle_store::Connection;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::outcome::Outcome;
use super::{Job, JobFailed, JobStore};
use spindle_outgoing::{
    AddressGuard, Answer, CallLimiter, CallPermit, Failure, ServiceCall, Verdict, call, service_of,
};
use spindle_system::clock::Clock;
use spindle_system::log_pace::LogPace;

/// A claim that returns this many calls means that there may be more.
const MANY: usize = 8;

const REALM: RealmId = RealmId::ONLY;

/// Claims due calls, returns calls that cannot begin yet, and records the outcomes of ended calls.
pub struct CallBots {
    shared: Arc<Shared>,
    under_way: Mutex<JoinSet<()>>,
}

/// The context of a call.
struct Shared {
    guard: AddressGuard,
    clock: Clock,
    site: Arc<str>,
    limiter: CallLimiter,
    /// Of lines about failed calls.
    pace: LogPace,
    /// The last claim returned a full batch, so there may be more.
    is_more: AtomicBool,
    again: Notify,
    /// Why the outcome of a call could not be recorded; for the next run.
    failed: Mutex<Option<JobFailed>>,
}

impl CallBots {
    /// Calls the addresses that `guard` admits. `site` is the address under which clients reach the
    /// server, without a slash at its end.
    pub fn new(guard: AddressGuard, clock: Clock, site: String) -> Self {
        Self {
            shared: Arc::new(Shared {
                guard,
                clock,
                site: site.into(),
                limiter: CallLimiter::default(),
                pace: LogPace::default(),
                is_more: AtomicBool::new(false),
                again: Notify::new(),
                failed: Mutex::default(),
            }),
            under_way: Mutex::default(),
        }
    }

    /// Begins a call that has a permit.
    fn begin(&self, store: &JobStore, due: ClaimedCall, permit: CallPermit) {
        let (shared, store) = (Arc::clone(&self.shared), store.clone());
        let mut under_way = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Ended calls are removed.
        while under_way.try_join_next().is_some() {}
        under_way.spawn(async move { shared.make(&store, due, permit).await });
    }
}

#[async_trait::async_trait]
impl Job for CallBots {
    fn name(&self) -> &'static str {
        "call-bots"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn sooner(&self) {
        self.shared.again.notified().await;
    }

    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        let shared = &self.shared;
        if let Some(error) = shared.failed().take() {
            return Err(error);
        }
        let room = shared.limiter.available();
        if room == 0 {
            return Ok(());
        }
        let (room, site) = (i64::try_from(room).unwrap_or(i64::MAX), shared.site.clone());
        let claim =
            move |db: &dyn Connection, now: i64| claim_bot_calls(db, REALM, now, room, &site);
        let claimed = store.run(claim).await?;
        let is_more = claimed.len() >= MANY;
        shared.is_more.store(is_more, Ordering::Release);
        let mut deferred = Vec::new();
        // One check for each service, so that its calls begin in their order.
        let mut refused: HashMap<String, i64> = HashMap::new();
        for due in claimed {
            let service = format!("{} of {}", service_of(&due.url), due.owner_id);
            let seconds = match refused.get(&service) {
                Some(seconds) => *seconds,
                None => match shared
                    .limiter
                    .acquire(&service, shared.clock.running_time())
                {
                    Ok(permit) => {
                        self.begin(store, due, permit);
                        continue;
                    }
                    Err(pause) => *refused.entry(service).or_insert(rounded_up(pause)),
                },
            };
            let (id, attempt) = (due.id, due.attempt);
            deferred.push(DeferredCall {
                id,
                attempt,
                seconds,
            });
        }
        if deferred.is_empty() {
            return Ok(());
        }
        store
            .run(move |db, now| defer_bot_calls(db, REALM, now, &deferred))
            .await
    }
}

/// Not before the time is over, in whole seconds.
fn rounded_up(pause: Duration) -> i64 {
    i64::try_from(pause.as_secs() + 1).unwrap_or(i64::MAX)
}

impl Shared {
    /// Makes one call and records its outcome.
    async fn make(&self, store: &JobStore, due: ClaimedCall, permit: CallPermit) {
        let sent = ServiceCall {
            url: due.url,
            content_type: due.content_type.to_owned(),
            headers: Vec::new(),
            body: due.body,
        };
        let answer = call(&self.guard, &sent).await;
        permit.release(verdict(&answer), self.clock.running_time());
        let Outcome {
            id,
            attempt,
            status,
            body,
        } = Outcome::of(due.id.into(), due.attempt, answer);
        let finished = FinishedCall {
            id: id.into(),
            attempt,
            status,
            body,
        };
        let site = self.site.clone();
        let finish =
            move |db: &dyn Connection, now: i64| finish_bot_call(db, REALM, now, &site, &finished);
        match store.run(finish).await {
            Ok(Some(failed)) => self.log(&failed),
            Ok(None) => {}
            Err(error) => *self.failed() = Some(error),
        }
        if self.is_more.load(Ordering::Acquire) {
            self.again.notify_one();
        }
    }

    fn log(&self, failed: &FailedCall) {
        let FailedCall {
            bot_id,
            reason,
            is_repeated,
        } = failed;
        if let Some(left_out) = self.pace.next() {
            tracing::warn!(
                bot_id = bot_id.get(),
                reason,
                is_repeated,
                left_out,
                "the service of a bot failed"
            );
        }
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<JobFailed>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an outcome means for the limiter.
fn verdict(answer: &Result<Answer, Failure>) -> Verdict {
    match answer {
        Ok(_) => Verdict::Answered,
        Err(Failure::Address | Failure::Forbidden) => Verdict::NotCalled,
        Err(Failure::UnknownHost | Failure::Broken(_) | Failure::Slow) => Verdict::NoAnswer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Organization;
    use spindle_store::{SilentReason, bot_calls, change_silently};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    struct World {
        organization: Organization,
        store: JobStore,
        clock: Clock,
        job: CallBots,
    }

    fn world(networks: &str) -> World {
        let (organization, clock) = (Organization::create(), Clock::new());
        let networks = networks.split_whitespace();
        let guard = AddressGuard::new(networks.map(|net| net.parse().unwrap()).collect());
        World {
            store: JobStore::file(organization.database(), clock.clone()),
            job: CallBots::new(guard, clock.clone(), "http://chat.test".to_owned()),
            organization,
            clock,
        }
    }

    /// The attempts of the calls that could be claimed.
    #[derive(Debug)]
    struct Claimed(Result<Vec<i64>, spindle_store::DbError>);

    impl From<spindle_store::DbError> for Claimed {
        fn from(error: spindle_store::DbError) -> Self {
            Self(Err(error))
        }
    }

    impl World {
        /// The number of the next attempt, of each call that can be claimed after this many seconds.
        fn attempts(&self, seconds: i64) -> Vec<i64> {
            let db = self.organization.db();
            let now = self.clock.unix_seconds() + seconds;
            // The claim is an error, so that it is undone.
            let claimed = change_silently(&db, SilentReason::Calls, |tx| {
                let all = bot_calls::Share {
                    limit: 100,
                    per_bot: 100,
                    per_owner: 100,
                };
                let rows = bot_calls::claim(tx, now, now, all)?;
                Err::<(), _>(Claimed(Ok(rows.iter().map(|row| row.attempts).collect())))
            });
            claimed.unwrap_err().0.unwrap()
        }

        async fn wait_for(&self, seconds: i64, expected: &[i64]) {
            for _ in 0..500 {
                if self.attempts(seconds) == expected {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(self.attempts(seconds), expected);
        }
    }

    #[tokio::test]
    async fn a_call_that_may_not_be_made_is_an_attempt_too() {
        let world = world("");
        let bot = world.organization.bot("unreachable", "http://127.0.0.1:9/");
        let now = world.clock.unix_seconds();
        world.organization.write_to(&[bot], now);
        assert_eq!(world.attempts(0), [1]);
        world.job.run(&world.store).await.unwrap();
        // It is made again after five seconds; nothing heard of it, it would be after sixty.
        world.wait_for(10, &[2]).await;
    }

    #[tokio::test]
    async fn no_run_waits_for_a_service_and_each_service_has_its_permits() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let good = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = |listener: &TcpListener| format!("http://{}/", listener.local_addr().unwrap());
        let world = world("127.0.0.0/8");
        let organization = &world.organization;
        let bots = [
            organization.bot("silent-1", &url(&silent)),
            organization.bot("silent-2", &url(&silent)),
            organization.bot("good", &url(&good)),
        ];
        let answering = tokio::spawn(async move {
            for _ in 0..2 {
                let (mut stream, _) = good.accept().await.unwrap();
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                stream.write_all(answer).await.unwrap();
            }
        });
        // The silent service always has one call under way; every other call is returned without an
        // attempt, and the good service has answered.
        for left in [&[1][..], &[1, 1, 1]] {
            organization.write_to(&bots, world.clock.unix_seconds());
            world.job.run(&world.store).await.unwrap();
            world.wait_for(10, left).await;
            world.clock.advance(10);
        }
        answering.await.unwrap();
        drop(silent);
    }
}
