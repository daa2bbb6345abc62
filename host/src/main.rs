//! The `spindle` binary: everything is in the library, so that tests can call it.

use std::process::ExitCode;

/// The system's allocator handles thousands of small, long-lived allocations (held polls) beside many
/// short-lived ones badly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    spindle_host::cli::main()
}
