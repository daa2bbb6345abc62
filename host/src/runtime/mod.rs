//! Compiling, pooling and running components.
//!
//! `engine` configures wasmtime, `precompiled` caches machine code on disk, `code` is a linked
//! component, `state` the data of an instance, `growth` limits its memory, `pool` passes requests to
//! instances.

pub mod bindings;
mod code;
mod engine;
mod expiration;
mod growth;
mod limits;
mod log;
mod pool;
mod precompiled;
mod state;

pub use engine::{EPOCH, EngineLimits, HostEngine, Tier};
#[cfg(test)]
pub(crate) use growth::RETIRED_ABOVE;
pub use limits::PoolLimits;
pub use log::RequestId;
pub use pool::{Pool, PoolError};
pub use precompiled::{CodeCache, Fingerprint};
pub use state::{ComponentContext, GuestState};
