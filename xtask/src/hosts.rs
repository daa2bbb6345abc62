//! Counts the tests that have run on the Spin in `SPIN_BIN`, and lists the ones that used the native host nevertheless.
//!
//! Owns the file below `target/` in which the test harness records it, and the summary at the end of a run.
//! Without `SPIN_BIN` it does nothing.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;

use crate::run::{Outcome, absolute, target_directory};
use crate::schedule::Task;

/// Clears the records, and makes the tests of these tasks record their hosts.
pub(crate) fn watch(tasks: &mut [Task]) -> Outcome {
    let path = absolute(&file())?;
    let _ = fs::remove_file(&path);
    if env::var_os("SPIN_BIN").is_none() {
        return Ok(());
    }
    for task in tasks.iter_mut().filter(|task| task.program.is_black_box()) {
        fs::write(&path, "")
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let value = path.to_string_lossy().into_owned();
        task.environment.push(("SPINDLE_HOSTS".to_owned(), value));
    }
    Ok(())
}

/// Prints the summary, if `SPIN_BIN` is set.
pub(crate) fn report() {
    if let Ok(notes) = fs::read_to_string(file()) {
        println!("{}", sentence(&notes));
    }
}

fn file() -> PathBuf {
    target_directory().join("test-hosts.txt")
}

/// The summary. A test that has used both counts for the native host.
fn sentence(notes: &str) -> String {
    let of = |host: &str| -> BTreeSet<&str> {
        notes
            .lines()
            .filter_map(|line| line.strip_prefix(host))
            .collect()
    };
    let (spin, native) = (of("spin "), of("native "));
    let count = spin.difference(&native).count();
    let mut text = format!("{count} tests ran on Spin");
    if !native.is_empty() {
        let names: Vec<&str> = native.iter().copied().collect();
        text += &format!(
            "; {} on the native host, although Spin was asked for: {}",
            native.len(),
            names.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_counted_once() {
        let notes = "spin a::x\nnative a::y\nspin a::z\nspin a::y\nspin a::x\n";
        assert_eq!(
            sentence(notes),
            "2 tests ran on Spin; 1 on the native host, although Spin was asked for: a::y"
        );
        assert_eq!(sentence(""), "0 tests ran on Spin");
    }
}
