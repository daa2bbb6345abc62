//! A connection of the driver on a runtime of its own: its calls block, and each has a limit of time.
//!
//! A server may be silent although its machine answers, as behind a pooler that has lost it. Without a limit the
//! threads of the host would wait for such a server forever.

use std::cell::Cell;
use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Error, Socket};

use super::{not_connected, refusal};
use crate::DbError;

/// Longest time for a server to be reached, where the URL does not say.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// Longest time until a connection is made, all servers of the URL and their answers included.
const OPEN_LIMIT: Duration = Duration::from_secs(20);
/// Longest wait for the end of a connection.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

/// A connection that is open, or lost.
pub(super) struct Link {
    /// Always there until this is dropped.
    client: Option<Client>,
    messages: JoinHandle<()>,
    runtime: Runtime,
    limit: Cell<Option<Duration>>,
    /// An answer was not awaited: what comes next on this connection belongs to that call.
    is_given_up: Cell<bool>,
}

impl Link {
    pub(super) fn open<T>(mut config: Config, tls: T) -> Result<Self, DbError>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_LIMIT);
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| not_connected(&error.to_string()))?;
        let connected = runtime.block_on(async { timeout(OPEN_LIMIT, config.connect(tls)).await });
        let connected = connected.map_err(|_| not_connected("the server does not answer"))?;
        let (client, connection) = connected.map_err(|error| refusal::not_made(&error))?;
        // Its end is seen by the next call.
        let messages = runtime.spawn(async { drop(connection.await) });
        Ok(Self {
            client: Some(client),
            messages,
            runtime,
            limit: Cell::new(None),
            is_given_up: Cell::new(false),
        })
    }

    /// Bounds each call from now on.
    pub(super) fn limit(&self, limit: Duration) {
        self.limit.set(Some(limit));
    }

    /// Waits for a call of the driver.
    pub(super) fn wait<'l, T, F>(
        &'l self,
        call: impl FnOnce(&'l Client) -> F,
    ) -> Result<Result<T, Error>, DbError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let Some(client) = self.client.as_ref().filter(|_| !self.is_given_up.get()) else {
            return Err(not_connected("a call was given up"));
        };
        let call = call(client);
        let Some(limit) = self.limit.get() else {
            return Ok(self.runtime.block_on(call));
        };
        let waited = self.runtime.block_on(async { timeout(limit, call).await });
        waited.map_err(|_| {
            self.is_given_up.set(true);
            not_connected(&format!("no answer within {limit:?}"))
        })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Ends the session in the server, unless it does not answer in any case.
        drop(self.client.take());
        if !self.is_given_up.get() {
            let messages = &mut self.messages;
            let ended = self
                .runtime
                .block_on(async { timeout(CLOSE_LIMIT, messages).await });
            drop(ended);
        }
    }
}
