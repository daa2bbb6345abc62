//! What an operator's machines ask: is it alive, is it ready, how is it doing.
//!
//! Owns a small HTTP server on an address of its own, apart from the clients', so that a
//! flood of requests never hides the state of the server, and so that the figures can stay
//! private. It must not serve anything that changes state.

mod describe;
mod figures;
mod health;
mod process;
mod recorder;
mod samples;
mod server;

pub use figures::{Figures, Scope};
pub use health::{Health, State};
pub use recorder::{Recorder, install};
pub use server::{OpsServer, start};
