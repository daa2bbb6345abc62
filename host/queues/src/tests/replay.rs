//! The guarantee of the service: each queue's ids are contiguous from 0, and no event is lost,
//! duplicated or changed, whatever the order of commits, polls, heartbeats, stops and kills.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;
use spindle_domain::UserId;
use spindle_events::{Event, Registration, resolve_event_types};

use super::fixture::*;
use crate::{EventService, PollOutcome};

/// One step of a random history.
#[derive(Debug, Clone)]
enum Step {
    /// Events in one transaction, each for all users or for one user, or a row that becomes several
    /// events for some queues.
    Commit(Vec<ChangeKind>),
    /// A poll of a queue that acknowledges all received events, or fewer if the flag is set.
    Poll(usize, bool),
    /// A poll that waits until time has passed.
    Heartbeat(usize),
    /// A poll that waits until something is committed.
    Awake(usize, Vec<ChangeKind>),
    /// A poll whose client disconnects while its heartbeat is being made durable.
    Abandoned(usize),
    /// Time for the journal to write.
    Pause,
    Stop,
    Kill,
}

#[derive(Debug, Clone, Copy)]
enum ChangeKind {
    Realm,
    User(i64),
    Deletion(i64),
}

const QUEUES: usize = 3;

fn kinds() -> impl Strategy<Value = Vec<ChangeKind>> {
    let kind = prop_oneof![
        2 => Just(ChangeKind::Realm),
        2 => (1..4_i64).prop_map(ChangeKind::User),
        1 => (0..4_i64).prop_map(ChangeKind::Deletion),
    ];
    prop::collection::vec(kind, 1..4)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => kinds().prop_map(Step::Commit),
        6 => (0..QUEUES, any::<bool>()).prop_map(|(queue, less)| Step::Poll(queue, less)),
        3 => (0..QUEUES).prop_map(Step::Heartbeat),
        2 => (0..QUEUES, kinds()).prop_map(|(queue, kinds)| Step::Awake(queue, kinds)),
        1 => (0..QUEUES).prop_map(Step::Abandoned),
        1 => Just(Step::Pause),
        1 => Just(Step::Stop),
        2 => Just(Step::Kill),
    ]
}

/// A client and the events that it must have received in the end.
struct Client {
    registration: Registration,
    received: BTreeMap<i64, Value>,
    expected: Vec<Value>,
    acked: i64,
}

struct World {
    fixture: Fixture,
    service: EventService,
    clients: Vec<Client>,
    value: i64,
}

impl World {
    fn new() -> Self {
        let mut fixture = Fixture::new();
        // Small, so that both memory and the database are read.
        fixture.options.ring_bytes = 20_000;
        let clients = (0..QUEUES)
            .map(|number| {
                let mut registration = Registration {
                    queue_id: format!("q{number}"),
                    user_id: UserId(number as i64 + 1),
                    ..Registration::default()
                };
                registration.capabilities.bulk_message_deletion = number == 1;
                if number == 2 {
                    registration.event_types = Some(resolve_event_types(["delete_message"]));
                }
                fixture.register_as(&registration, 604_800);
                Client {
                    registration,
                    received: BTreeMap::new(),
                    expected: Vec::new(),
                    acked: -1,
                }
            })
            .collect();
        let service = fixture.start();
        Self {
            fixture,
            service,
            clients,
            value: 0,
        }
    }

    fn commit(&mut self, kinds: &[ChangeKind]) {
        let mut events: Vec<Event> = Vec::new();
        for kind in kinds {
            self.value += 10;
            events.push(match kind {
                ChangeKind::Realm => note(self.value),
                ChangeKind::User(user_id) => note_to(*user_id, self.value),
                ChangeKind::Deletion(count) => deletion(self.value, *count),
            });
        }
        for client in &mut self.clients {
            for event in &events {
                client
                    .expected
                    .extend(texts(&client.registration, event.clone()));
            }
        }
        self.fixture.commit(events);
    }

    /// Checks an answer and records its events.
    async fn receive(&mut self, queue: usize, last: i64, outcome: PollOutcome) {
        let events = json_events(events(outcome)).await;
        let client = &mut self.clients[queue];
        for (event, id) in events.into_iter().zip(last + 1..) {
            assert_eq!(event["id"], id, "ids have no gap");
            let known = client.received.entry(id).or_insert_with(|| event.clone());
            assert_eq!(*known, event, "an id keeps its event");
        }
    }

    /// The id that the client acknowledges next.
    fn next_ack(&mut self, queue: usize, less: bool) -> i64 {
        let client = &mut self.clients[queue];
        let newest = client.received.keys().next_back().copied().unwrap_or(-1);
        client.acked = if less {
            (client.acked + newest) / 2
        } else {
            newest
        }
        .max(client.acked);
        client.acked
    }

    async fn poll(&mut self, queue: usize, less: bool) {
        self.fixture.caught_up(&self.service).await;
        let last = self.next_ack(queue, less);
        let id = format!("q{queue}");
        let outcome = self
            .service
            .poll(&id, (queue as i64 + 1).into(), last, true)
            .await;
        self.receive(queue, last, outcome).await;
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Commit(kinds) => self.commit(&kinds),
            Step::Poll(queue, less) => self.poll(queue, less).await,
            Step::Heartbeat(queue) => {
                let last = self.next_ack(queue, false);
                let poll = held(&self.service, &format!("q{queue}"), queue as i64 + 1, last).await;
                self.fixture.clock.advance(56);
                self.receive(queue, last, poll.await.unwrap()).await;
            }
            Step::Awake(queue, kinds) => {
                let last = self.next_ack(queue, false);
                let poll = held(&self.service, &format!("q{queue}"), queue as i64 + 1, last).await;
                self.commit(&kinds);
                self.fixture.caught_up(&self.service).await;
                self.fixture.clock.advance(56);
                self.receive(queue, last, poll.await.unwrap()).await;
            }
            Step::Abandoned(queue) => {
                let last = self.next_ack(queue, false);
                let poll = held(&self.service, &format!("q{queue}"), queue as i64 + 1, last).await;
                self.fixture.clock.advance(56);
                tokio::task::yield_now().await;
                poll.abort();
            }
            Step::Pause => tokio::time::sleep(Duration::from_millis(120)).await,
            Step::Stop => {
                self.service.stop().await;
                self.service = self.fixture.start();
            }
            Step::Kill => {
                self.service.kill();
                self.service = self.fixture.start();
            }
        }
    }

    /// Receives the rest and compares everything.
    async fn finish(mut self) {
        for queue in 0..QUEUES {
            self.poll(queue, false).await;
            let client = &self.clients[queue];
            let ids: Vec<i64> = client.received.keys().copied().collect();
            let count = ids.len() as i64;
            assert_eq!(ids, (0..count).collect::<Vec<_>>(), "contiguous from 0");
            let reply: Vec<Value> = client
                .received
                .values()
                .filter(|event| event["type"] != "heartbeat")
                .map(|event| {
                    let mut event = event.clone();
                    event.as_object_mut().unwrap().remove("id");
                    event
                })
                .collect();
            assert_eq!(
                reply, client.expected,
                "exactly what was committed, in order"
            );
        }
        self.service.stop().await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn ids_and_events_survive_everything(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            for step in steps {
                world.step(step).await;
            }
            world.finish().await;
        });
    }
}
