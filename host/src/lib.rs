//! The `spindle` program as a library, so that tests can call it.
//!
//! `serve` puts a server together from the crates of `host/`, `handoff` answers held polls and blobs for the
//! front and for Spin, and `cli`, `setup`, `admin`, `backup` and `doctor` are the operator's commands.

pub mod admin;
pub mod backup;
pub(crate) mod build_paths;
pub mod cli;
pub mod doctor;
pub mod handoff;
#[cfg(test)]
mod limits;
pub mod serve;
pub mod setup;
