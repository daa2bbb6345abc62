//! Iterates over the contents of a queue: accepted log rows and heartbeats, in order, with their ids.
//!
//! Only this module assigns ids. An id belongs to a heartbeat if it is recorded as such, otherwise
//! to the next accepted event; since acceptance is a pure function of the row, the same iteration
//! gives the same ids in every process.

use std::ops::ControlFlow;

use bytes::Bytes;
use spindle_events::{Payload, Registration};

use super::offset::Offset;
use super::ring::{Batch, Missing};

/// A source of log rows.
pub(super) trait RowSource {
    /// Rows from `from` on that may concern the queue.
    fn batch(&mut self, registration: &Registration, from: i64) -> Result<Batch, Missing>;
}

/// What decides over the contents of a queue.
#[derive(Clone, Copy)]
pub(super) struct Replayable<'q> {
    pub(super) registration: &'q Registration,
    /// Positions of rows that are no part of the queue, ascending.
    pub(super) passed_over: &'q [i64],
    /// Ids, ascending.
    pub(super) heartbeats: &'q [i64],
}

/// The end of a replay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replayed {
    pub(super) offset: Offset,
    /// The end of the log was reached.
    pub(super) at_end: bool,
}

/// Calls `visit` with the id and the text of every event after `from`, and the offset after it, until
/// it breaks, the end is reached or `batches` were read.
pub(super) fn replay(
    source: &mut dyn RowSource,
    queue: Replayable<'_>,
    from: Offset,
    batches: usize,
    mut visit: impl FnMut(i64, &Bytes, Offset) -> ControlFlow<()>,
) -> Result<Replayed, Missing> {
    let Replayable {
        registration,
        passed_over,
        heartbeats,
    } = queue;
    let mut offset = from;
    let stopped = |offset| {
        Ok(Replayed {
            offset,
            at_end: false,
        })
    };
    for _ in 0..batches {
        if pass_heartbeats(heartbeats, &mut offset, &mut visit).is_break() {
            return stopped(offset);
        }
        let batch = source.batch(registration, offset.next_seq)?;
        for row in &batch.rows {
            let seq = row.row().seq();
            if passed_over.binary_search(&seq).is_ok() {
                continue;
            }
            let done = if seq == offset.next_seq {
                offset.skip
            } else {
                0
            };
            let tails = row.tails(registration).unwrap_or_default();
            let count = tails.len();
            for (tail, number) in tails.iter().zip(1..).skip(done as usize) {
                offset.id += 1;
                offset.bytes += tail.len() as u64;
                (offset.next_seq, offset.skip) = if number as usize == count {
                    (seq + 1, 0)
                } else {
                    (seq, number)
                };
                if visit(offset.id, tail, offset).is_break()
                    || pass_heartbeats(heartbeats, &mut offset, &mut visit).is_break()
                {
                    return stopped(offset);
                }
            }
            (offset.next_seq, offset.skip) = (seq + 1, 0);
        }
        (offset.next_seq, offset.skip) = (batch.next_seq, 0);
        if batch.is_last {
            return Ok(Replayed {
                offset,
                at_end: true,
            });
        }
    }
    stopped(offset)
}

fn pass_heartbeats(
    heartbeats: &[i64],
    offset: &mut Offset,
    visit: &mut impl FnMut(i64, &Bytes, Offset) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while heartbeats.binary_search(&(offset.id + 1)).is_ok() {
        let tail = Bytes::from(Payload::heartbeat().into_tail());
        offset.id += 1;
        offset.bytes += tail.len() as u64;
        visit(offset.id, &tail, *offset)?;
    }
    ControlFlow::Continue(())
}
