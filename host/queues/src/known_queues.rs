//! Keeps the table of queues in step with the main database's.
//!
//! New queues are found by their numbers. Deleted ones are found when count and sum of the numbers differ;
//! then every queue is compared.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use spindle_store::DbError;
use spindle_store::event_delivery::{self, QueueHead};

use super::inner::Inner;
use super::journal::Position;
use super::queue::{Phase, Queue, QueueState};

/// Queues of one read.
const PAGE: i64 = 1000;

/// Adds a queue of the main database to the table. `position`: its stored position, if known.
pub(super) fn admit(inner: &Inner, head: &QueueHead, position: Option<Position>) -> Arc<Queue> {
    let seconds = u64::try_from(head.idle_timeout_secs).unwrap_or(0);
    let active = position.map_or_else(
        || inner.running(),
        |position| Duration::from_millis(u64::try_from(position.active_ms).unwrap_or(0)),
    );
    inner.table.insert(Queue {
        id: head.id.as_str().into(),
        number: head.number,
        user_id: head.user_id,
        base_seq: head.base_seq,
        idle_timeout: Duration::from_secs(seconds),
        state: Mutex::new(QueueState {
            phase: Phase::Cold,
            active,
            timed: false,
            waiter: None,
        }),
    })
}

/// Synchronizes the table with the main database. `first`: nothing is in the table yet, so positions and
/// ended queues are read from the journal. Blocks.
pub(super) fn search(inner: &Inner, first: bool) -> Result<(), anyhow::Error> {
    let (mut positions, ended) = if first {
        (inner.journal.positions()?, inner.journal.ended()?)
    } else {
        (HashMap::new(), Vec::new())
    };
    loop {
        let newest = inner.table.newest.load(Ordering::Acquire);
        let page = inner
            .follower
            .log
            .with_reader(|db| event_delivery::queues_after(db, newest, PAGE))?;
        for head in &page {
            admit(inner, head, positions.remove(&head.id));
            inner.table.newest.store(head.number, Ordering::Release);
        }
        if (page.len() as i64) < PAGE {
            break;
        }
    }
    for id in &ended {
        match inner.table.get(id) {
            Some(queue) => queue.lock().phase = Phase::Ended,
            None => inner.journal.forget([Arc::from(id.as_str())]),
        }
    }
    let gone = positions
        .into_keys()
        .filter(|id| inner.table.get(id).is_none());
    inner.journal.forget(gone.map(Arc::from));
    let counted = inner
        .follower
        .log
        .with_reader(|db| event_delivery::queue_fingerprint(db))?;
    if counted != inner.table.fingerprint() {
        compare(inner)?;
    }
    Ok(())
}

/// Compares every queue with the main database, since some have been deleted there.
fn compare(inner: &Inner) -> Result<(), DbError> {
    let mut existing = HashSet::new();
    let mut number = i64::MIN;
    loop {
        let page = inner
            .follower
            .log
            .with_reader(|db| event_delivery::queues_after(db, number, PAGE))?;
        for head in &page {
            number = head.number;
            admit(inner, head, None);
            existing.insert(head.id.clone());
        }
        if (page.len() as i64) < PAGE {
            break;
        }
    }
    for queue in inner.table.all() {
        if existing.contains(&*queue.id) {
            continue;
        }
        // A queue may have been created and polled since the list was read.
        let found = inner
            .follower
            .log
            .with_reader(|db| event_delivery::find_queue(db, &queue.id))?;
        if found.is_none() && inner.table.remove(&queue.id).is_some() {
            inner.remove_deleted(&queue);
        }
    }
    Ok(())
}
