//! Statements that take long: which they are, and the places of those that read.
//!
//! A statement is learned by running it. From then on it runs where it holds up no thread that
//! accepts connections or delivers events, a few at a time, so that readers are left for the
//! others. A write that is known to be slow runs on such a thread as well; it needs no place, since
//! there is one writer. What a statement costs is measured elsewhere; it is run elsewhere, too.

use super::error::DatabaseError;
use crate::memory::Holder;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A read that took this long is slow.
const SLOW: Duration = Duration::from_millis(10);
/// A read that is not known to be slow is stopped after this time, and begun anew as a slow one.
pub(super) const FIRST_LIMIT: Duration = Duration::from_millis(50);
/// For how long a statement is taken for slow, in times of what it took: so threads that accept and
/// deliver spend a thousandth of their time on it.
const REMEMBERED: u32 = 1000;
const REMEMBERED_AT_MOST: Duration = Duration::from_secs(3600);
/// Statements that are remembered. The components have some hundreds.
const MOST_STATEMENTS: usize = 1024;

/// Slow reads at once.
pub const AT_ONCE: usize = 4;
/// Slow reads of one account or address at once.
pub const AT_ONCE_OF_ONE: usize = 2;
/// Slow reads that wait: each may hold a reader. More are refused.
const WAITING: usize = 12;
const WAITING_OF_ONE: usize = 4;

/// What is known of slow reads, and their places.
pub(super) struct SlowReads {
    /// Lengths of slow statements, modulo their number of bits: most statements need no closer look.
    lengths: [AtomicU64; 16],
    /// Statements, and until when they are taken for slow.
    learned: RwLock<HashMap<Box<str>, Instant>>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    by_holder: Mutex<HashMap<Holder, Line>>,
}

/// The slow reads of one account or address.
struct Line {
    /// Those that run or wait.
    inside: usize,
    turns: Arc<Semaphore>,
}

/// The place of a slow read, given back when it is dropped.
pub(super) struct SlowPlace {
    _place: OwnedSemaphorePermit,
    _turn: Option<OwnedSemaphorePermit>,
    _of_one: Option<OfOne>,
}

impl Default for SlowReads {
    fn default() -> Self {
        Self {
            lengths: Default::default(),
            learned: RwLock::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: AtomicUsize::new(0),
            by_holder: Mutex::default(),
        }
    }
}

impl SlowReads {
    /// Whether `sql` has taken long of late.
    pub(super) fn knows(&self, sql: &str) -> bool {
        let (word, bit) = self.place_of(sql);
        if word.is_none_or(|word| word.load(Ordering::Relaxed) & bit == 0) {
            return false;
        }
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        learned
            .get(sql)
            .is_some_and(|until| Instant::now() < *until)
    }

