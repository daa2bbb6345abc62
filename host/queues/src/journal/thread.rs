//! The writer thread: collects records for a moment, then writes them in one transaction.

use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::positions::{Heartbeat, Pending};
use super::{SharedTime, Store};
use crate::task_health::{TaskHealth, attempt};

/// How long acknowledgements are collected.
const COLLECTED: Duration = Duration::from_millis(100);

/// Pause after a failed write, whose records are kept.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) enum Command {
    /// Something is pending.
    Wake,
    Heartbeats {
        batch: Vec<Heartbeat>,
        done: oneshot::Sender<bool>,
    },
    Close,
    #[cfg(test)]
    Abandon,
}

/// Batches of heartbeats, each with the channel that reports its outcome.
type Waiting = Vec<(Vec<Heartbeat>, oneshot::Sender<bool>)>;

enum Next {
    Write,
    WriteAndStop,
    #[cfg(test)]
    Stop,
}

pub(super) fn run(
    mut store: Store,
    commands: &mpsc::Receiver<Command>,
    pending: &Mutex<Pending>,
    time: &SharedTime,
    health: &TaskHealth,
) {
    let mut retry = None;
    loop {
        let mut waiting = Waiting::new();
        let next = collect(commands, &mut waiting, retry);
        #[cfg(test)]
        if matches!(next, Next::Stop) {
            return;
        }
        let batch = std::mem::take(&mut *pending.lock().unwrap_or_else(PoisonError::into_inner));
        let heartbeats: Vec<_> = waiting
            .iter()
            .flat_map(|(batch, _)| batch.iter().cloned())
            .collect();
        let is_nothing = batch.is_empty() && heartbeats.is_empty();
        let written = if is_nothing {
            Ok(())
        } else {
            let written = attempt(|| store.write(&batch, &heartbeats));
            written.map(|of_all| time.adopt(batch.running_ms, of_all))
        };
        let durable = written.is_ok();
        match written {
            // An empty batch does not prove that the file can be written.
            Ok(()) if is_nothing => {}
            Ok(()) => health.record_success(),
            Err(error) => {
                health.record_failure(&error);
                pending
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .restore(batch);
            }
        }
        for (_, done) in waiting {
            // The receiver is gone when the service is being dropped.
            let _ = done.send(durable);
        }
        if matches!(next, Next::WriteAndStop) {
            return;
        }
        retry = (!durable).then(|| Instant::now() + AFTER_FAILURE);
    }
}

/// Waits for something to write, then a moment for more; heartbeats end the wait immediately. A
/// failed write is retried at `retry`, even without new records.
fn collect(
    commands: &mpsc::Receiver<Command>,
    waiting: &mut Waiting,
    retry: Option<Instant>,
) -> Next {
    let mut until = retry;
    loop {
        let received = match until {
            None => commands
                .recv()
                .map_err(|_| mpsc::RecvTimeoutError::Disconnected),
            Some(until) => commands.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match received {
            Ok(Command::Wake) => {
                until.get_or_insert_with(|| Instant::now() + COLLECTED);
            }
            Ok(Command::Heartbeats { batch, done }) => {
                waiting.push((batch, done));
                until = Some(Instant::now());
            }
            Ok(Command::Close) => return Next::WriteAndStop,
            #[cfg(test)]
            Ok(Command::Abandon) => return Next::Stop,
            Err(mpsc::RecvTimeoutError::Timeout) => return Next::Write,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Next::WriteAndStop,
        }
    }
}
