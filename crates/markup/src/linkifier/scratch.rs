//! Caches the tables of linkifier searches and rarely needed patterns.
//!
//! The cache grows with the searched texts, so it has one bound for all linkifiers; at the bound it is emptied.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use regex_automata::util::captures::Captures;

use super::SearchBudget;
use super::pattern::{Pattern, Tables};

/// Maximum size of the cache, in bytes.
const KEPT: usize = 4 << 20;

/// Identifies a compiled linkifier and its clones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(u64);

impl Key {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Which pattern of the linkifier is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    Ascii,
    Exact,
}

/// A pattern with the tables of its engines.
struct Searcher {
    pattern: Pattern,
    tables: Tables,
}

impl Searcher {
    /// Bytes released with the entry, without the ASCII pattern, which the linkifier holds.
    fn size(&self, use_: Use) -> usize {
        let pattern = match use_ {
            Use::Ascii => 0,
            Use::Exact => self.pattern.size(),
        };
        pattern + self.tables.size() + size_of::<Self>()
    }
}

#[derive(Default)]
struct Kept {
    searchers: HashMap<(Key, Use), Searcher>,
    /// Bytes of all of them.
    size: usize,
}

impl Kept {
    fn take(&mut self, key: Key, use_: Use) -> Option<Searcher> {
        let searcher = self.searchers.remove(&(key, use_))?;
        self.size = self.size.saturating_sub(searcher.size(use_));
        Some(searcher)
    }

    fn put(&mut self, key: Key, use_: Use, searcher: Searcher) {
        let size = searcher.size(use_);
        if self.size.saturating_add(size) > KEPT {
            *self = Self::default();
        }
        if size <= KEPT && self.searchers.insert((key, use_), searcher).is_none() {
            self.size += size;
        }
    }
}

/// The first match within `range` of the text, as far as `budget` allows. `pattern` compiles the pattern if it is not
/// cached; `None` never matches.
pub(super) fn search(
    key: Key,
    use_: Use,
    text: &str,
    range: Range<usize>,
    work_a_byte: usize,
    budget: &mut SearchBudget,
    pattern: impl FnOnce(&mut SearchBudget) -> Option<Pattern>,
) -> Option<Captures> {
    let kept = scratch().take(key, use_);
    let mut searcher = match kept {
        Some(searcher) => searcher,
        None => {
            let pattern = pattern(budget)?;
            let tables = Tables::of(&pattern);
            Searcher { pattern, tables }
        }
    };
    let Searcher { pattern, tables } = &mut searcher;
    let found = tables.search(pattern, text, range, work_a_byte, budget);
    scratch().put(key, use_, searcher);
    found
}

/// Not locked during a search.
fn scratch() -> MutexGuard<'static, Kept> {
    static SCRATCH: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    SCRATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(
        key: Key,
        text: &str,
        from: usize,
        pattern: impl FnOnce() -> Pattern,
    ) -> Option<Captures> {
        let budget = &mut SearchBudget::default();
        let range = from..text.len();
        super::search(key, Use::Exact, text, range, 1, budget, |_| Some(pattern()))
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let pattern = Pattern::new(r"\w{1,8}-[0-9]+").unwrap();
        let text = "abc-1";
        for _ in 0..100 {
            search(Key::new(), text, 0, || pattern.clone());
            assert!(scratch().size <= KEPT);
        }
        let key = Key::new();
        let found = search(key, text, 0, || pattern.clone());
        assert_eq!(found.unwrap().get_match().unwrap().range(), 0..5);
        let again = search(key, text, 1, || panic!("it is kept"));
        assert_eq!(again.unwrap().get_match().unwrap().range(), 1..5);
    }
}
