//! The data in the store of an instance, and the data shared by all instances of a component.
//!
//! Provides the views that the WASI implementations need; decides no policy.

use super::expiration::KEPT;
use super::growth::Growth;
use super::log::{GuestLog, LogContext, LogStream};
use super::rows::RowsHeld;
use crate::capabilities::key_value::KeyValue;
use crate::capabilities::outbound_http::OutboundHttp;
use crate::capabilities::postgres::Postgres;
use crate::capabilities::sqlite::{Database, OpenWrites, TicketLookup};
use crate::clock::Clock;
use crate::manifest::SqlRights;
use crate::memory::Memory;
use crate::wasi_clock::WasiWallClock;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

/// The data shared by the instances of one component.
pub struct ComponentContext {
    /// Its id in the manifest.
    pub id: Arc<str>,
    /// Labels of databases the manifest lets it open.
    pub allowed_databases: BTreeSet<String>,
    /// Every database of the host by label.
    pub databases: HashMap<String, Database>,
    /// Its rights in them; `None`: unrestricted.
    pub sql_rights: Option<Arc<SqlRights>>,
    /// Labels of key-value stores the manifest lets it open.
    pub allowed_stores: BTreeSet<String>,
    /// The key-value file, if the host has one.
    pub key_value: Option<KeyValue>,
    /// Resolved variables; may hold secrets.
    pub variables: BTreeMap<String, String>,
    /// Environment variables of the guest.
    pub environment: BTreeMap<String, String>,
    /// Its outgoing HTTP, with the allowed hosts.
    pub outbound_http: OutboundHttp,
    /// Its connections to PostgreSQL, with the allowed hosts.
    pub postgres: Postgres,
    /// Most bytes of linear memory an instance may have.
    pub memory_bytes: usize,
    /// The memory budget for linear memories.
    pub memory: Arc<Memory>,
    /// Instances alive now.
    pub instances: AtomicUsize,
    /// The clock of its guests.
    pub clock: Clock,
}

impl ComponentContext {
    /// Whether the manifest lets the component open the database `label`.
    pub fn allows_database(&self, label: &str) -> bool {
        self.allowed_databases.contains(label)
    }

    /// Whether the manifest lets the component open the key-value store `label`.
    pub fn allows_store(&self, label: &str) -> bool {
        self.allowed_stores.contains(label)
    }
}

/// The data of one instance's store.
pub struct GuestState {
    /// Shared by all instances of the component.
    pub component: Arc<ComponentContext>,
    /// Handles the guest holds.
    pub table: ResourceTable,
    pub(crate) open_connections: usize,
    pub(crate) open_stores: usize,
    pub(crate) open_pg_connections: usize,
    /// Write transactions that its connections have open.
    pub(crate) writing: OpenWrites,
    /// Rows on their way to the guest.
    pub(crate) rows: RowsHeld,
    pub(super) growth: Growth,
    /// How much the guest has computed since a request last began, in epochs.
    pub(super) computing_ticks: u32,
    /// Time in which it waited for a database on a server meanwhile.
    pub(crate) waited: Duration,
    /// Whether its request got no ticket for a long computation.
    pub(super) has_no_ticket: Arc<AtomicBool>,
    pub(super) log: Arc<LogContext>,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    outbound_http: OutboundHttp,
}

impl GuestState {
    pub(super) fn new(
        component: &Arc<ComponentContext>,
        instance: u64,
        is_exclusive: bool,
    ) -> Self {
        let others = component.instances.fetch_add(1, Ordering::Relaxed);
        let log = Arc::new(LogContext::new(Arc::clone(&component.id), instance));
        let mut builder = WasiCtxBuilder::new();
        builder
            .stdout(LogStream::new(&log, GuestLog::Stdout))
            .stderr(LogStream::new(&log, GuestLog::Stderr))
            .wall_clock(WasiWallClock(component.clock.clone()))
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false);
        for (name, value) in &component.environment {
            builder.env(name, value);
        }
        Self {
            component: Arc::clone(component),
            table: ResourceTable::new(),
            open_connections: 0,
            open_stores: 0,
            open_pg_connections: 0,
            writing: OpenWrites::default(),
            rows: RowsHeld::default(),
            growth: Growth::new(component, others < KEPT, is_exclusive),
            computing_ticks: 0,
            waited: Duration::ZERO,
            has_no_ticket: Arc::default(),
            log,
            wasi: builder.build(),
            http: WasiHttpCtx::new(),
            outbound_http: component.outbound_http.clone(),
        }
    }
}

impl GuestState {
    /// Whether one of its write transactions is open, for which all others wait.
    pub(super) fn holds_writer(&self) -> bool {
        self.writing.any()
    }

    /// A request begins.
    pub(super) fn begin_request(&mut self) {
        self.computing_ticks = 0;
        self.waited = Duration::ZERO;
    }

    /// Whether the instance was refused memory, or its request a ticket.
    pub(super) fn was_refused(&self) -> bool {
        self.growth.was_denied() || self.has_no_ticket.load(Ordering::Relaxed)
    }

    /// Returns the ticket of the request that the instance serves, while it serves exactly one.
    pub(crate) fn ticket_lookup(&self) -> TicketLookup {
        let log = Arc::clone(&self.log);
        Box::new(move || log.only_request()?.ticket().cloned())
    }
}

impl Drop for GuestState {
    fn drop(&mut self) {
        self.component.instances.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for GuestState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.outbound_http,
            table: &mut self.table,
            ctx: &mut self.http,
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// A component that may do nothing, whose instances may have `most` bytes,
    pub(in crate::runtime) fn component(memory: Arc<Memory>, most: usize) -> Arc<ComponentContext> {
        use crate::capabilities::outbound_http::{AllowedHosts, Outside};
        let nowhere = Arc::new(AllowedHosts::parse::<&str>(&[]).unwrap());
        Arc::new(ComponentContext {
            id: "test".into(),
            allowed_databases: BTreeSet::new(),
            databases: HashMap::new(),
            sql_rights: None,
            allowed_stores: BTreeSet::new(),
            key_value: None,
            variables: BTreeMap::new(),
            environment: BTreeMap::new(),
            outbound_http: OutboundHttp::new(Arc::clone(&nowhere), Arc::new(Outside::default())),
            postgres: Postgres::new(nowhere, Arc::default()),
            memory_bytes: most,
            memory,
            instances: AtomicUsize::new(0),
            clock: Clock::new(),
        })
    }
}
