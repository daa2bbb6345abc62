//! The findings of checks, and their presentation.

use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// It works, but perhaps not for long or not for all clients.
    Warning,
    /// It does not work, or it is not secure.
    Error,
}

/// One finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: &'static str,
    /// The severity.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// All findings.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// In the order of the checks.
    pub findings: Vec<Finding>,
}

impl Finding {
    /// A finding without a problem.
    pub fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            level: Level::Ok,
            found: found.into(),
            advice: None,
        }
    }

    /// A finding that deserves attention.
    pub fn warning(
        check: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Warning,
            advice: Some(advice.into()),
            ..Self::ok(check, found)
        }
    }

    /// A finding that must be fixed.
    pub fn error(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            ..Self::warning(check, found, advice)
        }
    }
}

impl Report {
    /// A report of these findings.
    #[must_use]
    pub fn new(findings: Vec<Finding>) -> Self {
        let count = |level| findings.iter().filter(|found| found.level == level).count();
        Self {
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            findings,
        }
    }

    /// The report as text: a line for each finding, and a line with the advice below it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let level = match finding.level {
                Level::Ok => "ok",
                Level::Warning => "warning",
                Level::Error => "error",
            };
            text.push_str(&format!("{level:<8} {:<14} ", finding.check));
            // An error in a configuration file spans several lines.
            let mut lines = finding.found.trim_end().lines();
            text.push_str(lines.next().unwrap_or_default());
            text.push('\n');
            for line in lines {
                text.push_str(&format!("{:24}{line}\n", ""));
            }
            if let Some(advice) = &finding.advice {
                text.push_str(&format!("{:23} -> {advice}\n", ""));
            }
        }
        text.push_str(&match (self.errors, self.warnings) {
            (0, 0) => "everything is in order".to_owned(),
            (errors, warnings) => format!("errors: {errors}, warnings: {warnings}"),
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_counted_and_shown_with_advice() {
        let report = Report::new(vec![
            Finding::ok("clock", "right"),
            Finding::warning("backups", "none", "make one"),
            Finding::error("disk", "full\nof logs\n", "make room"),
        ]);
        assert_eq!((report.errors, report.warnings), (1, 1));
        let text = report.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[4].trim_start(), "of logs");
        assert_eq!(lines[0], "ok       clock          right");
        assert!(lines[2].ends_with("-> make one"), "{text}");
        assert_eq!(lines[6], "errors: 1, warnings: 1");
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["findings"][2]["level"], "error");
        assert_eq!(json["findings"][0].get("advice"), None);
    }
}
