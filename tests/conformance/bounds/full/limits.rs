//! The quotas of docs/LIMITS.md.

use std::collections::BTreeMap;

const DOCUMENT: &str = include_str!("../../../../docs/LIMITS.md");

/// Rows of "What can grow" that have a number, scaled.
pub(super) struct Limits(BTreeMap<&'static str, i64>);

impl Limits {
    pub(super) fn read(percent: i64) -> Self {
        let (_, rest) = DOCUMENT.split_once("## What can grow").expect("a heading");
        let (table, _) = rest.split_once("\n## ").expect("the next heading");
        let rows = table.lines().filter(|line| line.starts_with("| "));
        let rows = rows.skip(1).filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (name, limit) = (cells.next()?, cells.next()?);
            let digits = limit.split(' ').next()?.replace(',', "");
            let number: i64 = digits.parse().ok()?;
            // Small quotas are not scaled.
            let scaled = if number > 1000 {
                number * percent / 100
            } else {
                number
            };
            Some((name, scaled))
        });
        let limits = Self(rows.collect());
        assert!(limits.0.len() > 30, "the table was not understood");
        limits
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    #[track_caller]
    pub(super) fn of(&self, row: &str) -> i64 {
        let limit = self.0.get(row).copied();
        limit.unwrap_or_else(|| panic!("docs/LIMITS.md has no row {row}"))
    }

    /// Bytes of each of `count` objects that use up a quota, with some left for one more; `most` where there is no
    /// such quota.
    pub(super) fn each(&self, row: &str, count: i64, most: i64) -> i64 {
        self.0
            .get(row)
            .map_or(most, |limit| (limit - 3000) / count.max(1))
            .min(most)
    }
}
