//! The newest part of the log in memory, with an index by user.
//!
//! Holds every row between its first and last position, at most so many bytes. The index
//! makes a scan for one queue look only at rows that may concern it: after a restart every
//! client comes back at once, and each must not walk through everybody's events.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use spindle_events::{LogRow, Registration};

use super::cached_row::CachedRow;

/// Rows for more users than this are looked at by everybody.
const INDEXED_USERS: u64 = 256;

/// Most rows of one [`Batch`].
const BATCH: usize = 256;

/// Rows that are kept whatever their size, so that a fan-out finds what it was started for.
const ALWAYS_KEPT: usize = 16;

/// Rows that may concern one queue.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Ascending.
    pub(super) rows: Vec<Arc<CachedRow>>,
    /// Where to go on.
    pub(super) next_seq: i64,
    /// Nothing follows at present.
    pub(super) is_last: bool,
}

/// The rows asked for are older than what is in memory; they begin here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Missing {
    /// First position that is in memory.
    pub(super) held_from: i64,
}

/// Contiguous part of the log: `start <= seq < end`.
#[derive(Debug)]
pub(super) struct Ring {
    start: i64,
    end: i64,
    rows: VecDeque<Arc<CachedRow>>,
    by_user: HashMap<i64, VecDeque<i64>>,
    /// Rows for everybody, or for too many to be indexed.
    broad: VecDeque<i64>,
    /// Indexed rows that outsiders may hear too.
    public: VecDeque<i64>,
    bytes: usize,
    forms: Arc<AtomicUsize>,
    limit: usize,
}

impl Ring {
    /// An empty ring that continues after `last_seq`.
    pub(super) fn new(last_seq: i64, limit: usize) -> Self {
        let next = last_seq.saturating_add(1);
        Self {
            start: next,
            end: next,
            rows: VecDeque::new(),
            by_user: HashMap::new(),
            broad: VecDeque::new(),
            public: VecDeque::new(),
            bytes: 0,
            forms: Arc::default(),
            limit,
        }
    }

    /// The position that the next row of the log will have, or a later one.
    pub(super) fn end(&self) -> i64 {
        self.end
    }

    /// First position held.
    pub(super) fn start(&self) -> i64 {
        self.start
    }

    /// Counter of the size of serialized forms, for rows that are to be pushed.
    pub(super) fn forms(&self) -> &Arc<AtomicUsize> {
        &self.forms
    }

    /// Memory taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.forms.load(Ordering::Relaxed)
    }

    /// Whether older rows can be taken in without pushing out newer ones.
    pub(super) fn has_room(&self) -> bool {
        self.bytes() < self.limit / 4 * 3
    }

    /// Appends the row that follows all others.
    pub(super) fn push(&mut self, row: Arc<CachedRow>) {
        let seq = row.row().seq();
        if seq < self.end {
            return;
        }
        self.end = seq.saturating_add(1);
        self.index(row.row(), |queue| queue.push_back(seq));
        self.bytes += row.size();
        self.rows.push_back(row);
        while self.bytes() > self.limit && self.rows.len() > ALWAYS_KEPT {
            self.evict();
        }
    }

    /// Takes in older rows, newest first; afterwards everything from `covers` on is held.
    pub(super) fn extend_back(&mut self, rows: Vec<Arc<CachedRow>>, covers: i64) {
        for row in rows {
            let seq = row.row().seq();
            if seq >= self.start {
                continue;
            }
            self.start = seq;
            self.index(row.row(), |queue| queue.push_front(seq));
            self.bytes += row.size();
            self.rows.push_front(row);
        }
        self.start = self.start.min(covers);
    }

    /// Rows from `from` on that may concern a queue.
    pub(super) fn batch(&self, registration: &Registration, from: i64) -> Result<Batch, Missing> {
        if from < self.start {
            return Err(Missing {
                held_from: self.start,
            });
        }
        let mut seqs = BTreeSet::new();
        let outsider =
            registration.all_public_streams || !registration.narrow.is_empty();
        let own = self.by_user.get(&registration.user_id);
        let lists = [Some(&self.broad), own, outsider.then_some(&self.public)];
        for list in lists.into_iter().flatten() {
            let first = list.partition_point(|&seq| seq < from);
            // One more than fits, so that "there is more" is seen.
            seqs.extend(list.range(first..).take(BATCH + 1).copied());
        }
        let is_last = seqs.len() <= BATCH;
        let rows: Vec<_> = seqs
            .into_iter()
            .take(BATCH)
            .filter_map(|seq| self.get(seq))
            .collect();
        let next_seq = match rows.last() {
            Some(row) if !is_last => row.row().seq().saturating_add(1),
            _ => self.end.max(from),
        };
        Ok(Batch {
            rows,
            next_seq,
            is_last,
        })
    }

    fn get(&self, seq: i64) -> Option<Arc<CachedRow>> {
        let index = self.rows.partition_point(|row| row.row().seq() < seq);
        self.rows
            .get(index)
            .filter(|row| row.row().seq() == seq)
            .cloned()
    }

    fn evict(&mut self) {
        let Some(row) = self.rows.pop_front() else {
            return;
        };
        self.bytes = self.bytes.saturating_sub(row.size());
        self.start = row.row().seq().saturating_add(1);
        self.index(row.row(), |queue| {
            queue.pop_front();
        });
        if let Some(users) = listed_users(row.row()) {
            for user_id in users {
                if self.by_user.get(&user_id).is_some_and(VecDeque::is_empty) {
                    self.by_user.remove(&user_id);
                }
            }
        }
    }

    /// Calls `change` with every list that a row belongs to.
    fn index(&mut self, row: &LogRow, change: impl Fn(&mut VecDeque<i64>)) {
        match listed_users(row) {
            None => change(&mut self.broad),
            Some(users) => {
                for user_id in users {
                    change(self.by_user.entry(user_id).or_default());
                }
                if row.audience().is_public_channel() {
                    change(&mut self.public);
                }
            }
        }
    }
}

