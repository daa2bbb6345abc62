//! Bounds how often a kind of line that clients or other servers cause is logged.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines within [`WINDOW`]; further ones are only counted.
const LINES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);

/// The pace of one kind of line.
#[derive(Debug, Default)]
pub struct LogPace(Mutex<Pace>);

#[derive(Debug, Default)]
struct Pace {
    began: Option<Instant>,
    lines: u32,
    left_out: u64,
}

impl LogPace {
    pub const fn new() -> Self {
        Self(Mutex::new(Pace {
            began: None,
            lines: 0,
            left_out: 0,
        }))
    }

    /// Whether a line is logged now; if so, how many were left out since the last one.
    pub fn next(&self) -> Option<u64> {
        self.next_at(Instant::now())
    }

    fn next_at(&self, now: Instant) -> Option<u64> {
        let mut pace = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pace
            .began
            .is_none_or(|began| now.duration_since(began) >= WINDOW)
        {
            pace.began = Some(now);
            pace.lines = 0;
        }
        if pace.lines >= LINES {
            pace.left_out += 1;
            return None;
        }
        pace.lines += 1;
        Some(std::mem::take(&mut pace.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_pace_are_counted() {
        let (pace, start) = (LogPace::default(), Instant::now());
        for _ in 0..LINES {
            assert_eq!(pace.next_at(start), Some(0));
        }
        for _ in 0..3 {
            assert_eq!(pace.next_at(start), None);
        }
        assert_eq!(pace.next_at(start + WINDOW), Some(3));
        assert_eq!(pace.next_at(start + WINDOW), Some(0));
    }
}
