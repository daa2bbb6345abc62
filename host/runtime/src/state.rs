//! The data in the store of an instance.
//!
//! Provides the views that the WASI implementations need; decides no policy.

use super::component::ComponentContext;
use super::expiration::KEPT;
use super::growth::Growth;
use super::log::{GuestLog, LogContext, LogStream};
use super::rows_held::RowsHeld;
use crate::outbound_http::OutboundHttp;
use crate::wasi_clock::WasiWallClock;
use spindle_admission::TicketLookup;
use spindle_admission::open_writes::OpenWrites;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

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
    /// Time that it has waited for a database server.
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
