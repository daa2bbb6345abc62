//! A migrated database with users, queues registered as the component does it, and commits of
//! events as actions do them.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use spindle_domain::{MessageId, UserId};
use spindle_events::kinds::{DeletedFrom, delete_message, realm_update};
use spindle_events::{Audience, Event, Registration, accept};
use tempfile::TempDir;

use crate::journal::Journal;
use crate::{Answer, EventOptions, EventService, PollOutcome};
use spindle_system::clock::Clock;

/// The database of one test.
pub(super) struct Fixture {
    pub(super) clock: Clock,
    pub(super) options: EventOptions,
    writer: Connection,
    _folder: TempDir,
}

impl Fixture {
    /// With users 1 to 20.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = EventOptions::in_directory(folder.path());
        let mut writer = spindle_store::open(options.database.file().unwrap()).unwrap();
        spindle_store::migrate(&mut writer).unwrap();
        writer.pragma_update(None, "synchronous", "off").unwrap();
        let realm = "INSERT INTO realms (id, string_id, uuid, name, date_created) \
                     VALUES (1, '', 'u', 'Realm', 0)";
        writer.execute(realm, []).unwrap();
        for id in 1..=20 {
            let user = "INSERT INTO users (id, realm_id, email, email_folded, delivery_email, \
                        delivery_email_folded, full_name, full_name_folded, role, date_joined) \
                        VALUES (?1, 1, ?2, ?2, ?2, ?2, ?2, ?2, 400, 0)";
            writer.execute(user, params![id, format!("u{id}")]).unwrap();
        }
        let fixture = Self {
            clock: Clock::new(),
            options,
            writer,
            _folder: folder,
        };
        // As the first start of a server does; queues older than the file would have ended.
        Journal::open(&fixture.options.journal, 0)
            .unwrap()
            .journal
            .close();
        fixture
    }

    pub(super) fn start(&self) -> EventService {
        EventService::start(self.options.clone(), self.clock.clone()).unwrap()
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.options.journal.clone()
    }

    pub(super) fn last_seq(&self) -> i64 {
        let sql = "SELECT coalesce(max(seq), 0) FROM event_log";
        self.writer.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Registers a queue of the user at the current end of the log.
    pub(super) fn register(&self, queue_id: &str, user_id: i64) -> Registration {
        let registration = Registration {
            queue_id: queue_id.to_owned(),
            user_id: UserId(user_id),
            ..Registration::default()
        };
        self.register_as(&registration, 600);
        registration
    }

    pub(super) fn register_as(&self, registration: &Registration, idle_timeout_secs: i64) {
        let queue = "INSERT INTO event_queues (id, realm_id, user_id, base_seq, created, \
                     idle_timeout_secs, registration) VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6)";
        let json = serde_json::to_string(registration).unwrap();
        let row = params![
            registration.queue_id,
            registration.user_id.get(),
            self.last_seq(),
            self.clock.unix_seconds(),
            idle_timeout_secs,
            json
        ];
        self.writer.execute(queue, row).unwrap();
    }

    pub(super) fn delete_row(&self, queue_id: &str) {
        let delete = "DELETE FROM event_queues WHERE id = ?1";
        self.writer.execute(delete, [queue_id]).unwrap();
    }

    /// Commits events in one transaction.
    pub(super) fn commit(&mut self, events: impl IntoIterator<Item = Event>) {
        let transaction = self.writer.transaction().unwrap();
        for event in events {
            let row = event.into_row();
            let insert = "INSERT INTO event_log (realm_id, time, type, body, audience) \
                          VALUES (1, 0, ?1, ?2, ?3)";
            let values = params![row.event_type, row.body, row.audience];
            transaction
                .prepare_cached(insert)
                .unwrap()
                .execute(values)
                .unwrap();
        }
        transaction.commit().unwrap();
    }

    /// Waits until the service has read everything committed so far.
    pub(super) async fn caught_up(&self, service: &EventService) {
        service.on_commit();
        let last = self.last_seq();
        while service.inner.follower.log.end() <= last {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// An event for all users, identified by its value.
pub(super) fn note(value: i64) -> Event {
    realm_update("name", json!(value), Audience::realm())
}

/// An event for one user.
pub(super) fn note_to(user_id: i64, value: i64) -> Event {
    realm_update("name", json!(value), Audience::user(user_id.into()))
}

/// One row that becomes several events for old clients.
pub(super) fn deletion(first: i64, count: i64) -> Event {
    let ids: Vec<MessageId> = (first..first + count).map(MessageId).collect();
    delete_message(&ids, DeletedFrom::Direct, Audience::realm())
}

/// The texts that a queue receives for an event, without ids.
pub(super) fn texts(registration: &Registration, event: Event) -> Vec<Value> {
    let row = event.into_row();
    let row = spindle_events::LogRow::parse(1, row.event_type, &row.body, &row.audience).unwrap();
    accept(registration, &row)
        .iter()
        .map(|payload| {
            let mut event: Value = serde_json::from_str(&payload.with_id(0)).unwrap();
            event.as_object_mut().unwrap().remove("id");
            event
        })
        .collect()
}

/// The events of a successful poll.
pub(super) fn events(outcome: PollOutcome) -> Answer {
    match outcome {
        PollOutcome::Events(answer) => answer,
        other => panic!("no events: {other:?}"),
    }
}

/// Ids of the events of a successful poll.
pub(super) fn ids(outcome: PollOutcome) -> Vec<i64> {
    events(outcome).ids().collect()
}

/// Events of an answer as JSON, in order.
pub(super) async fn json_events(answer: Answer) -> Vec<Value> {
    use http_body_util::BodyExt;
    let bytes = answer.into_body("").collect().await.unwrap().to_bytes();
    let mut body: Value = serde_json::from_slice(&bytes).unwrap();
    match body["events"].take() {
        Value::Array(events) => events,
        other => panic!("not events: {other}"),
    }
}

/// Starts a poll that waits, and returns once it is held.
pub(super) async fn held(
    service: &EventService,
    queue_id: &str,
    user_id: i64,
    last_event_id: i64,
) -> tokio::task::JoinHandle<PollOutcome> {
    let before = service
        .inner
        .waiting
        .tickets
        .load(std::sync::atomic::Ordering::SeqCst);
    let poll = tokio::spawn({
        let (service, queue_id) = (service.clone(), queue_id.to_owned());
        async move {
            service
                .poll(&queue_id, UserId(user_id), last_event_id, false)
                .await
        }
    });
    while service
        .inner
        .waiting
        .tickets
        .load(std::sync::atomic::Ordering::SeqCst)
        == before
        && !poll.is_finished()
    {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    poll
}

/// No events.
pub(super) const NONE: [i64; 0] = [];
