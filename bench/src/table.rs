//! The printed table: aligned columns, one line for each figure, with goal and verdict.

/// Prints each line immediately, so that a long run shows progress.
#[derive(Default)]
pub struct Table {
    heading_printed: bool,
}

impl Table {
    pub fn section(&mut self, title: &str) {
        println!("\n## {title}");
        self.heading_printed = false;
    }

    /// A line of throughput: requests per second and latencies.
    pub fn throughput(&mut self, name: &str, figures: &crate::load::Figures, note: &str) {
        if !self.heading_printed {
            println!(
                "{:<44} {:>10} {:>9} {:>9} {:>9}  ",
                "", "per s", "p50 us", "p99 us", "max us"
            );
            self.heading_printed = true;
        }
        println!(
            "{:<44} {:>10.0} {:>9} {:>9} {:>9}  {note}",
            name, figures.per_second, figures.p50_us, figures.p99_us, figures.max_us
        );
    }

    /// A line with one value.
    pub fn value(&mut self, name: &str, value: f64, unit: &str, note: &str) {
        println!("{name:<44} {value:>10.2} {unit:<9} {note}");
    }

    /// A value that has a goal: `least` says whether more is better.
    pub fn goal(&mut self, name: &str, value: f64, unit: &str, least: bool, goal: f64) {
        let reached = if least { value >= goal } else { value <= goal };
        let bound = if least { "at least" } else { "at most" };
        let verdict = if reached { "reached" } else { "MISSED" };
        self.value(
            name,
            value,
            unit,
            &format!("goal {bound} {goal}: {verdict}"),
        );
    }
}
