//! The processor time that a guest uses, as its thread's clock counts it.
//!
//! Owns what was measured and how much of it slices have paid for. An epoch may begin while a guest waits for the
//! database, for its turn to write, or for a thread; that is no computing. Must not know what is done with a guest that owes.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::engine::EPOCH;

const NANOS_OF_SLICE: u64 = EPOCH.as_nanos() as u64;

/// Processor time that this thread has used so far, in nanoseconds.
pub(crate) fn of_this_thread() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or_default()
}

/// The processor time of one request at a time. It is read and written on the thread that polls the guest.
///
/// The clock of a thread is a system call, and most guests are done before an epoch begins: so a poll is measured
/// from the first epoch that begins in it; once the request has paid for a slice, from its beginning.
#[derive(Default)]
pub(crate) struct ProcessorTime {
    /// Used in polls that have ended, in nanoseconds.
    used: AtomicU64,
    is_polled: AtomicBool,
    /// What the thread had used when the present poll began to be measured; 0 before.
    measured_from: AtomicU64,
    /// Paid for by slices.
    paid: AtomicU64,
}

impl ProcessorTime {
    /// A new request begins; what the last one owed is forgotten.
    pub(super) fn begin(&self) {
        self.used.store(0, Relaxed);
        self.paid.store(0, Relaxed);
    }

    /// Runs the guest, or a part of its work.
    pub(super) async fn measure<F: Future>(&self, guest: F) -> F::Output {
        let mut guest = pin!(guest);
        poll_fn(|context| {
            self.is_polled.store(true, Relaxed);
            if self.paid.load(Relaxed) != 0 {
                self.measured_from.store(of_this_thread().max(1), Relaxed);
            }
            let polled = guest.as_mut().poll(context);
            self.is_polled.store(false, Relaxed);
            let from = self.measured_from.swap(0, Relaxed);
            if from != 0 {
                let used = of_this_thread().saturating_sub(from);
                self.used.fetch_add(used, Relaxed);
            }
            polled
        })
        .await
    }

    /// Whether the guest is measured now: it serves one request, which it has begun.
    pub(super) fn is_measured(&self) -> bool {
        self.is_polled.load(Relaxed)
    }

    /// Whether the guest has to take a slice before it goes on, asked when an epoch begins. Each slice pays for an epoch of
    /// processor time. A guest that is not measured, since it serves several requests at once, always has to.
    pub(super) fn owes_slice(&self) -> bool {
        if !self.is_measured() {
            return true;
        }
        let now = of_this_thread().max(1);
        let from = match self.measured_from.load(Relaxed) {
            0 => {
                self.measured_from.store(now, Relaxed);
                now
            }
            from => from,
        };
        let used = self.used.load(Relaxed) + now.saturating_sub(from);
        let owes = used.saturating_sub(self.paid.load(Relaxed)) >= NANOS_OF_SLICE;
        if owes {
            self.paid.fetch_add(NANOS_OF_SLICE, Relaxed);
        }
        owes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(nanos: u64) {
        let begin = of_this_thread();
        while of_this_thread() - begin < nanos {}
    }

    #[tokio::test]
    async fn a_guest_that_waits_owes_nothing() {
        let time = ProcessorTime::default();
        time.measure(async {
            for _ in 0..4 {
                tokio::time::sleep(EPOCH).await;
                std::thread::sleep(EPOCH);
                assert!(!time.owes_slice());
            }
        })
        .await;
    }

    #[tokio::test]
    async fn a_guest_that_computes_owes_a_slice_for_each_epoch() {
        let time = ProcessorTime::default();
        let guest = async || {
            assert!(!time.owes_slice(), "measured from here");
            compute(NANOS_OF_SLICE / 2);
            tokio::task::yield_now().await;
            assert!(!time.owes_slice());
            compute(NANOS_OF_SLICE * 2);
            [(); 3].map(|()| time.owes_slice())
        };
        assert_eq!(time.measure(guest()).await, [true, true, false]);
        time.begin();
        assert!(!time.measure(async { time.owes_slice() }).await);
        assert!(time.owes_slice(), "nothing is measured outside of a call");
    }
}
