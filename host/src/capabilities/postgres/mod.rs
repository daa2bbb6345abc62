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
mod guest;
mod parameters;
mod pools;
mod rows;
mod statistics;
#[cfg(test)]
mod tests;
mod tls;

pub use address::Address;
pub use connection::PgConnection;
pub use guest::{GuestBuilder, GuestConnection};
pub use pools::{PgLimits, Pools};
pub use statistics::Usage;
pub(crate) use statistics::{Statistics, conflicts_of};

use crate::capabilities::outbound_http::AllowedHosts;
use crate::runtime::bindings::spin::postgres::postgres::Error;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The connector for native connections: that of components.
///
/// # Errors
/// A certificate in `root` (PEM) cannot be read.
pub(crate) fn tls_connector(root: Option<&str>) -> Result<MakeRustlsConnect, String> {
    tls::connector(root).map_err(|error| match error {
        Error::ConnectionFailed(reason) => reason,
        other => other.to_string(),
    })
}

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