/// The users of a row that is indexed by user.
fn listed_users(row: &LogRow) -> Option<impl Iterator<Item = i64> + '_> {
    row.audience()
        .listed()
        .filter(|users| users.len() <= INDEXED_USERS)
        .map(spindle_events::UserSet::iter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ring: &Ring, seq: i64, audience: &str) -> Arc<CachedRow> {
        let row = LogRow::parse(seq, "realm", "{}", audience).unwrap();
        CachedRow::new(row, ring.forms())
    }

    fn seqs(ring: &Ring, registration: &Registration, from: i64) -> Vec<i64> {
        let batch = ring.batch(registration, from).unwrap();
        batch.rows.iter().map(|row| row.row().seq()).collect()
    }

    fn user(user_id: i64) -> Registration {
        Registration {
            user_id,
            ..Registration::default()
        }
    }

    #[test]
    fn rows_are_found_by_user() {
        let mut ring = Ring::new(10, 1 << 20);
        let audiences = [
            r#"{"realm":true}"#,
            r#"{"users":[7]}"#,
            r#"{"users":[8],"channel":{"id":1,"public":true}}"#,
            r#"{"users":[[1,1000]]}"#,
        ];
        for (seq, audience) in (11..).zip(audiences) {
            let row = row(&ring, seq, audience);
            ring.push(row);
        }
        assert_eq!(ring.end(), 15);
        assert_eq!(seqs(&ring, &user(7), 11), [11, 12, 14]);
        assert_eq!(seqs(&ring, &user(7), 13), [14]);
        assert_eq!(seqs(&ring, &user(9), 11), [11, 14]);
        let listening = Registration {
            all_public_streams: true,
            ..user(9)
        };
        assert_eq!(seqs(&ring, &listening, 11), [11, 13, 14]);
        assert_eq!(
            ring.batch(&user(7), 10).unwrap_err(),
            Missing { held_from: 11 }
        );
        let older = vec![row(&ring, 9, r#"{"users":[7]}"#), row(&ring, 4, r#"{"users":[7]}"#)];
        ring.extend_back(older, 2);
        assert_eq!(seqs(&ring, &user(7), 2), [4, 9, 11, 12, 14]);
    }

    #[test]
    fn old_rows_leave_when_there_are_too_many() {
        let mut ring = Ring::new(0, 50 * 402);
        for seq in 1..=500 {
            let audience = if seq % 2 == 0 { r#"{"users":[7]}"# } else { r#"{"users":[8]}"# };
            let row = row(&ring, seq, audience);
            ring.push(row);
        }
        assert!(ring.bytes() <= 50 * 402);
        let start = ring.start();
        assert!(start > 400);
        assert!(seqs(&ring, &user(7), start).iter().all(|seq| *seq >= start && seq % 2 == 0));
    }

    #[test]
    fn long_stretches_come_in_batches() {
        let mut ring = Ring::new(0, 1 << 30);
        for seq in 1..=600 {
            let row = row(&ring, seq, r#"{"realm":true}"#);
            ring.push(row);
        }
        let mut from = 1;
        let mut found = 0;
        loop {
            let batch = ring.batch(&user(1), from).unwrap();
            found += batch.rows.len();
            from = batch.next_seq;
            if batch.is_last {
                break;
            }
        }
        assert_eq!((found, from), (600, 601));
    }
}
