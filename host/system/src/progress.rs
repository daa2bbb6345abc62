//! Progress of a long command: single lines, at most one per second.
//!
//! Owns when a line is due and its text. A command that takes a few seconds prints none, unless standard error is a
//! terminal.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use spindle_domain::numbers::grouped;

/// Rows between two checks of the clock.
const ROWS_UNSEEN: u64 = 512;
/// How long a step must run before its remaining time can be estimated.
const FOR_AN_ESTIMATE: Duration = Duration::from_secs(1);

/// The unit of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Rows of tables.
    Rows,
    /// Bytes, shown as MiB.
    Bytes,
    /// Anything else, such as indexes or files.
    Pieces,
}

/// The timing of lines.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Delay before the first line.
    patience: Duration,
    /// Shortest time between two lines.
    pause: Duration,
}

/// The current step.
#[derive(Debug, Clone)]
struct Step {
    what: Cow<'static, str>,
    unit: Unit,
    total: u64,
    /// Time since the beginning.
    began: Duration,
}

/// Decides which lines are printed; the caller supplies the time.
#[derive(Debug)]
struct Lines {
    pace: Pace,
    step: Option<Step>,
    /// When the last line was printed.
    said: Option<Duration>,
}

impl Lines {
    const fn new(pace: Pace) -> Self {
        Self {
            pace,
            step: None,
            said: None,
        }
    }

    /// The line that is due at `now`, when `done` units of the current step are done.
    fn due(&mut self, now: Duration, done: u64) -> Option<String> {
        let step = self.step.as_ref()?;
        let due = match self.said {
            None => self.pace.patience,
            Some(said) => said + self.pace.pause,
        };
        if now < due {
            return None;
        }
        self.said = Some(now);
        Some(line(step, now.saturating_sub(step.began), done))
    }
}

fn line(step: &Step, elapsed: Duration, done: u64) -> String {
    let (total, mut text) = (step.total.max(done), step.what.to_string());
    if total == 0 {
        return text;
    }
    let _ = match step.unit {
        Unit::Rows => write!(text, ": {} of {} rows", grouped(done), grouped(total)),
        Unit::Bytes => write!(text, ": {} of {} MiB", done >> 20, total >> 20),
        Unit::Pieces => write!(text, ": {} of {}", grouped(done), grouped(total)),
    };
    let percent = u128::from(done) * 100 / u128::from(total);
    let _ = write!(text, " ({percent}%)");
    if done > 0 && done < total && elapsed >= FOR_AN_ESTIMATE {
        let left = elapsed.as_millis() * u128::from(total - done) / u128::from(done);
        let _ = write!(text, ", about {} left", duration(left.div_ceil(1000)));
    }
    text
}

fn duration(seconds: u128) -> String {
    if seconds < 100 {
        format!("{seconds} s")
    } else {
        format!("{} min", seconds.div_ceil(60))
    }
}

/// The progress of a command, in steps.
pub struct Progress {
    began: Instant,
    lines: RefCell<Lines>,
    done: Cell<u64>,
    /// Rows since the last check of the clock.
    unchecked: Cell<u64>,
    say: Box<dyn Fn(&str)>,
}

impl Progress {
    /// Prints lines on standard error: from the beginning when it is a terminal, otherwise once the
    /// work takes longer than five seconds.
    #[must_use]
    pub fn on_stderr() -> Self {
        let patience = if std::io::stderr().is_terminal() {
            0
        } else {
            5
        };
        Self::new(
            Duration::from_secs(patience),
            Duration::from_secs(1),
            |line| {
                // The work continues when standard error is closed.
                let _ = writeln!(std::io::stderr(), "{line}");
            },
        )
    }

    /// Passes lines to `say`: the first after `patience`, each later one `pause` after the previous.
    #[must_use]
    pub fn new(patience: Duration, pause: Duration, say: impl Fn(&str) + 'static) -> Self {
        Self {
            began: Instant::now(),
            lines: RefCell::new(Lines::new(Pace { patience, pause })),
            done: Cell::new(0),
            unchecked: Cell::new(0),
            say: Box::new(say),
        }
    }

    /// Begins the next step, of `total` units; 0: unknown.
    pub fn step(&self, what: &'static str, unit: Unit, total: u64) {
        let step = Step {
            what: Cow::Borrowed(what),
            unit,
            total,
            began: self.began.elapsed(),
        };
        self.lines.borrow_mut().step = Some(step);
        self.done.set(0);
        self.check_clock();
    }

