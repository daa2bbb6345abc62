//! Several services on one database of PostgreSQL: each serves every queue.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use spindle_domain::UserId;
use spindle_events::{ACCEPT_VERSION, Event, Registration};
use spindle_test_postgres::Database;

use super::fixture::{deletion, events, held, ids, json_events, note, note_to};
use crate::{EventOptions, EventService, PollOutcome};
use spindle_database::Location;
use spindle_system::clock::Clock;

/// A database with users 1 to 3, and nodes on it, each with a clock of its own.
struct Cluster {
    database: Database<'static>,
    folder: tempfile::TempDir,
}

struct Node {
    service: EventService,
    clock: Clock,
}

impl Cluster {
    /// None on a machine without PostgreSQL.
    fn create() -> Option<Self> {
        let cluster = Self {
            database: spindle_test_postgres::shared()?.database(),
            folder: tempfile::tempdir().unwrap(),
        };
        cluster.location().migrate().unwrap();
        cluster.database.psql(
            "INSERT INTO realms (id, string_id, uuid, name, date_created) VALUES (1, '', 'u', 'R', 0); \
             INSERT INTO users (id, realm_id, email, email_folded, delivery_email, \
             delivery_email_folded, full_name, full_name_folded, role, date_joined) \
             SELECT n, 1, 'u' || n, 'u' || n, 'u' || n, 'u' || n, 'u' || n, 'u' || n, 400, 0 \
             FROM generate_series(1, 3) AS n",
        );
        Some(cluster)
    }

    fn location(&self) -> Location {
        Location::Server(self.database.url().parse().unwrap())
    }

    fn options(&self) -> EventOptions {
        let mut options = EventOptions::in_directory(self.folder.path());
        options.database = self.location();
        options
    }

    fn node(&self) -> Node {
        self.node_with(self.options())
    }

    fn node_with(&self, options: EventOptions) -> Node {
        let clock = Clock::new();
        let service = EventService::start(options, clock.clone()).unwrap();
        Node { service, clock }
    }

    fn register(&self, queue_id: &str, user_id: i64, idle_timeout_secs: i64) {
        let registration = Registration {
            queue_id: queue_id.to_owned(),
            user_id: UserId(user_id),
            ..Registration::default()
        };
        let registration = serde_json::to_string(&registration).unwrap();
        self.database.psql(&format!(
            "INSERT INTO event_queues (id, realm_id, user_id, base_seq, created, idle_timeout_secs, registration, \
             base_unordered) SELECT '{queue_id}', 1, {user_id}, coalesce(max(seq), 0), 0, {idle_timeout_secs}, \
             '{registration}', (SELECT coalesce(CAST(json_agg(id) AS TEXT), '[]') FROM event_outbox) FROM event_log",
        ));
    }

    fn commit(&self, events: impl IntoIterator<Item = Event>) {
        let rows = events.into_iter().map(|event| {
            let row = event.into_row();
            let (kind, body, audience) = (row.event_type, row.body, row.audience);
            format!("(1, 0, '{kind}', '{body}', '{audience}')")
        });
        let rows: Vec<String> = rows.collect();
        self.database.psql(&format!(
            "INSERT INTO event_outbox (realm_id, time, type, body, audience) VALUES {}",
            rows.join(", ")
        ));
    }

    fn count(&self, sql: &str) -> i64 {
        self.database.psql(sql).trim().parse().unwrap_or(-1)
    }

    /// Waits until `sql` returns `expected`.
    async fn until(&self, sql: &str, expected: i64) {
        for _ in 0..1000 {
            if self.count(sql) == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{sql} is still {}", self.count(sql));
    }
}

impl Node {
    async fn poll(&self, queue_id: &str, last_event_id: i64) -> PollOutcome {
        let user_id = UserId(1);
        self.service
            .poll(queue_id, user_id, last_event_id, true)
            .await
    }

