//! An event queue, and the connection over which it is polled.
//!
//! Owns where the queue is: its id and the last event that was read. The poll may move to another server of the
//! same organization.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::held::Held;
use crate::http::{Connection, Prepared};
use crate::servers::Account;

pub struct Waiter {
    connection: Connection,
    account: Account,
    queue_id: String,
    last_event_id: i64,
}

impl Waiter {
    /// Registers a queue of statuses at the server at `address`.
    pub async fn registered(address: &str, account: &Account) -> Result<Self> {
        Self::registered_for(r#"["user_status"]"#, address, account).await
    }

    /// As [`Self::registered`], for events of `types`, a JSON list.
    pub async fn registered_for(types: &str, address: &str, account: &Account) -> Result<Self> {
        let mut connection = Connection::open(address).await?;
        let form = [
            ("event_types", types),
            ("fetch_event_types", "[]"),
            ("idle_queue_timeout", "604800"),
        ];
        let request = Prepared::new("POST", "/api/v1/register", account.credentials(), &form);
        let answer = connection.send(&request).await?.json()?;
        let queue_id = answer["queue_id"].as_str().context("no queue_id")?;
        let last_event_id = answer["last_event_id"].as_i64();
        Ok(Self {
            connection,
            account: account.clone(),
            queue_id: queue_id.to_owned(),
            last_event_id: last_event_id.context("no last_event_id")?,
        })
    }

    /// Polls the server at `address` from now on.
    pub async fn move_to(&mut self, address: &str) -> Result<()> {
        self.connection = Connection::open(address).await?;
        Ok(())
    }

    /// Reads the answer of the poll, which must have an event.
    pub async fn events(&mut self) -> Result<Vec<Value>> {
        let mut answer = self.connection.finish().await?.json()?;
        let Value::Array(events) = answer["events"].take() else {
            bail!("no events");
        };
        self.last_event_id = events
            .last()
            .and_then(|event| event["id"].as_i64())
            .context("an empty answer of a held poll")?;
        Ok(events)
    }

    /// Ends the queue; no poll may be held.
    pub async fn end(&mut self) -> Result<()> {
        let form = [("queue_id", self.queue_id.as_str())];
        let credentials = self.account.credentials();
        let request = Prepared::new("DELETE", "/api/v1/events", credentials, &form);
        self.connection.send(&request).await?.json()?;
        Ok(())
    }
}

impl Held for Waiter {
    async fn start(&mut self) -> Result<()> {
        let last_event_id = self.last_event_id.to_string();
        let form = [
            ("queue_id", self.queue_id.as_str()),
            ("last_event_id", &last_event_id),
        ];
        let credentials = self.account.credentials();
        let request = Prepared::new("GET", "/api/v1/events", credentials, &form);
        self.connection.start(&request).await
    }

    async fn finish(&mut self) -> Result<()> {
        self.events().await.map(drop)
    }
}
