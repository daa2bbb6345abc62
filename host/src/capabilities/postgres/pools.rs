//! The pools of connections, one for each address.
//!
//! A pool is bounded, and so is the time of waiting for one of its connections. A connection that
//! the server has closed, for example by a restart, is noticed when it is taken, and replaced.

use super::address::Address;
use super::connection::PgConnection;
use super::error::{cause, plain};
use super::tls;
use crate::runtime::bindings::spin::postgres::postgres::Error;
use deadpool_postgres::{
    Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime, Timeouts,
};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Bounds of the work with PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct PgLimits {
    /// Most connections to one address.
    pub connections: usize,
    /// Most addresses. A component names few, and each keeps its connections.
    pub addresses: usize,
    /// Longest wait for a connection, and for one to be made.
    pub wait: Duration,
    /// Longest time of one statement.
    pub statement: Duration,
    /// Most bytes of one result.
    pub result_bytes: usize,
}

impl Default for PgLimits {
    fn default() -> Self {
        Self {
            connections: 64,
            addresses: 16,
            wait: Duration::from_secs(5),
            statement: Duration::from_secs(25),
            // A larger result does not fit into an instance.
            result_bytes: 48 << 20,
        }
    }
}

/// Connections of all components.
#[derive(Default)]
pub struct Pools {
    limits: PgLimits,
    /// Certificates (PEM) for all addresses; `None`: those that browsers trust.
    root: Option<String>,
    pools: Mutex<HashMap<Address, Opened>>,
}

#[derive(Clone)]
struct Opened {
    pool: Pool,
    tls: MakeRustlsConnect,
}

impl Pools {
    /// No connection is made yet.
    pub fn new(limits: PgLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Trusts these certificates (PEM), instead of those that browsers trust.
    #[must_use]
    pub fn trusting(root: Option<String>) -> Self {
        Self {
            root,
            ..Self::default()
        }
    }

    pub(super) fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Takes a connection, or makes one; waits when all are in use.
    ///
    /// # Errors
    /// `ConnectionFailed`.
    pub async fn take(&self, address: Address) -> Result<PgConnection, Error> {
        let Opened { pool, tls } = self.pool(address)?;
        let client = pool.get().await.map_err(|error| {
            Error::ConnectionFailed(match error {
                PoolError::Backend(error) => cause(&error),
                PoolError::Timeout(_) => {
                    format!("no connection became free within {:?}", self.limits.wait)
                }
                error => error.to_string(),
            })
        })?;
        Ok(PgConnection::new(client, tls, self.limits))
    }

    fn pool(&self, address: Address) -> Result<Opened, Error> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = pools.get(&address) {
            return Ok(opened.clone());
        }
        if pools.len() >= self.limits.addresses {
            return Err(plain("too many addresses of databases"));
        }
        let tls = tls::connector(address.root.as_deref())?;
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(address.config()?, tls.clone(), config);
        let wait = Some(self.limits.wait);
        let pool = Pool::builder(manager)
            .max_size(self.limits.connections)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait,
                create: wait,
                recycle: wait,
            })
            .build()
            .map_err(|error| plain(&error.to_string()))?;
        let opened = Opened { pool, tls };
        pools.insert(address, opened.clone());
        Ok(opened)
    }
}
