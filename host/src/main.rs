//! The `spindle` binary: everything is in the library, so that tests can call it.

use std::process::ExitCode;

/// Thousands of small, long-lived allocations (held polls) beside many short ones are what
/// the system's allocator is worst at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    spindle_host::cli::main()
}
