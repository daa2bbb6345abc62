//! The host's own tests from outside: one program, because each of them links all of wasmtime.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

mod alone;
mod cli;
mod common;
// Elsewhere a start waits for the optimizing compiler.
#[cfg(target_arch = "x86_64")]
mod first_start;
mod front;
mod group_commit;
mod guest_sqlite;
mod isolation;
mod memory;
mod places;
mod priorities;
mod raw_bytes;
mod routes;
mod slow_reads;
