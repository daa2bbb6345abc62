//! `spin:postgres@4.2.0`: PostgreSQL for components, limited to the hosts that the manifest allows.
//!
//! Owns pools of connections, one for each address and shared by all components; the statements of a
//! connection; the translation of values and errors, as Spin translates them. A connection returns to
//! its pool only when its guest has left nothing behind on it. Knows nothing about Spindle's tables.
#![expect(
    clippy::result_large_err,
    reason = "the interface of Spin declares the error"
)]

mod address;
mod connection;
mod effect;
mod error;
mod parameters;
mod pools;
mod rows;
mod statistics;
#[cfg(test)]
mod tests;

pub use address::Address;
pub use connection::{PgConnection, PgLimits};
pub use pools::Pools;
pub use statistics::Statistics;
pub use statistics::Usage;

use spindle_bindings::spin::postgres::postgres::Error;
use spindle_manifest::AllowedHosts;
use std::sync::Arc;

/// PostgreSQL as one component may use it.
#[derive(Clone)]
pub struct Postgres {
    allowed: Arc<AllowedHosts>,
    pools: Arc<Pools>,
}

impl Postgres {
    /// For a component that may reach `allowed`.
    pub fn new(allowed: Arc<AllowedHosts>, pools: Arc<Pools>) -> Self {
        Self { allowed, pools }
    }

    /// Takes a connection to `address`, a URL or a list of `name=value`. `root` are certificates (PEM)
    /// that are trusted instead of those of the pools.
    ///
    /// # Errors
    /// `ConnectionFailed`: the address is not allowed or not readable, the server refuses, or all
    /// connections stay in use.
    pub async fn open(&self, address: &str, root: Option<&str>) -> Result<PgConnection, Error> {
        let address = Address::parse(address, root.or(self.pools.root()))?;
        address.require_allowed(&self.allowed)?;
        self.pools.take(address).await
    }
}
