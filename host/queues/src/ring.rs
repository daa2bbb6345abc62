//! The newest part of the log in memory, and an index by user that reaches further back.
//!
//! Holds every row between two positions, up to a number of bytes. With the index, the scan for one
//! queue visits only rows that may concern it: after a restart all clients reconnect at the same
//! time, and none of them should scan the events of all users. The index also covers rows that do
//! not fit into memory; those are read one by one.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use spindle_domain::UserId;
use spindle_events::{Audience, Registration};

use super::cached_row::CachedRow;

/// Rows for more users than this are not indexed; every queue scans them.
const INDEXED_USERS: u64 = 256;

/// Most rows of one [`Batch`].
const BATCH: usize = 256;

/// Rows that are kept whatever their size, so that a fan-out finds the rows that triggered it.
const ALWAYS_KEPT: usize = 16;

/// Most entries of the index, each a row for a user. Beyond it, the older half is dropped.
const ENTRIES: usize = 2_000_000;

/// A row that may concern a queue.
#[derive(Debug, Clone)]
pub(super) enum Slot {
    Held(Arc<CachedRow>),
    /// Only its position is known.
    Absent(i64),
}

/// Rows that may concern one queue, as far as they are in memory.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Ascending.
    pub(super) slots: Vec<Slot>,
    /// The position to continue from.
    pub(super) next_seq: i64,
    /// Nothing follows at present.
    pub(super) is_last: bool,
}

impl Found {
    /// Whether rows are to be read from the database.
    pub(super) fn is_incomplete(&self) -> bool {
        let is_absent = |slot: &Slot| matches!(slot, Slot::Absent(_));
        self.slots.iter().any(is_absent)
    }
}

/// Rows that may concern one queue.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Ascending.
    pub(super) rows: Vec<Arc<CachedRow>>,
    /// The position to continue from.
    pub(super) next_seq: i64,
    /// Nothing follows at present.
    pub(super) is_last: bool,
}

/// The rows asked for are not in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Missing {
    /// First position that the index covers.
    pub(super) indexed_from: i64,
}

/// Contiguous part of the log: rows with `start <= seq < end`, an index from `indexed` on.
#[derive(Debug)]
pub(super) struct Ring {
    indexed: i64,
    start: i64,
    end: i64,
    rows: VecDeque<Arc<CachedRow>>,
    by_user: HashMap<UserId, VecDeque<i64>>,
    /// Rows for all users, or for too many to be indexed.
    broad: VecDeque<i64>,
    /// Indexed rows that non-subscribers may receive too.
    public: VecDeque<i64>,
    /// Number of entries of all lists.
    entries: usize,
    bytes: usize,
    forms: Arc<AtomicUsize>,
    limit: usize,
}

impl Ring {
    /// An empty ring that continues after `last_seq`.
    pub(super) fn new(last_seq: i64, limit: usize) -> Self {
        let next = last_seq.saturating_add(1);
        Self {
            indexed: next,
            start: next,
            end: next,
            rows: VecDeque::new(),
            by_user: HashMap::new(),
            broad: VecDeque::new(),
            public: VecDeque::new(),
            entries: 0,
            bytes: 0,
            forms: Arc::default(),
            limit,
        }
    }

    /// The position that the next row of the log will have, or a later one.
    pub(super) fn end(&self) -> i64 {
        self.end
    }

    /// First position whose row is held.
    pub(super) fn start(&self) -> i64 {
        self.start
    }

    /// First position that the index covers.
    pub(super) fn indexed(&self) -> i64 {
        self.indexed
    }

    /// Counter of the bytes of serialized forms, for rows that are to be pushed.
    pub(super) fn forms(&self) -> &Arc<AtomicUsize> {
        &self.forms
    }

