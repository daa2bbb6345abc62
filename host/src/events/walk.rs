//! Walking through the contents of a queue: log rows that it accepts and heartbeats, in order,
//! each with its id.
//!
//! The one place where ids are counted. An id belongs to a heartbeat if it is recorded as
//! such, else to the next accepted event; since acceptance is a pure function of the row, the
//! same walk gives the same ids in every process.

use std::ops::ControlFlow;

use bytes::Bytes;
use spindle_events::{Payload, Registration};

use super::mark::Mark;
use super::ring::{Batch, Missing};

/// Where rows come from.
pub(super) trait RowSource {
    /// Rows from `from` on that may concern the queue.
    fn batch(&mut self, registration: &Registration, from: i64) -> Result<Batch, Missing>;
}

/// How far a walk has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walked {
    pub(super) mark: Mark,
    /// There was nothing more.
    pub(super) at_end: bool,
}

/// Calls `visit` with the id and the rest of every event after `from`, and the mark after it,
/// until it breaks, the end is reached or `batches` were read. `heartbeats` are ids, ascending.
pub(super) fn walk(
    source: &mut dyn RowSource,
    registration: &Registration,
    heartbeats: &[i64],
    from: Mark,
    batches: usize,
    mut visit: impl FnMut(i64, &Bytes, Mark) -> ControlFlow<()>,
) -> Result<Walked, Missing> {
    let mut mark = from;
    let stopped = |mark| {
        Ok(Walked {
            mark,
            at_end: false,
        })
    };
    for _ in 0..batches {
        if pass_heartbeats(heartbeats, &mut mark, &mut visit).is_break() {
            return stopped(mark);
        }
        let batch = source.batch(registration, mark.next_seq)?;
        for row in &batch.rows {
            let seq = row.row().seq();
            let done = if seq == mark.next_seq { mark.skip } else { 0 };
            let tails = row.tails(registration).unwrap_or_default();
            let count = tails.len();
            for (tail, number) in tails.iter().zip(1..).skip(done as usize) {
                mark.id += 1;
                mark.bytes += tail.len() as u64;
                (mark.next_seq, mark.skip) = if number as usize == count {
                    (seq + 1, 0)
                } else {
                    (seq, number)
                };
                if visit(mark.id, tail, mark).is_break()
                    || pass_heartbeats(heartbeats, &mut mark, &mut visit).is_break()
                {
                    return stopped(mark);
                }
            }
            (mark.next_seq, mark.skip) = (seq + 1, 0);
        }
        (mark.next_seq, mark.skip) = (batch.next_seq, 0);
        if batch.is_last {
            return Ok(Walked { mark, at_end: true });
        }
    }
    stopped(mark)
}

fn pass_heartbeats(
    heartbeats: &[i64],
    mark: &mut Mark,
    visit: &mut impl FnMut(i64, &Bytes, Mark) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while heartbeats.binary_search(&(mark.id + 1)).is_ok() {
        let tail = Bytes::from(Payload::heartbeat().into_tail());
        mark.id += 1;
        mark.bytes += tail.len() as u64;
        visit(mark.id, &tail, *mark)?;
    }
    ControlFlow::Continue(())
}
