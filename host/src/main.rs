//! The `spindle` binary: everything is in the library, so that tests can call it.

use std::process::ExitCode;

/// The system's allocator copes badly with thousands of small, long-lived allocations (held polls) among many
/// short-lived ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    spindle_host::cli::main()
}
