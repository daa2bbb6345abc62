//! Calls to the services of outgoing bots: a component says which are due, they are made here,
//! and a component is told what came back.
//!
//! Calls are under way side by side, each on its own: no run waits for one. Which may begin is
//! decided by the places of services; those that may not are given back. A call that was made and
//! whose answer was not told, because the server ended in between, is made again: services see each
//! message at least once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::outcome::Outcome;
use super::{CallFailed, InternalCalls, Job};
use crate::clock::Clock;
use crate::services::{
    AddressGuard, Answer, CallLimiter, CallPermit, Failure, ServiceCall, Verdict, call, service_of,
};

/// So many calls of one claim say that there may be more.
const MANY: usize = 8;

/// Asks `POST /internal/bot_calls/claim` what is due, gives back to `POST
/// /internal/bot_calls/defer` what cannot be called yet, and tells `POST
/// /internal/bot_calls/finish` of each call that has ended.
pub struct CallBots {
    shared: Arc<Shared>,
    under_way: Mutex<JoinSet<()>>,
}

/// What a call needs until its end.
struct Shared {
    guard: AddressGuard,
    clock: Clock,
    calls: Arc<dyn InternalCalls>,
    limiter: CallLimiter,
    /// The last claim found so many calls that there may be more.
    is_more: AtomicBool,
    again: Notify,
    /// Why a component could not be told of a call that has ended; for the next run.
    failed: Mutex<Option<CallFailed>>,
}

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

impl CallBots {
    /// Calls what `guard` admits; components are told through `calls`.
    #[must_use]
    pub fn new(guard: AddressGuard, clock: Clock, calls: Arc<dyn InternalCalls>) -> Self {
        Self {
            shared: Arc::new(Shared {
                guard,
                clock,
                calls,
                limiter: CallLimiter::default(),
                is_more: AtomicBool::new(false),
                again: Notify::new(),
                failed: Mutex::default(),
            }),
            under_way: Mutex::default(),
        }
    }

    /// Begins a call that has a permit.
    fn begin(&self, due: Due, permit: CallPermit) {
        let shared = Arc::clone(&self.shared);
        let mut under_way = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // What has ended is let go of.
        while under_way.try_join_next().is_some() {}
        under_way.spawn(async move { shared.make(due, permit).await });
    }
}

#[async_trait::async_trait]
impl Job for CallBots {
    fn name(&self) -> &'static str {
        "call-bots"
    }

    fn routes(&self) -> &'static [&'static str] {
        &[
            "/internal/bot_calls/claim",
            "/internal/bot_calls/defer",
            "/internal/bot_calls/finish",
        ]
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    async fn sooner(&self) {
        self.shared.again.notified().await;
    }

    async fn run(&self, calls: &dyn InternalCalls) -> Result<(), CallFailed> {
        let shared = &self.shared;
        if let Some(error) = shared.failed().take() {
            return Err(error);
        }
        let room = shared.limiter.available();
        if room == 0 {
            return Ok(());
        }
        let answer = calls
            .ask("/internal/bot_calls/claim", format!("room={room}"))
            .await?;
        let claimed: Claimed = serde_json::from_slice(&answer)
            .map_err(|error| CallFailed::Unreachable(error.to_string()))?;
        let is_more = claimed.calls.len() >= MANY;
        shared.is_more.store(is_more, Ordering::Release);
        let mut deferred = Vec::new();
        // One look at each service, so that calls to one of them begin in their order.
        let mut refused: HashMap<String, u64> = HashMap::new();
        for due in claimed.calls {
            let service = service_of(&due.url);
            let seconds = match refused.get(&service) {
                Some(seconds) => *seconds,
                None => match shared
                    .limiter
                    .acquire(&service, shared.clock.running_time())
                {
                    Ok(permit) => {
                        self.begin(due, permit);
                        continue;
                    }
                    // Not before the time is over: whole seconds, rounded up.
                    Err(pause) => *refused.entry(service).or_insert(pause.as_secs() + 1),
                },
            };
            deferred.push(json!({"id": due.id, "attempt": due.attempt, "seconds": seconds}));
        }
        if deferred.is_empty() {
            return Ok(());
        }
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("calls", &json!(deferred).to_string())
            .finish();
        calls.post("/internal/bot_calls/defer", form).await
    }
}

