//! The table of everything that a client can make the server keep or do, and what bounds it.
//!
//! `docs/LIMITS.md` is written from it, and a test compares the two. Rows of the OpenAPI document's
//! `quota` are found here by their names. A row takes its limit from the constant that the code uses, where
//! that is in this crate.

mod apps;
mod growth;
mod lengths;
mod server;

pub use apps::APPS;
pub use growth::GROWTH;
pub use lengths::LENGTHS;
pub use server::SERVER;

use super::quotas::{Beyond, Quota};
use crate::numbers::grouped;

/// How the limit of a row is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// How many there may be for each owner.
    Number(Quota),
    /// So many of a unit.
    At(i64, &'static str),
    /// By something else, which the reason says.
    Otherwise,
}

/// One quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// As operations of the OpenAPI document name it.
    pub name: &'static str,
    /// Its limit.
    pub bound: Bound,
    /// Why that one; what the reference server allows, where that is known.
    pub reason: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
    /// Where it is tested.
    pub test: &'static str,
}

const REFUSED: &str = "400 BAD_REQUEST";
const QUOTAS: &str = "conformance::bounds::quotas";
const PARAMETERS: &str = "conformance::bounds::parameters";

const fn quota(name: &'static str, quota: Quota, reason: &'static str) -> Row {
    Row {
        name,
        bound: Bound::Number(quota),
        reason,
        beyond: match quota.beyond() {
            Beyond::Refused => REFUSED,
            Beyond::OldestGoes => "the oldest goes",
        },
        test: QUOTAS,
    }
}

const fn at(name: &'static str, limit: i64, unit: &'static str, reason: &'static str) -> Row {
    Row {
        name,
        bound: Bound::At(limit, unit),
        reason,
        beyond: REFUSED,
        test: PARAMETERS,
    }
}

const fn otherwise(name: &'static str, reason: &'static str, test: &'static str) -> Row {
    Row {
        name,
        bound: Bound::Otherwise,
        reason,
        beyond: "",
        test,
    }
}

impl Row {
    /// The same row with another answer and another test.
    const fn answers(mut self, beyond: &'static str, test: &'static str) -> Self {
        self.beyond = beyond;
        self.test = test;
        self
    }
}

/// The document of all limits.
#[must_use]
pub fn document() -> String {
    let mut text = String::from(HEAD);
    text.push_str(GROWTH_HEAD);
    for row in GROWTH {
        text.push_str(&line(row));
    }
    text.push_str(LENGTHS_HEAD);
    for row in LENGTHS {
        text.push_str(&line(row));
    }
    text.push_str(APPS_HEAD);
    for row in APPS {
        text.push_str(&line(row));
    }
    text.push_str(SERVER_HEAD);
    for row in SERVER {
        text.push_str(&line(row));
    }
    text
}

fn line(row: &Row) -> String {
    let limit = match row.bound {
        Bound::Number(quota) => format!(
            "{} {} for each {}",
            grouped(quota.limit().unsigned_abs()),
            quota.what(),
            quota.owner().name()
        ),
        Bound::At(limit, unit) => format!("{} {unit}", grouped(limit.unsigned_abs())),
        Bound::Otherwise => "no number".to_owned(),
    };
    let Row {
        name,
        reason,
        beyond,
        test,
        ..
    } = row;
    format!("| {name} | {limit} | {reason} | {beyond} | `{test}` |\n")
}

const HEAD: &str = "\
# Limits

Everything that a client can make the server keep or do, and what bounds it. This file is written from
`crates/domain/src/limits/table.rs` (`SPINDLE_WRITE=1 cargo xtask test limits_document`), and a test compares the two.

A limit refuses growth only. What is above it, because it was imported or is older than the limit, stays, and can be used, changed
and deleted. An import leaves out linkifiers and alert words beyond their limits, since every message is searched for them, likewise apps,
their values and ticks, and cuts texts that are longer than their limits.

A limit for an account applies to a person, and separately to all bots of that person together.
";

const GROWTH_HEAD: &str = "
## What can grow

Each operation of the OpenAPI document that makes something names its rows here (`x-quota`); a test refuses one that does not.

| what | limit | why | beyond it | test |
|---|---|---|---|---|
";

const LENGTHS_HEAD: &str = "
## What one value or one request may be

Each parameter of the OpenAPI document that is a text or a list has a maximum; a test sends one more to each.

| what | limit | why | beyond it | test |
|---|---|---|---|---|
";

const APPS_HEAD: &str = "
## What an app may keep and do

Apps are explained in [APPS.md](APPS.md).

| what | limit | why | beyond it | test |
|---|---|---|---|---|
";

const SERVER_HEAD: &str = "
## What the server holds and does at once

Limits of the native host, at their defaults; a test of the host compares the numbers. Names in brackets are options
([OPERATIONS.md](OPERATIONS.md)).

| what | limit | why | beyond it | test |
|---|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_quota_has_a_row_and_names_are_unique() {
        for quota in Quota::ALL {
            let rows = GROWTH
                .iter()
                .filter(|row| row.bound == Bound::Number(*quota));
            assert_eq!(rows.count(), 1, "{quota:?}");
        }
        let all = GROWTH.iter().chain(LENGTHS).chain(APPS).chain(SERVER);
        let names: BTreeSet<&str> = all.clone().map(|row| row.name).collect();
        assert_eq!(names.len(), all.count());
    }
}