    /// Remembers that `sql` took so long, if that is slow.
    pub(super) fn learn(&self, sql: &str, took: Duration) {
        if took < SLOW {
            return;
        }
        let until = Instant::now() + (took * REMEMBERED).min(REMEMBERED_AT_MOST);
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = learned.get_mut(sql) {
            *known = until.max(*known);
            return;
        }
        if learned.len() >= MOST_STATEMENTS {
            learned.clear();
        }
        learned.insert(sql.into(), until);
        drop(learned);
        let (word, bit) = self.place_of(sql);
        if let Some(word) = word {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn place_of(&self, sql: &str) -> (Option<&AtomicU64>, u64) {
        let word = sql.len() / 64 % self.lengths.len();
        (self.lengths.get(word), 1 << (sql.len() % 64))
    }

    /// Waits for a place, as long as `patience` lasts.
    ///
    /// # Errors
    ///
    /// `TooManySlowReads`, at once when too many wait already.
    pub(super) async fn enter(
        self: &Arc<Self>,
        holder: Option<Holder>,
        patience: Duration,
    ) -> Result<SlowPlace, DatabaseError> {
        let (of_one, turns) = match holder {
            Some(holder) => {
                let (of_one, turns) = self.enter_line(holder)?;
                (Some(of_one), Some(turns))
            }
            None => (None, None),
        };
        let _waiting = match Arc::clone(&self.places).try_acquire_owned() {
            // Only those that wait for others are counted.
            Ok(place)
                if turns
                    .as_ref()
                    .is_none_or(|turns| turns.available_permits() > 0) =>
            {
                let turn = turns.and_then(|turns| turns.try_acquire_owned().ok());
                return Ok(SlowPlace {
                    _place: place,
                    _turn: turn,
                    _of_one: of_one,
                });
            }
            _ => Waiting::begin(self)?,
        };
        let waiting = async {
            let turn = match turns {
                Some(turns) => turns.acquire_owned().await.ok(),
                None => None,
            };
            let place = Arc::clone(&self.places).acquire_owned().await.ok();
            (turn, place)
        };
        match tokio::time::timeout(patience, waiting).await {
            Ok((turn, Some(place))) => Ok(SlowPlace {
                _place: place,
                _turn: turn,
                _of_one: of_one,
            }),
            _ => Err(DatabaseError::TooManySlowReads),
        }
    }

    fn enter_line(
        self: &Arc<Self>,
        holder: Holder,
    ) -> Result<(OfOne, Arc<Semaphore>), DatabaseError> {
        let mut lines = self.lines();
        let line = lines.entry(holder).or_insert_with(|| Line {
            inside: 0,
            turns: Arc::new(Semaphore::new(AT_ONCE_OF_ONE)),
        });
        if line.inside >= AT_ONCE_OF_ONE + WAITING_OF_ONE {
            return Err(DatabaseError::TooManySlowReads);
        }
        line.inside += 1;
        let of_one = OfOne {
            reads: Arc::clone(self),
            holder,
        };
        Ok((of_one, Arc::clone(&line.turns)))
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<Holder, Line>> {
        self.by_holder
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// One read in the line of its holder.
struct OfOne {
    reads: Arc<SlowReads>,
    holder: Holder,
}

impl Drop for OfOne {
    fn drop(&mut self) {
        let mut lines = self.reads.lines();
        if let Some(line) = lines.get_mut(&self.holder) {
            line.inside -= 1;
            if line.inside == 0 {
                lines.remove(&self.holder);
            }
        }
    }
}

/// Counts a waiting read while it exists.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(reads: &'a SlowReads) -> Result<Self, DatabaseError> {
        let waiting = Self(&reads.waiting);
        if waiting.0.fetch_add(1, Ordering::Relaxed) >= WAITING {
            return Err(DatabaseError::TooManySlowReads);
        }
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs `f`, which blocks, on this thread; what else would run on it moves to another.
pub(super) fn blocking<T>(f: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(f),
        _ => f(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    #[test]
    fn a_statement_is_slow_for_a_time_that_follows_from_what_it_took() {
        let slow = SlowReads::default();
        assert!(!slow.knows("SELECT 1"));
        slow.learn("SELECT 1", Duration::from_millis(9));
        assert!(!slow.knows("SELECT 1"));
        slow.learn("SELECT 1", Duration::from_millis(10));
        assert!(slow.knows("SELECT 1"));
        assert!(!slow.knows("SELECT 2"));
        assert!(!slow.knows("SELECT 12"));
        let until = slow.learned.read().unwrap()["SELECT 1"];
        let left = until.saturating_duration_since(Instant::now());
        assert!(left > Duration::from_secs(9) && left <= Duration::from_secs(10));
    }

    #[tokio::test]
    async fn one_holder_has_two_places_and_all_have_four() {
        let slow = Arc::new(SlowReads::default());
        let [one, two, three] = [1, 2, 3].map(|id| Some(Holder::Account(id)));
        let mut taken = Vec::new();
        for holder in [one, one] {
            taken.push(slow.enter(holder, SOON).await.unwrap());
        }
        assert!(slow.enter(one, SOON).await.is_err());
        for holder in [two, two] {
            taken.push(slow.enter(holder, SOON).await.unwrap());
        }
        assert!(slow.enter(three, SOON).await.is_err());
        taken.remove(0);
        assert!(slow.enter(three, SOON).await.is_ok());
        drop(taken);
        assert!(slow.lines().is_empty());
        assert_eq!(slow.waiting.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn only_some_wait() {
        let slow = Arc::new(SlowReads::default());
        let holder = Some(Holder::Account(1));
        let late = Duration::from_secs(20);
        let mut all: Vec<_> = (0..7).map(|_| Box::pin(slow.enter(holder, late))).collect();
        let mut taken = Vec::new();
        for entering in &mut all[..2] {
            taken.push(entering.await.unwrap());
        }
        for entering in &mut all[2..6] {
            assert!(tokio::time::timeout(SOON, entering).await.is_err());
        }
        // The line is full: the next one is refused at once.
        assert!(
            tokio::time::timeout(SOON, &mut all[6])
                .await
                .unwrap()
                .is_err()
        );
        taken.clear();
        assert!(all.remove(2).await.is_ok());
    }
}