impl Shared {
    /// Makes one call and tells what came of it.
    async fn make(&self, due: Due, permit: CallPermit) {
        let sent = ServiceCall {
            url: due.url,
            content_type: due.content_type,
            headers: Vec::new(),
            body: due.body,
        };
        let answer = call(&self.guard, &sent).await;
        permit.release(verdict(&answer), self.clock.running_time());
        let form = Outcome::of(due.id, due.attempt, answer).form();
        if let Err(error) = self.calls.post("/internal/bot_calls/finish", form).await {
            *self.failed() = Some(error);
        }
        if self.is_more.load(Ordering::Acquire) {
            self.again.notify_one();
        }
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<CallFailed>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an outcome says about the service.
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
    use bytes::Bytes;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    /// Has these calls due, and passes on what it is told.
    struct Component {
        due: Mutex<Vec<String>>,
        told: mpsc::UnboundedSender<String>,
    }

    #[async_trait::async_trait]
    impl InternalCalls for Component {
        async fn ask(&self, path: &str, form: String) -> Result<Bytes, CallFailed> {
            if !path.ends_with("/claim") {
                let name = path.rsplit('/').next().unwrap();
                self.told.send(format!("{name} {form}")).unwrap();
                return Ok(Bytes::new());
            }
            let due: Vec<String> = std::mem::take(&mut *self.due.lock().unwrap())
                .iter()
                .enumerate()
                .map(|(id, url)| {
                    format!(
                        r#"{{"id": {id}, "attempt": 2, "url": "{url}",
                            "content_type": "text/plain", "body": ""}}"#
                    )
                })
                .collect();
            Ok(format!(r#"{{"calls": [{}]}}"#, due.join(",")).into())
        }
    }

    fn bots(networks: &str) -> (CallBots, Arc<Component>, mpsc::UnboundedReceiver<String>) {
        let (told, hears) = mpsc::unbounded_channel();
        let component = Arc::new(Component {
            due: Mutex::default(),
            told,
        });
        let networks = networks.split_whitespace();
        let guard = AddressGuard::new(networks.map(|net| net.parse().unwrap()).collect());
        let calls: Arc<dyn InternalCalls> = component.clone();
        (CallBots::new(guard, Clock::new(), calls), component, hears)
    }

    #[tokio::test]
    async fn a_call_that_may_not_be_made_is_told_too() {
        let (job, component, mut hears) = bots("");
        *component.due.lock().unwrap() = vec!["http://127.0.0.1:9/".to_owned()];
        job.run(component.as_ref()).await.unwrap();
        let told = hears.recv().await.unwrap();
        assert!(
            told.starts_with("finish id=0&attempt=2&status=0&body="),
            "{told}"
        );
    }

    #[tokio::test]
    async fn no_run_waits_for_a_service_and_each_has_its_places() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let good = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = |listener: &TcpListener| format!("http://{}/", listener.local_addr().unwrap());
        let (job, component, mut hears) = bots("127.0.0.0/8");
        let urls = vec![url(&silent), url(&silent), url(&good)];
        let answering = tokio::spawn(async move {
            for _ in 0..2 {
                let (mut stream, _) = good.accept().await.unwrap();
                let _ = stream.read(&mut [0; 4096]).await.unwrap();
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
                stream.write_all(answer).await.unwrap();
            }
        });
        for run in 0..2 {
            *component.due.lock().unwrap() = urls.clone();
            job.run(component.as_ref()).await.unwrap();
            let mut told = vec![hears.recv().await.unwrap(), hears.recv().await.unwrap()];
            told.sort();
            assert!(told[0].starts_with("defer calls=%5B"), "{told:?}");
            // In the second run the first call is still under way, so neither has a place.
            let deferred = told[0].matches("attempt").count();
            assert_eq!(deferred, 1 + run, "{told:?}");
            assert_eq!(told[1], "finish id=2&attempt=2&status=200&body=ok");
        }
        answering.await.unwrap();
        drop(silent);
    }
}
