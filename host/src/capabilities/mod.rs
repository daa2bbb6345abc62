//! The interfaces that components import, implemented by the host.
//!
//! One module for each interface. Each checks the manifest's grants before every call; none knows
//! about client connections or instance pools.

pub mod key_value;
pub mod outbound_http;
pub mod postgres;
pub mod sqlite;
mod variables;
