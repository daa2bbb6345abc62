//! Compiling, pooling and running components.
//!
//! `engine` configures wasmtime, `precompiled` caches machine code on disk, `code` is a linked component, `component`
//! the data that its instances share, `state` the data of one instance, `growth` limits its memory, `pool` passes
//! requests to instances. `direct` calls an instance for a request, with `idle` and `detach_on_drop`; for components
//! that can only be called through WASI HTTP, `workers` makes the instances, `collect` collects the answers and
//! `expiration` ends instances. `rows_held` counts the rows that statements return to them.

mod code;
mod collect;
mod component;
mod detach_on_drop;
mod direct;
mod engine;
mod expiration;
mod growth;
mod idle;
mod imports;
pub mod key_value;
mod limits;
mod log;
pub mod outbound_http;
mod pool;
mod precompiled;
mod rows_held;
mod state;
mod wasi_clock;
mod workers;

pub use component::ComponentContext;
pub use engine::{EPOCH, EngineLimits, HostEngine, Tier};
pub use growth::RETIRED_ABOVE;
pub use limits::PoolLimits;
pub use log::RequestId;
pub use pool::{Pool, PoolError};
pub use precompiled::{CodeCache, Fingerprint};
pub use state::GuestState;