    async fn held(
        &self,
        queue_id: &str,
        last_event_id: i64,
    ) -> tokio::task::JoinHandle<PollOutcome> {
        held(&self.service, queue_id, 1, last_event_id).await
    }
}

fn values(events: &[Value]) -> Vec<(i64, Value)> {
    let value = |event: &Value| match event["type"].as_str() {
        Some("heartbeat") => "heartbeat".into(),
        _ => event["value"].clone(),
    };
    events
        .iter()
        .map(|event| (event["id"].as_i64().unwrap(), value(event)))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_changes_nodes_gets_every_event_once() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let nodes = [cluster.node(), cluster.node(), cluster.node()];
    cluster.register("q", 1, 600);
    let mut last = -1;
    let mut received = Vec::new();
    for round in 0..40 {
        cluster.commit([note(round), note_to(2, round)]);
        let node = &nodes[round as usize % 3];
        // A client acknowledges events at another node, and sometimes requests them again.
        let answer = json_events(events(node.poll("q", last).await)).await;
        assert!(!answer.is_empty(), "round {round}");
        if round % 5 != 4 {
            last = answer.last().unwrap()["id"].as_i64().unwrap();
            received.extend(values(&answer));
        }
    }
    received.extend(values(
        &json_events(events(nodes[0].poll("q", last).await)).await,
    ));
    let expected: Vec<(i64, Value)> = (0..40).map(|n| (n, Value::from(n))).collect();
    assert_eq!(received, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heartbeat_has_one_id_on_all_nodes() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let [one, two] = [cluster.node(), cluster.node()];
    cluster.register("q", 1, 600);
    cluster.register("other", 1, 600);
    let waits = one.held("q", -1).await;
    one.clock.advance(60);
    let answer = json_events(events(waits.await.unwrap())).await;
    assert_eq!(values(&answer), [(0, "heartbeat".into())]);
    cluster.commit([note(7)]);
    let answer = json_events(events(two.poll("q", -1).await)).await;
    assert_eq!(values(&answer), [(0, "heartbeat".into()), (1, 7.into())]);
    assert_eq!(ids(two.poll("q", 0).await), [1]);
    assert_eq!(ids(one.poll("q", 0).await), [1]);
    // The other queue of the account has no part in it.
    assert_eq!(ids(two.poll("other", -1).await), [0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_polls_are_answered_by_commits_of_others_and_when_the_node_stops() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let [one, two] = [cluster.node(), cluster.node()];
    cluster.register("q", 1, 600);
    let waits = one.held("q", -1).await;
    cluster.commit([note(1)]);
    two.service.on_commit();
    assert_eq!(ids(waits.await.unwrap()), [0]);
    let waits = one.held("q", 0).await;
    one.service.stop().await;
    let answer = json_events(events(waits.await.unwrap())).await;
    assert_eq!(values(&answer), [(1, "heartbeat".into())]);
    cluster.commit([note(2)]);
    assert_eq!(ids(two.poll("q", 1).await), [2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_nodes_learn_that_a_queue_was_deleted() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let [one, two] = [cluster.node(), cluster.node()];
    cluster.register("q", 1, 600);
    cluster.commit([note(1)]);
    assert_eq!(ids(two.poll("q", -1).await), [0]);
    let waits = one.held("q", 0).await;
    // A poll that has just begun might have come after the deletion.
    one.clock.advance(2);
    cluster
        .database
        .psql("DELETE FROM event_queues WHERE id = 'q'");
    assert!(events(waits.await.unwrap()).ids().next().is_none());
    for node in [&one, &two] {
        assert!(matches!(node.poll("q", 0).await, PollOutcome::BadQueue));
    }
    assert_eq!(cluster.count("SELECT count(*) FROM queue_positions"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stood_aside_continues_where_another_one_stopped() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let mut small = cluster.options();
    // Next to nothing stays in memory.
    small.ring_bytes = 1;
    let [behind, ahead] = [cluster.node_with(small), cluster.node()];
    cluster.register("q", 1, 600);
    cluster.commit([note(0)]);
    assert_eq!(ids(behind.poll("q", -1).await), [0]);
    for first in 0..40 {
        cluster.commit([deletion(first * 10, 3), note(first)]);
        let last = first * 4;
        assert_eq!(ids(ahead.poll("q", last).await).len(), 4, "{first}");
    }
    assert!(ids(ahead.poll("q", 160).await).is_empty());
    cluster
        .until("SELECT acked_id FROM queue_positions", 160)
        .await;
    // What every client has acknowledged is deleted.
    let collection = ahead.service.collection().unwrap().unwrap();
    assert!(collection.prune_below > 0, "{collection:?}");
    cluster.database.psql(&format!(
        "DELETE FROM event_log WHERE seq <= {} AND seq < (SELECT max(seq) FROM event_log)",
        collection.prune_below
    ));
    cluster.commit([note(99)]);
    assert_eq!(ids(behind.poll("q", 160).await), [161]);
    assert_eq!(ids(ahead.poll("q", 160).await), [161]);
    // A third one begins there.
    assert_eq!(ids(cluster.node().poll("q", 160).await), [161]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_not_asked_ends_no_queue_of_others() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let mut strict = cluster.options();
    strict.max_events = 5;
    let [idle, busy] = [cluster.node_with(strict.clone()), cluster.node_with(strict)];
    cluster.register("q", 1, 600);
    cluster.commit([note(0)]);
    assert_eq!(ids(idle.poll("q", -1).await), [0]);
    // Each node is asked for a queue that is no longer read. When these have ended, events were counted.
    for (node, queue_id) in [(&idle, "of idle"), (&busy, "of busy")] {
        cluster.register(queue_id, 1, 600);
        node.poll(queue_id, -1).await;
    }
    for round in 0..20 {
        cluster.commit([note(round)]);
        assert_eq!(ids(busy.poll("q", round).await), [round + 1]);
    }
    let ended = "SELECT count(*) FROM queue_positions WHERE ended = 1";
    cluster.until(ended, 2).await;
    let is_ended = "SELECT ended FROM queue_positions WHERE queue_id = 'q'";
    assert_eq!(cluster.count(is_ended), 0);
    // Without anyone who reads them, they are too many.
    cluster.commit((0..6).map(note));
    cluster.until(is_ended, 1).await;
    for node in [&idle, &busy] {
        assert!(matches!(node.poll("q", 20).await, PollOutcome::BadQueue));
    }
    let collection = idle.service.collection().unwrap().unwrap();
    assert!(collection.ended.contains(&"q".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_is_idle_when_no_node_was_asked_for_it() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    let mut often = cluster.options();
    often.collect_every = Duration::from_secs(5);
    let [one, two] = [cluster.node_with(often.clone()), cluster.node_with(often)];
    cluster.register("held", 1, 30);
    cluster.register("left", 1, 30);
    assert!(ids(two.poll("left", -1).await).is_empty());
    let waits = two.held("held", -1).await;
    let sql = "SELECT CAST(active_ms > value - 9000 AS INT) FROM queue_positions, queue_service \
               WHERE queue_id = 'held' AND value >= ";
    for step in 1..=8 {
        // The time of all nodes is the time of the node that is ahead.
        one.clock.advance(6);
        two.clock.advance(6);
        cluster.until(&format!("{sql} {}", step * 6000), 1).await;
    }
    cluster
        .until("SELECT count(*) FROM queue_positions WHERE ended = 1", 1)
        .await;
    let ended = one.service.collection().unwrap().unwrap().ended;
    assert_eq!(ended, ["left"]);
    assert!(matches!(one.poll("left", -1).await, PollOutcome::BadQueue));
    cluster.commit([note(1)]);
    assert!(events(waits.await.unwrap()).ids().next().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_with_other_rules_is_not_served_and_not_ended() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    cluster.register("q", 1, 600);
    let version = ACCEPT_VERSION + 1;
    let other = format!("UPDATE event_queues SET accept_version = {version}");
    cluster.database.psql(&other);
    // A node that runs already may know the queue by its former version.
    let node = cluster.node();
    assert!(matches!(node.poll("q", -1).await, PollOutcome::BadQueue));
    assert_eq!(cluster.count("SELECT ended FROM queue_positions"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_queues_with_polls_at_changing_nodes_agree() {
    let Some(cluster) = Cluster::create() else {
        return;
    };
    const QUEUES: i64 = 12;
    let nodes: Arc<[Node]> = (0..3).map(|_| cluster.node()).collect();
    for queue in 0..QUEUES {
        cluster.register(&format!("q{queue}"), 1, 600);
    }
    let clients = (0..QUEUES).map(|queue| {
        let nodes = Arc::clone(&nodes);
        tokio::spawn(async move {
            let mut last = -1;
            let mut received = Vec::new();
            let mut at = queue as usize;
            while received
                .iter()
                .filter(|(_, value)| *value != "heartbeat")
                .count()
                < 60
            {
                at += 1;
                let id = format!("q{queue}");
                let node = &nodes[at % 3];
                let outcome = node
                    .service
                    .poll(&id, UserId(1), last, at.is_multiple_of(4))
                    .await;
                let answer = json_events(events(outcome)).await;
                if let Some(event) = answer.last() {
                    last = event["id"].as_i64().unwrap();
                }
                received.extend(values(&answer));
            }
            received
        })
    });
    let clients: Vec<_> = clients.collect();
    for round in 0..60 {
        cluster.commit([note(round)]);
        if round % 10 == 5 {
            // Polls that wait get heartbeats.
            nodes[round as usize % 3].clock.advance(60);
        }
    }
    for client in clients {
        let received = client.await.unwrap();
        let ids: Vec<i64> = received.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, (0..ids.len() as i64).collect::<Vec<_>>());
        let events = received.into_iter().filter_map(|(_, value)| value.as_i64());
        assert_eq!(events.collect::<Vec<_>>(), (0..60).collect::<Vec<_>>());
    }
}
