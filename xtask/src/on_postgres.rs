//! Which black-box tests are repeated with the database on PostgreSQL: all of them in long runs, else those that a hash
//! of their names chooses.
//!
//! Owns the list of tests that need SQLite, with the reasons. Must not run a test.

use std::process::Command;

use crate::programs::Program;
use crate::suites::Length;

/// Behind the name of a program whose tests are repeated.
pub(crate) const SUFFIX: &str = "_on_postgres";

/// One of so many tests is repeated in a short run.
const PART: u64 = 12;

/// Tests that do not run on PostgreSQL: the beginning of their names, and why.
const NEEDS_SQLITE: &[(&str, &str)] = &[];

/// The arguments of libtest that choose the tests of a program; none when there is no such test.
pub(crate) fn arguments(program: &Program, length: Length) -> Option<Vec<String>> {
    let listed = Command::new(&program.executable)
        .args(["--list", "--format", "terse"])
        .current_dir(&program.folder)
        .output()
        .ok()?;
    let list = String::from_utf8_lossy(&listed.stdout).into_owned();
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    let tests: Vec<String> = tests
        .filter(|test| is_chosen(test, length))
        .map(str::to_owned)
        .collect();
    (!tests.is_empty()).then(|| [vec!["--exact".to_owned()], tests].concat())
}

fn is_chosen(test: &str, length: Length) -> bool {
    let needs_sqlite = NEEDS_SQLITE
        .iter()
        .any(|(beginning, _)| test.starts_with(beginning));
    !needs_sqlite && (length == Length::Long || hash(test).is_multiple_of(PART))
}

/// FNV-1a: the same in each build, so that a test does not come and go.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_repeat_a_part_and_long_ones_all_that_can_be() {
        let names: Vec<String> = (0..1200)
            .map(|number| format!("group::test_{number}"))
            .collect();
        let chosen = |length| {
            let chosen = names.iter().filter(|name| is_chosen(name, length));
            chosen.count()
        };
        assert_eq!(chosen(Length::Long), names.len());
        let expected = names.len() / usize::try_from(PART).unwrap();
        assert!((expected / 2..expected * 2).contains(&chosen(Length::Short)));
    }
}
