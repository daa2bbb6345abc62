//! The native host as a library: everything the `spindle` binary is made of.
//!
//! `manifest` reads `spin.toml`, `runtime` compiles and pools the components, `capabilities` implements
//! their imports, `front` is the HTTP server in front of them, `memory` owns the memory budget. The
//! binary only parses flags; tests use the library directly.

pub mod address;
pub mod admin;
pub mod admission;
pub mod backup;
pub(crate) mod bindings;
pub mod blobs;
mod blocking;
pub mod body;
pub(crate) mod build_paths;
pub mod capabilities;
pub mod claim;
pub mod cli;
pub mod clock;
mod concurrency;
pub mod config;
pub mod data_dir;
pub mod database;
pub mod disk_space;
pub mod doctor;
pub mod embedded;
pub mod events;
pub mod export;
pub mod front;
pub mod handoff;
mod heap;
pub mod import;
pub mod jobs;
#[cfg(test)]
mod limits;
mod log_pace;
mod low_priority;
pub mod manifest;
pub mod memory;
pub mod ops;
pub mod ownership;
pub mod progress;
pub mod runtime;
pub mod secret;
pub mod serve;
pub mod services;
pub mod setup;
pub mod traces;
pub mod transfer;
pub mod wasi_clock;
