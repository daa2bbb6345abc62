//! A client's view of one event queue: register, poll, acknowledge.
//!
//! Checks on every poll what holds for all queues: ids rise without gaps from the last one, and
//! every event has a type. Must not interpret events; that is for the tests.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Call, Client, Reply};
use crate::until_within;

/// Longest wait for an event: far more than any takes, and short enough to show that the server is stuck.
const SOON: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// A registered queue and its acknowledged position.
pub struct Queue {
    client: Client,
    pub queue_id: String,
    pub last_event_id: i64,
    /// The answer of POST /register.
    pub state: Value,
}

impl Queue {
    /// Registers with these parameters.
    #[track_caller]
    pub fn open(client: &Client, parameters: &[(&str, &str)]) -> Queue {
        let state = client.post("/register", parameters).ok();
        Queue {
            client: client.clone(),
            queue_id: state["queue_id"].as_str().expect("queue_id").to_owned(),
            last_event_id: state["last_event_id"].as_i64().expect("last_event_id"),
            state,
        }
    }

    /// Registers for these event types and fetches no state.
    #[track_caller]
    pub fn of(client: &Client, event_types: &[&str]) -> Queue {
        let types = serde_json::to_string(event_types).expect("JSON");
        Queue::open(
            client,
            &[("event_types", &types), ("fetch_event_types", "[]")],
        )
    }

    /// One GET /events from a given position; returns the unchecked answer.
    #[track_caller]
    pub fn fetch(&self, last_event_id: i64, dont_block: bool) -> Reply {
        self.client.send(self.call(last_event_id, dont_block))
    }

    fn call(&self, last_event_id: i64, dont_block: bool) -> Call {
        let last = last_event_id.to_string();
        let mut parameters = vec![
            ("queue_id", self.queue_id.as_str()),
            ("last_event_id", &last),
        ];
        if dont_block {
            parameters.push(("dont_block", "true"));
        }
        Call::new("GET", "/events").query(&parameters)
    }

    /// Waits until the queue has ended. A change that ends the queues of other users, such as a new
    /// role, reaches the event-queue service a moment later.
    #[track_caller]
    pub fn ends(&self) {
        let reply = until_within(SOON, PAUSE, "the queue ends", || {
            let reply = self.fetch(-1, true);
            (reply.status != 200).then_some(reply)
        });
        reply.error(400, "BAD_EVENT_QUEUE_ID");
    }

    /// The events that are queued now; acknowledged by the next poll.
    #[track_caller]
    pub fn poll(&mut self) -> Vec<Value> {
        let reply = self.fetch(self.last_event_id, true);
        self.take(reply.ok())
    }

    /// Waits for at least one event.
    #[track_caller]
    pub fn wait(&mut self) -> Vec<Value> {
        let reply = self.fetch(self.last_event_id, false);
        self.take(reply.ok())
    }

    /// As [`Queue::wait`]; `None` where the server is not reached, or answers that it cannot serve now (503).
    #[track_caller]
    pub fn try_wait(&mut self) -> Option<Vec<Value>> {
        let reply = self.client.try_send(&self.call(self.last_event_id, false));
        let reply = reply.ok().filter(|reply| reply.status != 503)?;
        Some(self.take(reply.ok()))
    }

    /// Polls until an event fits and returns all events up to it. Later events of the same poll are
    /// returned too, behind it.
    #[track_caller]
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let deadline = Instant::now() + SOON;
        let mut seen = Vec::new();
        loop {
            let events = self.poll();
            let done = events.iter().any(&fits);
            seen.extend(events);
            if done {
                return seen;
            }
            assert!(
                Instant::now() < deadline,
                "the event did not come; seen: {seen:?}"
            );
            std::thread::sleep(PAUSE);
        }
    }

    /// The first event that fits, waiting for it.
    #[track_caller]
    pub fn expect(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        self.until(&fits)
            .into_iter()
            .find(|event| fits(event))
            .expect("until returns it")
    }

    #[track_caller]
    fn take(&mut self, body: Value) -> Vec<Value> {
        let events = body["events"].as_array().expect("events").clone();
        for event in &events {
            let id = event["id"].as_i64().expect("an event id is an integer");
            assert!(
                id == self.last_event_id + 1,
                "id {id} after {} in {events:?}",
                self.last_event_id
            );
            assert!(event["type"].is_string(), "an event without type: {event}");
            self.last_event_id = id;
        }
        events
    }
}