    /// Says what the current step does now; its units and its time go on.
    pub fn rename(&self, what: String) {
        if let Some(step) = &mut self.lines.borrow_mut().step {
            step.what = Cow::Owned(what);
        }
    }

    /// Adds completed units of the current step.
    pub fn add(&self, count: u64) {
        self.done.set(self.done.get().saturating_add(count));
        let unchecked = self.unchecked.get().saturating_add(count);
        self.unchecked.set(unchecked);
        // Pieces are few, and each may take long.
        if unchecked >= ROWS_UNSEEN || self.counts_pieces() {
            self.check_clock();
        }
    }

    fn counts_pieces(&self) -> bool {
        let lines = self.lines.borrow();
        let step = lines.step.as_ref();
        step.is_some_and(|step| step.unit == Unit::Pieces)
    }

    fn check_clock(&self) {
        self.unchecked.set(0);
        let line = self
            .lines
            .borrow_mut()
            .due(self.began.elapsed(), self.done.get());
        if let Some(line) = line {
            (self.say)(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(patience: u64) -> Lines {
        Lines::new(Pace {
            patience: Duration::from_secs(patience),
            pause: Duration::from_secs(1),
        })
    }

    const STEP: Step = Step {
        what: Cow::Borrowed("taking in rows"),
        unit: Unit::Rows,
        total: 6_250_000,
        began: Duration::from_secs(2),
    };

    #[test]
    fn a_line_says_how_much_and_how_long() {
        let seconds = Duration::from_secs;
        assert_eq!(
            line(&STEP, seconds(30), 1_250_000),
            "taking in rows: 1,250,000 of 6,250,000 rows (20%), about 2 min left"
        );
        assert_eq!(
            line(&STEP, seconds(30), 5_000_000),
            "taking in rows: 5,000,000 of 6,250,000 rows (80%), about 8 s left"
        );
        // Nothing to estimate from, or nothing left.
        assert_eq!(
            line(&STEP, Duration::ZERO, 999),
            "taking in rows: 999 of 6,250,000 rows (0%)"
        );
        assert_eq!(
            line(&STEP, seconds(30), 7_000_000),
            "taking in rows: 7,000,000 of 7,000,000 rows (100%)"
        );
        let bytes = Step {
            unit: Unit::Bytes,
            total: 4 << 20,
            ..STEP
        };
        assert_eq!(
            line(&bytes, seconds(3), 1 << 20),
            "taking in rows: 1 of 4 MiB (25%), about 9 s left"
        );
        let unknown = Step { total: 0, ..STEP };
        assert_eq!(line(&unknown, seconds(3), 0), "taking in rows");
    }

    #[test]
    fn nothing_is_said_of_what_is_short_and_one_line_a_second_of_the_rest() {
        let mut lines = lines(5);
        assert_eq!(lines.due(Duration::from_secs(9), 1), None, "no step yet");
        lines.step = Some(STEP);
        let mut said = Vec::new();
        for millis in (0..9000).step_by(100) {
            if lines.due(Duration::from_millis(millis), 1).is_some() {
                said.push(millis);
            }
        }
        assert_eq!(said, [5000, 6000, 7000, 8000]);
    }

    #[test]
    fn pieces_and_rows_are_added_up() {
        let said = std::rc::Rc::new(RefCell::new(Vec::new()));
        let lines = std::rc::Rc::clone(&said);
        let say = move |line: &str| lines.borrow_mut().push(line.to_owned());
        let progress = Progress::new(Duration::ZERO, Duration::ZERO, say);
        progress.step("indexes", Unit::Pieces, 2);
        progress.add(1);
        progress.add(1);
        progress.step("rows", Unit::Rows, 1024);
        for _ in 0..512 {
            progress.add(1);
        }
        progress.rename("other rows".to_owned());
        progress.add(512);
        assert_eq!(
            *said.borrow(),
            [
                "indexes: 0 of 2 (0%)",
                "indexes: 1 of 2 (50%)",
                "indexes: 2 of 2 (100%)",
                "rows: 0 of 1,024 rows (0%)",
                "rows: 512 of 1,024 rows (50%)",
                "other rows: 1,024 of 1,024 rows (100%)",
            ]
        );
    }
}
