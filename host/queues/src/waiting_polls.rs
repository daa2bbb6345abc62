//! The queues with a waiting poll, by user.
//!
//! Delivery looks up this index instead of visiting every queue. A poll enters it before it reads the
//! log for the last time, and new rows enter the log before the index is looked up: whichever comes
//! second sees the other, so no wake-up is lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use metrics::Gauge;
use spindle_domain::UserId;

use super::cached_row::CachedRow;
use super::queue::Queue;

/// Queues with a waiting poll.
#[derive(Debug)]
pub(super) struct WaitingPolls {
    lists: Mutex<Lists>,
    pub(super) tickets: AtomicU64,
    gauge: Gauge,
}

#[derive(Debug, Default)]
struct Lists {
    by_user: HashMap<UserId, Vec<Arc<Queue>>>,
    /// Queues that receive events of all public channels; they are in `by_user` too.
    outsiders: Vec<Arc<Queue>>,
    count: usize,
}

impl WaitingPolls {
    pub(super) fn new() -> Self {
        Self {
            lists: Mutex::default(),
            tickets: AtomicU64::new(0),
            gauge: metrics::gauge!("spindle_event_polls_waiting"),
        }
    }

    /// A number for a new poll.
    pub(super) fn ticket(&self) -> u64 {
        self.tickets.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a queue; `outsider`: it receives events of public channels that its owner is not
    /// subscribed to.
    pub(super) fn enter(&self, queue: &Arc<Queue>, outsider: bool) {
        let mut lists = self.lock();
        let of_user = lists.by_user.entry(queue.user_id).or_default();
        if of_user.iter().any(|other| Arc::ptr_eq(other, queue)) {
            return;
        }
        of_user.push(Arc::clone(queue));
        if outsider {
            lists.outsiders.push(Arc::clone(queue));
        }
        lists.count += 1;
        self.gauge.set(lists.count as f64);
    }

    /// Removes a queue, if it is there.
    pub(super) fn leave(&self, queue: &Arc<Queue>, outsider: bool) {
        let mut lists = self.lock();
        let Some(of_user) = lists.by_user.get_mut(&queue.user_id) else {
            return;
        };
        let Some(index) = of_user.iter().position(|other| Arc::ptr_eq(other, queue)) else {
            return;
        };
        of_user.swap_remove(index);
        if of_user.is_empty() {
            lists.by_user.remove(&queue.user_id);
        }
        if outsider {
            lists.outsiders.retain(|other| !Arc::ptr_eq(other, queue));
        }
        lists.count -= 1;
        self.gauge.set(lists.count as f64);
    }

    /// Number of waiting polls.
    pub(super) fn count(&self) -> usize {
        self.lock().count
    }

    /// The waiting queues of one user.
    pub(super) fn of_user(&self, user_id: UserId) -> Vec<Arc<Queue>> {
        let lists = self.lock();
        lists.by_user.get(&user_id).cloned().unwrap_or_default()
    }

    /// Every waiting queue.
    pub(super) fn all(&self) -> Vec<Arc<Queue>> {
        self.lock().by_user.values().flatten().cloned().collect()
    }

    /// Each waiting queue that one of the rows may concern, once.
    pub(super) fn concerned(&self, rows: &[Arc<CachedRow>]) -> Vec<Arc<Queue>> {
        let lists = self.lock();
        let mut found = HashMap::new();
        let mut add = |queues: &[Arc<Queue>]| {
            for queue in queues {
                found
                    .entry(Arc::as_ptr(queue))
                    .or_insert_with(|| Arc::clone(queue));
            }
        };
        for row in rows {
            let audience = row.row().audience();
            match audience.listed() {
                Some(users) if users.len() <= lists.by_user.len() as u64 => {
                    for user_id in users.iter() {
                        add(lists.by_user.get(&user_id).map_or(&[], Vec::as_slice));
                    }
                }
                _ => {
                    for (user_id, queues) in &lists.by_user {
                        if audience.includes(*user_id) {
                            add(queues);
                        }
                    }
                }
            }
            if audience.is_public_channel() {
                add(&lists.outsiders);
            }
        }
        found.into_values().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Longest time between authenticating a poll and its registration here.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Accounts whose credentials have ended a moment ago.
#[derive(Debug, Default)]
pub(super) struct EndedCredentials(Mutex<HashMap<UserId, Instant>>);

impl EndedCredentials {
    pub(super) fn note(&self, user_id: UserId) {
        let mut noted = self.lock();
        noted.retain(|_, at| at.elapsed() < REMEMBERED);
        noted.insert(user_id, Instant::now());
    }

    pub(super) fn concern(&self, user_id: UserId) -> bool {
        self.lock().contains_key(&user_id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
