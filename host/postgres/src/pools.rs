//! The pools of connections, one for each address.
//!
//! A pool is bounded, and so is the time of waiting for one of its connections. A connection that
//! the server has closed, for example by a restart, is noticed when it is taken, and replaced.

use super::address::Address;
use super::connection::{PgConnection, PgLimits};
use super::error::{cause, plain};
use super::statistics::{Failure, Statistics, Usage};
use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod,
    Runtime, TimeoutType, Timeouts,
};
use spindle_bindings::spin::postgres::postgres::Error;
use spindle_database::tls_connector;
use spindle_store::NOTICES_LOST_CLIENTS;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The settings of each new connection. A transaction whose guest is stalled for longer than a request may take ends.
fn settings() -> String {
    format!("{NOTICES_LOST_CLIENTS}; SET idle_in_transaction_session_timeout = '60s'")
}

/// Connections of all components.
#[derive(Default)]
pub struct Pools {
    limits: PgLimits,
    /// Certificates (PEM) for all addresses; `None` means the ones that browsers trust.
    root: Option<String>,
    pools: Mutex<HashMap<Address, Opened>>,
}

#[derive(Clone)]
struct Opened {
    pool: Pool,
    tls: MakeRustlsConnect,
    statistics: Arc<Statistics>,
}

impl Pools {
    /// No connection is made yet.
    pub fn new(limits: PgLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Trusts these certificates (PEM) instead of the ones that browsers trust.
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
    pub async fn take(&self, address: Address) -> Result<PgConnection, Error> {
        let opened = self.pool(address)?;
        let began = Instant::now();
        let client = opened.pool.get().await.map_err(|error| {
            let (failure, reason) = self.explain(&error);
            opened.statistics.failed(failure);
            Error::ConnectionFailed(reason)
        })?;
        opened.statistics.waited(began.elapsed().as_secs_f64());
        let Opened {
            tls, statistics, ..
        } = opened;
        Ok(PgConnection::new(client, tls, self.limits, statistics))
    }

    fn explain(&self, error: &PoolError) -> (Failure, String) {
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                (Failure::Unreachable, cause(error))
            }
            PoolError::Timeout(TimeoutType::Wait) => {
                let limit = self.limits.wait;
                let reason = format!("no connection became free within {limit:?}");
                (Failure::Busy, reason)
            }
            PoolError::Timeout(_) => {
                let limit = self.limits.wait;
                let reason = format!("the server made no connection within {limit:?}");
                (Failure::Unreachable, reason)
            }
            error => (Failure::Unreachable, error.to_string()),
        }
    }

    /// The connections of all pools at the moment.
    pub fn usage(&self) -> Usage {
        let mut all = Usage::default();
        for opened in self.pools().values() {
            let status = opened.pool.status();
            all.used += status.size.saturating_sub(status.available);
            all.idle += status.available;
            all.limit += status.max_size;
            all.waiting += status.waiting;
        }
        all
    }

    fn pools(&self) -> MutexGuard<'_, HashMap<Address, Opened>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool(&self, address: Address) -> Result<Opened, Error> {
        let mut pools = self.pools();
        if let Some(opened) = pools.get(&address) {
            return Ok(opened.clone());
        }
        if pools.len() >= self.limits.addresses {
            return Err(plain("too many addresses of databases"));
        }
        let tls = tls_connector(address.root.as_deref()).map_err(Error::ConnectionFailed)?;
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(address.config()?, tls.clone(), config);
        let wait = Some(self.limits.wait);
        let prepare = Hook::async_fn(|client: &mut ClientWrapper, _| {
            Box::pin(async move {
                let set = client.batch_execute(&settings()).await;
                set.map_err(HookError::Backend)
            })
        });
        let pool = Pool::builder(manager)
            .post_create(prepare)
            .max_size(self.limits.connections)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait,
                create: wait,
                recycle: wait,
            })
            .build()
            .map_err(|error| plain(&error.to_string()))?;
        let opened = Opened {
            pool,
            tls,
            statistics: Arc::new(Statistics::register()),
        };
        pools.insert(address, opened.clone());
        Ok(opened)
    }
}
