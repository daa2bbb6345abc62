//! Health checks and metrics for the operator's systems.
//!
//! Owns a small HTTP server on an address of its own, separate from the clients', so that an overload does not hide the
//! server's state and the metrics can stay private. It serves nothing that changes state.

mod describe;
mod figures;
mod health;
mod process;
mod recorder;
mod samples;
mod server;

pub use figures::{Figures, Scope};
pub use health::{Health, ServerState};
pub use recorder::{Recorder, install};
pub use server::{OpsServer, start};
