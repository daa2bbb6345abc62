//! A compiled pattern, and searches in it whose work is counted.
//!
//! A lazily built automaton finds the range of a match, for most texts in one step a byte. A simulation, which visits up
//! to every state of the pattern for each byte, finds the groups of a match, and searches texts for which the automaton
//! has no memory.

use std::ops::Range;

use regex_automata::hybrid::dfa::{self, DFA};
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::{CACHE_LIMIT, NEST_LIMIT, SIZE_LIMIT, SearchBudget};

/// Work of each byte that the automaton reads, and of beginning a search.
const STEP: usize = 2;
const START: usize = 64;
/// Work of each byte of tables that a search builds.
const BUILT: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    vm: PikeVM,
    /// Neither automaton when the smallest one takes too much memory.
    automata: Option<(DFA, DFA)>,
    size: usize,
}

impl Pattern {
    /// # Errors
    /// It is not valid, or too large.
    pub(super) fn new(pattern: &str) -> Result<Self, Box<thompson::BuildError>> {
        let nfa = |is_reverse: bool| {
            let captures = if is_reverse {
                WhichCaptures::None
            } else {
                WhichCaptures::All
            };
            let config = thompson::Config::new()
                .nfa_size_limit(Some(SIZE_LIMIT))
                .which_captures(captures)
                .reverse(is_reverse);
            NFA::compiler()
                .syntax(syntax::Config::new().nest_limit(NEST_LIMIT))
                .configure(config)
                .build(pattern)
                .map_err(Box::new)
        };
        let (forward, reverse) = (nfa(false)?, nfa(true)?);
        let size = forward.memory_usage() + reverse.memory_usage();
        let automaton = |nfa: &NFA, kind: MatchKind| {
            let config = dfa::Config::new()
                .match_kind(kind)
                .unicode_word_boundary(true)
                .cache_capacity(CACHE_LIMIT)
                .minimum_cache_clear_count(Some(3))
                .minimum_bytes_per_state(Some(10));
            DFA::builder()
                .configure(config)
                .build_from_nfa(nfa.clone())
                .ok()
        };
        let automata =
            automaton(&forward, MatchKind::LeftmostFirst).zip(automaton(&reverse, MatchKind::All));
        Ok(Self {
            vm: PikeVM::new_from_nfa(forward)?,
            automata,
            size,
        })
    }

    /// Bytes of the pattern.
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    pub(super) fn group_names(&self) -> impl Iterator<Item = &str> {
        let names = self.vm.get_nfa().group_info().all_names();
        names.filter_map(|(_, _, name)| name)
    }
}

/// The tables of a pattern's searches.
pub(super) struct Tables {
    automata: Option<(dfa::Cache, dfa::Cache)>,
    vm: Option<pikevm::Cache>,
    /// Bytes of these tables that a budget has paid for.
    paid: usize,
}

impl Tables {
    pub(super) fn of(pattern: &Pattern) -> Self {
        let create =
            |(forward, reverse): &(DFA, DFA)| (forward.create_cache(), reverse.create_cache());
        Self {
            automata: pattern.automata.as_ref().map(create),
            vm: None,
            paid: 0,
        }
    }

    pub(super) fn size(&self) -> usize {
        let vm = self.vm.as_ref().map_or(0, pikevm::Cache::memory_usage);
        let automata = self.automata.as_ref().map_or(0, |(forward, reverse)| {
            forward.memory_usage() + reverse.memory_usage()
        });
        vm + automata
    }

    /// Deducts the work of what the tables have grown by.
    fn pay(&mut self, budget: &mut SearchBudget) -> bool {
        let size = self.size();
        let grown = size.saturating_sub(self.paid);
        self.paid = size;
        budget.take(BUILT * grown)
    }

    /// The first match within `range` of the text. `work_a_byte`: of the simulation. None as well when the budget is used
    /// up.
    pub(super) fn search(
        &mut self,
        pattern: &Pattern,
        text: &str,
        range: Range<usize>,
        work_a_byte: usize,
        budget: &mut SearchBudget,
    ) -> Option<Captures> {
        if !budget.take(START + STEP * range.len()) {
            return None;
        }
        let found = self.locate(pattern, text, range.clone());
        let has_room = self.pay(budget);
        let input = match found {
            Ok(None) => return None,
            Ok(Some(range)) => Input::new(text).range(range).anchored(Anchored::Yes),
            Err(Full) => {
                budget.take(BUILT * CACHE_LIMIT);
                Input::new(text).range(range)
            }
        };
        let work = input.get_range().len().saturating_mul(work_a_byte);
        if !has_room || !budget.take(work) {
            return None;
        }
        let tables = self.vm.get_or_insert_with(|| pattern.vm.create_cache());
        let mut captures = pattern.vm.create_captures();
        pattern.vm.captures(tables, input, &mut captures);
        self.pay(budget);
        captures.is_match().then_some(captures)
    }

    /// Where the first match is.
    fn locate(
        &mut self,
        pattern: &Pattern,
        text: &str,
        range: Range<usize>,
    ) -> Result<Option<Range<usize>>, Full> {
        let automata = pattern.automata.as_ref().zip(self.automata.as_mut());
        let Some(((forward, reverse), (forward_cache, reverse_cache))) = automata else {
            return Err(Full);
        };
        let input = Input::new(text).range(range.clone());
        let end = forward.try_search_fwd(forward_cache, &input);
        let Some(end) = end.map_err(|_| Full)? else {
            return Ok(None);
        };
        let input = Input::new(text)
            .range(range.start..end.offset())
            .anchored(Anchored::Yes);
        let start = reverse.try_search_rev(reverse_cache, &input);
        let start = start.map_err(|_| Full)?.ok_or(Full)?;
        Ok(Some(start.offset()..end.offset()))
    }
}

/// The automaton has run out of memory, or cannot tell where the match begins.
struct Full;
