//! The `spindle` binary: everything is in the library, so that tests can call it.

use std::process::ExitCode;

fn main() -> ExitCode {
    spindle_host::cli::main()
}
