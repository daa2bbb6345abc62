//! Measures the speed of the machine while a stage runs, so that time budgets are comparable.
//!
//! Machines that run checks are shared and differ: the same build has taken half as long again an hour later.
//! Owns a calibration workload and its duration on the reference machine of the budgets. Must not judge
//! anything.

use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Seconds of processor time of the workload on the reference machine.
const REFERENCE: f32 = 0.08;
/// Numbers that the workload sorts: more than fit into the caches of a processor.
const NUMBERS: usize = 3_000_000;
/// The pause between two measurements: they take less than a hundredth of the machine.
const PAUSE: Duration = Duration::from_secs(15);

/// Runs `work`; returns its result and the slowdown relative to the reference machine: at least one, even for a faster
/// machine, and at most two. It is the maximum of three measurements: before and after with all processors at work, and
/// the mean during the work.
pub(crate) fn slowness_during<T>(work: impl FnOnce() -> T) -> (T, f32) {
    let before = of_both_processors();
    let (result, meanwhile) = meanwhile(work);
    let slowness = meanwhile.max(before).max(of_both_processors());
    (result, slowness.clamp(1.0, 2.0))
}

/// The slowdown at the moment, by the clock: nothing else runs.
fn of_both_processors() -> f32 {
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(sort);
        }
    });
    started.elapsed().as_secs_f32() / REFERENCE
}

/// Runs `work`; returns its result and the mean slowdown, by processor time: the builds and tests of a stage compete with
/// the workload.
fn meanwhile<T>(work: impl FnOnce() -> T) -> (T, f32) {
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        let meter = scope.spawn(move || {
            let mut measured = vec![sample()];
            while is_done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                measured.push(sample());
            }
            mean(&measured)
        });
        let result = work();
        drop(done);
        (result, meter.join().unwrap_or(1.0))
    })
}

fn mean(measured: &[f32]) -> f32 {
    let count = u16::try_from(measured.len()).unwrap_or(u16::MAX);
    measured.iter().sum::<f32>() / f32::from(count.max(1))
}

/// The slowdown at the moment.
fn sample() -> f32 {
    let started = Instant::now();
    let before = processor_time();
    sort();
    let taken = match (before, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        // Systems without this file have the clock.
        _ => started.elapsed(),
    };
    taken.as_secs_f32() / REFERENCE
}

/// The processor time of this thread, as Linux counts it: the first number of the file, in nanoseconds.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Sorts pseudo-random numbers; returns one of them, so that the work is not optimized away.
fn sort() -> u64 {
    let mut state: u64 = 1;
    let mut numbers: Vec<u64> = (0..NUMBERS)
        .map(|_| {
            // Steele and Vigna's SplitMix64 needs no more than this.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed ^ (mixed >> 27)
        })
        .collect();
    numbers.sort_unstable();
    std::hint::black_box(numbers.get(NUMBERS / 2).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_counts_each_measurement() {
        assert_eq!(mean(&[1.0, 2.0]), 1.5);
        assert_eq!(mean(&[3.0]), 3.0);
    }

    #[test]
    fn the_work_is_measured_and_a_faster_machine_has_no_less_time() {
        let (result, slowness) = slowness_during(|| 7);
        assert_eq!(result, 7);
        assert!((1.0..=2.0).contains(&slowness));
    }
}