    /// Memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.forms.load(Ordering::Relaxed) + self.entries * size_of::<i64>()
    }

    /// Whether older rows can be loaded without evicting newer ones: there is memory, and they would
    /// be contiguous with the rows held.
    pub(super) fn has_room(&self) -> bool {
        self.bytes() < self.limit / 4 * 3 && self.indexed == self.start
    }

    /// Whether more of the log can be indexed.
    pub(super) fn can_index(&self) -> bool {
        self.entries < ENTRIES / 2
    }

    /// Appends the row that follows all others.
    pub(super) fn push(&mut self, row: Arc<CachedRow>) {
        let seq = row.row().seq();
        if seq < self.end {
            return;
        }
        self.end = seq.saturating_add(1);
        self.index(row.row().audience(), |list| list.push_back(seq));
        self.bytes += row.size();
        self.rows.push_back(row);
        while self.bytes() > self.limit && self.rows.len() > ALWAYS_KEPT {
            self.evict();
        }
        if self.entries > ENTRIES {
            self.forget_half();
        }
    }

    /// Adds older rows, newest first; afterwards every row from `covers` on is held.
    pub(super) fn extend_back(&mut self, rows: Vec<Arc<CachedRow>>, covers: i64) {
        for row in rows {
            let seq = row.row().seq();
            self.index(row.row().audience(), |list| list.push_front(seq));
            self.bytes += row.size();
            self.rows.push_front(row);
        }
        self.start = self.start.min(covers);
        self.indexed = self.indexed.min(covers);
    }

    /// Indexes older rows without holding them, newest first.
    pub(super) fn index_back(&mut self, rows: &[(i64, Audience)], covers: i64) {
        for (seq, audience) in rows {
            self.index(audience, |list| list.push_front(*seq));
        }
        self.indexed = self.indexed.min(covers);
    }

    /// Rows from `from` on that may concern a queue.
    pub(super) fn find(&self, registration: &Registration, from: i64) -> Result<Found, Missing> {
        if from < self.indexed {
            return Err(self.missing());
        }
        let mut seqs = BTreeSet::new();
        let outsider = registration.all_public_streams || !registration.narrow.is_empty();
        let own = self.by_user.get(&registration.user_id);
        let lists = [Some(&self.broad), own, outsider.then_some(&self.public)];
        for list in lists.into_iter().flatten() {
            let first = list.partition_point(|&seq| seq < from);
            // One more than fits, to detect that there are more.
            seqs.extend(list.range(first..).take(BATCH + 1).copied());
        }
        let is_last = seqs.len() <= BATCH;
        let wanted: Vec<i64> = seqs.into_iter().take(BATCH).collect();
        let next_seq = match wanted.last() {
            Some(last) if !is_last => last.saturating_add(1),
            _ => self.end.max(from),
        };
        Ok(Found {
            slots: wanted.into_iter().map(|seq| self.slot(seq)).collect(),
            next_seq,
            is_last,
        })
    }

    /// As [`Ring::find`], but fails unless all rows are in memory.
    pub(super) fn batch(&self, registration: &Registration, from: i64) -> Result<Batch, Missing> {
        let found = self.find(registration, from)?;
        let held = |slot| match slot {
            Slot::Held(row) => Ok(row),
            Slot::Absent(_) => Err(self.missing()),
        };
        Ok(Batch {
            rows: found
                .slots
                .into_iter()
                .map(held)
                .collect::<Result<_, _>>()?,
            next_seq: found.next_seq,
            is_last: found.is_last,
        })
    }

    fn missing(&self) -> Missing {
        Missing {
            indexed_from: self.indexed,
        }
    }

    fn slot(&self, seq: i64) -> Slot {
        let index = self.rows.partition_point(|row| row.row().seq() < seq);
        let row = self.rows.get(index).filter(|row| row.row().seq() == seq);
        row.map_or(Slot::Absent(seq), |row| Slot::Held(Arc::clone(row)))
    }

    fn evict(&mut self) {
        if let Some(row) = self.rows.pop_front() {
            self.bytes = self.bytes.saturating_sub(row.size());
            self.start = row.row().seq().saturating_add(1);
        }
    }

    /// Drops the older half of the index, and rows that it no longer covers.
    fn forget_half(&mut self) {
        let keep_from = self.indexed + (self.end - self.indexed) / 2;
        self.indexed = keep_from;
        self.entries = 0;
        let lists = self.by_user.values_mut();
        for list in lists.chain([&mut self.broad, &mut self.public]) {
            let gone = list.partition_point(|&seq| seq < keep_from);
            list.drain(..gone);
            list.shrink_to_fit();
            self.entries += list.len();
        }
        self.by_user.retain(|_, list| !list.is_empty());
        while self
            .rows
            .front()
            .is_some_and(|row| row.row().seq() < keep_from)
        {
            self.evict();
        }
        self.start = self.start.max(keep_from);
    }

    /// Calls `change` with every list that a row belongs to; it adds one entry to each.
    fn index(&mut self, audience: &Audience, change: impl Fn(&mut VecDeque<i64>)) {
        let listed = audience
            .listed()
            .filter(|users| users.len() <= INDEXED_USERS);
        let Some(users) = listed else {
            change(&mut self.broad);
            self.entries += 1;
            return;
        };
        for user_id in users.iter() {
            change(self.by_user.entry(user_id).or_default());
            self.entries += 1;
        }
        if audience.is_public_channel() {
            change(&mut self.public);
            self.entries += 1;
        }
    }
}
