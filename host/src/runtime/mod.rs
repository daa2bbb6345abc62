//! Compiling, pooling and running components.
//!
//! `engine` configures wasmtime, `precompiled` caches machine code on disk, `code` is a linked
//! component, `state` the data of an instance, `growth` limits its memory, `pool` passes requests to
//! instances, `memory_admission` delays them until there is memory, `collect` collects their answers, `rows` counts the
//! rows that statements return to them.

pub mod bindings;
mod code;
mod collect;
mod engine;
mod expiration;
mod growth;
mod limits;
mod log;
mod memory_admission;
mod pool;
mod precompiled;
mod rows;
mod state;

pub use engine::{EPOCH, EngineLimits, HostEngine, Tier};
#[cfg(test)]
pub(crate) use growth::RETIRED_ABOVE;
pub use limits::PoolLimits;
pub use log::RequestId;
pub use memory_admission::Expected;
pub use pool::{Pool, PoolError};
pub use precompiled::{CodeCache, Fingerprint};
pub use state::{ComponentContext, GuestState};
