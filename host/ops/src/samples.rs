//! Parses the text of `/metrics`.
//!
//! The figures for owners come from the same text that Prometheus reads, so that the page, a dashboard
//! and an alert never disagree. Parses only what our own recorder writes: labels come from bounded sets
//! and need no escapes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// One line of the text.
struct Sample<'t> {
    name: &'t str,
    labels: &'t str,
    value: f64,
}

/// All lines.
pub(super) struct Samples<'t>(Vec<Sample<'t>>);

impl<'t> Samples<'t> {
    pub(super) fn read(text: &'t str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self(lines.filter_map(read_line).collect())
    }

    /// Sum of all samples of `name` whose labels include `labels`; 0 when there is none.
    pub(super) fn total(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.find(name, labels).map(|sample| sample.value).sum()
    }

    /// As [`total`](Self::total), as an integer.
    pub(super) fn count(&self, name: &str, labels: &[(&str, &str)]) -> u64 {
        // A float represents exactly every integer that our counters reach.
        self.total(name, labels).max(0.0) as u64
    }

    /// Values of a label of `name`, ascending.
    pub(super) fn values(&self, name: &str, label: &str) -> BTreeSet<&'t str> {
        self.find(name, &[])
            .filter_map(|sample| value_of(sample.labels, label))
            .collect()
    }

    /// A histogram of durations: its bounds, the count in each bucket, total count and sum. `bounds` are
    /// used for a histogram without samples.
    pub(super) fn durations(&self, name: &str, labels: &[(&str, &str)], bounds: &[f64]) -> Value {
        let mut counts = Vec::with_capacity(bounds.len() + 1);
        let mut below = 0;
        for bound in bounds {
            let text = bound.to_string();
            let mut wanted = labels.to_vec();
            wanted.push(("le", &text));
            // Buckets are cumulative, and may be read at slightly different times.
            let up_to = self.count(&format!("{name}_bucket"), &wanted).max(below);
            counts.push(up_to - below);
            below = up_to;
        }
        let count = self.count(&format!("{name}_count"), labels).max(below);
        counts.push(count - below);
        json!({
            "bounds": bounds,
            "counts": counts,
            "count": count,
            "sum": self.total(&format!("{name}_sum"), labels).max(0.0),
        })
    }

    fn find(&self, name: &str, labels: &[(&str, &str)]) -> impl Iterator<Item = &Sample<'t>> {
        self.0.iter().filter(move |sample| {
            sample.name == name
                && labels
                    .iter()
                    .all(|(label, value)| value_of(sample.labels, label) == Some(*value))
        })
    }
}

/// `name{label="value",...} number`, where the labels may be missing.
fn read_line(line: &str) -> Option<Sample<'_>> {
    let (head, value) = line.rsplit_once(' ')?;
    let (name, labels) = match head.split_once('{') {
        Some((name, labels)) => (name, labels.strip_suffix('}')?),
        None => (head, ""),
    };
    Some(Sample {
        name,
        labels,
        value: value.parse().ok()?,
    })
}

fn value_of<'t>(labels: &'t str, wanted: &str) -> Option<&'t str> {
    labels.split("\",").find_map(|pair| {
        let (label, value) = pair.split_once("=\"")?;
        (label == wanted).then(|| value.strip_suffix('"').unwrap_or(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# TYPE requests counter
requests{component=\"users\",status=\"2xx\"} 3
requests{component=\"users\",status=\"4xx\"} 1
requests{component=\"\",status=\"4xx\"} 2
queues 7
took_seconds_bucket{component=\"users\",le=\"0.5\"} 2
took_seconds_bucket{component=\"users\",le=\"1\"} 5
took_seconds_bucket{component=\"users\",le=\"+Inf\"} 6
took_seconds_sum{component=\"users\"} 4.5
took_seconds_count{component=\"users\"} 6
";

    #[test]
    fn samples_are_found_by_name_and_labels() {
        let samples = Samples::read(TEXT);
        assert_eq!(samples.count("requests", &[]), 6);
        assert_eq!(samples.count("requests", &[("component", "users")]), 4);
        let exact = [("status", "4xx"), ("component", "")];
        assert_eq!(samples.count("requests", &exact), 2);
        assert_eq!(samples.count("queues", &[]), 7);
        assert_eq!(samples.count("missing", &[]), 0);
        let components: Vec<&str> = samples
            .values("requests", "component")
            .into_iter()
            .collect();
        assert_eq!(components, ["", "users"]);
    }

    #[test]
    fn buckets_are_told_apart() {
        let samples = Samples::read(TEXT);
        let labels = [("component", "users")];
        let found = samples.durations("took_seconds", &labels, &[0.5, 1.0]);
        assert_eq!(found["counts"], json!([2, 3, 1]));
        assert_eq!((&found["count"], &found["sum"]), (&json!(6), &json!(4.5)));
        let none = samples.durations("other_seconds", &[], &[0.5, 1.0]);
        assert_eq!(none["counts"], json!([0, 0, 0]));
    }
}
