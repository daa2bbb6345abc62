//! One statement on a reader, under its time limit.
//!
//! Runs on the calling thread; `session/statements.rs` chooses that thread and learns from the duration.

use super::error::DatabaseError;
use super::options::DatabaseOptions;
use super::readers::Reader;
use super::result_memory::ResultMemory;
use super::statement;
use spindle_admission::memory::Held;
use spindle_bindings::spin::sqlite::sqlite::{QueryResult, Value};
use spindle_manifest::SqlRights;
use std::sync::Arc;
use std::time::Duration;

/// A statement to be run on a reader.
pub(super) struct Read<'a> {
    pub(super) sql: &'a str,
    pub(super) parameters: &'a [Value],
    pub(super) limit: ReadLimit,
}

/// How long it may take.
#[derive(Clone, Copy)]
pub(super) struct ReadLimit {
    /// Of processor time.
    pub(super) computing: Duration,
    /// In all.
    pub(super) whole: Duration,
}

/// What became of it.
pub(super) struct Ran {
    /// `None` when it would write.
    pub(super) outcome: Result<Option<QueryResult>, DatabaseError>,
    /// What its rows take.
    pub(super) rows: Option<Held>,
    /// `None` when it did too little work to tell.
    pub(super) took: Option<Duration>,
}

impl Read<'_> {
    /// Runs it on `reader`.
    pub(super) fn run(
        &self,
        options: &DatabaseOptions,
        rights: Option<&Arc<SqlRights>>,
        reader: &Reader,
    ) -> Ran {
        let mut room = ResultMemory::new(options);
        let mut took = None;
        let outcome = reader.with(|opened| {
            let ReadLimit { computing, whole } = self.limit;
            opened.clock.start_within(computing, whole);
            let outcome = statement::query(opened, rights, self.sql, self.parameters, &mut room);
            took = opened.clock.took(computing);
            opened.clock.clear();
            outcome
        });
        let rows = outcome.is_ok().then(|| room.held()).flatten();
        Ran {
            outcome,
            rows,
            took,
        }
    }
}
