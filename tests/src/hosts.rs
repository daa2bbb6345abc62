//! Which tests have really run on the requested Spin: some need features of the native host, its
//! clock for example.
//!
//! Owns the notes for `cargo xtask test`, which counts them; without that runner nothing is noted.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::spin;

/// Notes that the test of this thread uses a server, once for each kind of host.
pub(crate) fn note(is_spin: bool) {
    static NOTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let Some(path) = std::env::var_os("SPINDLE_HOSTS").filter(|_| spin::program().is_some()) else {
        return;
    };
    // Threads that a test starts have no name.
    let thread = std::thread::current();
    let Some(test) = thread.name().filter(|name| *name != "main") else {
        return;
    };
    let host = if is_spin { "spin" } else { "native" };
    let line = format!("{host} {}::{test}", program());
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    if !noted.insert(line.clone()) {
        return;
    }
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .expect("the file of SPINDLE_HOSTS");
    writeln!(file, "{line}").expect("the file of SPINDLE_HOSTS");
}

/// The name of this test program, which cargo follows by a hyphen and a hash.
fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = name.rfind('-').unwrap_or(name.len());
    name.get(..end).unwrap_or_default().to_owned()
}
