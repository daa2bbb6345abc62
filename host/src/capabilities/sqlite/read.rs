//! One statement on a reader, under its time limit. Its duration is recorded for `slow.rs`.

use super::Database;
use super::error::DatabaseError;
use super::readers::Reader;
use super::result_memory::ResultMemory;
use super::statement;
use crate::blocking::blocking;
use crate::manifest::SqlRights;
use crate::runtime::bindings::spin::sqlite::sqlite::{QueryResult, Value};
use std::sync::Arc;
use std::time::Duration;

/// A statement to be run on a reader.
pub(super) struct Read<'a> {
    sql: &'a str,
    parameters: &'a [Value],
    limit: Duration,
    /// It runs on a thread that may block.
    pub(super) is_slow: bool,
}

impl<'a> Read<'a> {
    pub(super) fn new(sql: &'a str, parameters: &'a [Value], limit: Duration) -> Self {
        Self {
            sql,
            parameters,
            limit,
            is_slow: false,
        }
    }

    /// Runs it on `reader`, in a snapshot that was begun with `kind_of_snapshot` if that is a large one;
    /// `None` when it would write.
    pub(super) fn run(
        self,
        database: &Database,
        rights: Option<&Arc<SqlRights>>,
        reader: &Reader,
        kind_of_snapshot: Option<&str>,
        room: &mut ResultMemory<'_>,
    ) -> Result<Option<QueryResult>, DatabaseError> {
        reader.with(|opened| {
            opened.clock.start(self.limit);
            let mut query = || statement::query(opened, rights, self.sql, self.parameters, room);
            let outcome = if self.is_slow {
                blocking(query)
            } else {
                query()
            };
            if let Some(took) = opened.clock.took(self.limit) {
                database.slow.learn(self.sql, took);
                if let Some(begin) = kind_of_snapshot {
                    database.slow.learn(begin, took);
                }
            }
            opened.clock.clear();
            outcome
        })
    }
}
