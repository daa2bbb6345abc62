//! Measures the current speed of the machine, so that time budgets are comparable.
//!
//! Machines that run checks are shared and differ: the same build has taken half as long again an hour later.
//! Owns a calibration workload and its duration on the reference machine of the budgets. Must not judge
//! anything.

use std::thread;
use std::time::Instant;

/// Seconds of the workload on the reference machine.
const REFERENCE: f32 = 0.08;
/// Numbers that each of two threads sorts: more than fit into the caches of a processor.
const NUMBERS: usize = 3_000_000;

/// The current slowdown relative to the reference machine: at least one, even for a faster machine, and at
/// most two.
pub(crate) fn slowness() -> f32 {
    let started = Instant::now();
    thread::scope(|scope| {
        for seed in [1, 2] {
            scope.spawn(move || sort(seed));
        }
    });
    (started.elapsed().as_secs_f32() / REFERENCE).clamp(1.0, 2.0)
}

/// Sorts pseudo-random numbers; returns one of them, so that the work is not optimized away.
fn sort(seed: u64) -> u64 {
    let mut state = seed;
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
    #[test]
    fn a_faster_machine_has_no_less_time() {
        assert!((1.0..=2.0).contains(&super::slowness()));
    }
}
