//! The wasmtime engine: its settings, its epoch clock, and the imports for components.
//!
//! One engine serves all components; while a new version is being optimized, a second one serves its
//! baseline code. Guests are interrupted every epoch so that a computing guest yields to others; the linker offers exactly the interfaces that the components need, and neither files nor sockets.

use super::log::RequestId;
use super::state::GuestState;
use spindle_admission::{Class, Holding};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use wasmtime::component::{HasSelf, Linker};
use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Result, Store, Strategy,
    UpdateDeadline, WasmBacktraceDetails,
};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::p2::bindings::{cli, random};
use wasmtime_wasi::random::WasiRandom;

/// Time between two epochs.
pub const EPOCH: Duration = Duration::from_millis(10);

/// Which of wasmtime's compilers produces the machine code. An engine of one tier cannot run code of
/// the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Winch: compiles in a sixth of the time, to code with which requests take up to a fifth longer.
    Baseline,
    /// Cranelift.
    Optimized,
}

/// The resources that the engine reserves.
#[derive(Debug, Clone, Copy)]
pub struct EngineLimits {
    /// Most instances of all components together.
    pub instances: u32,
    /// Most bytes of linear memory of any one instance.
    pub memory_bytes: usize,
}

/// An engine and the thread that advances its epoch, which ends with the engine.
#[derive(Clone)]
pub struct HostEngine {
    engine: Engine,
    _alive: Arc<()>,
}

impl HostEngine {
    /// Reserves address space for `limits` and starts the epoch clock.
    ///
    /// # Errors
    ///
    /// When the machine cannot reserve that much address space, or the compiler does not support its
    /// processor.
    pub fn new(limits: EngineLimits, tier: Tier) -> Result<Self> {
        let engine = Engine::new(&config(limits, tier))?;
        let alive = Arc::new(());
        start_clock(engine.clone(), Arc::downgrade(&alive))?;
        Ok(Self {
            engine,
            _alive: alive,
        })
    }

    /// The wasmtime engine itself.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// A linker with all interfaces that components may import.
    pub fn linker(&self) -> Result<Linker<GuestState>> {
        let mut linker = Linker::new(&self.engine);
        let l = &mut linker;
        wasmtime_wasi::p2::add_to_linker_proxy_interfaces_async(l)?;
        random::insecure::add_to_linker::<_, WasiRandom>(l, |s: &mut GuestState| {
            s.ctx().ctx.random()
        })?;
        random::insecure_seed::add_to_linker::<_, WasiRandom>(l, |s: &mut GuestState| {
            s.ctx().ctx.random()
        })?;
        cli::environment::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        cli::exit::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        cli::terminal_input::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        cli::terminal_output::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        cli::terminal_stdin::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        cli::terminal_stdout::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        cli::terminal_stderr::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
        wasmtime_wasi::p3::clocks::add_to_linker(l)?;
        wasmtime_wasi::p3::random::add_to_linker(l)?;
        wasmtime_wasi::p3::cli::add_to_linker(l)?;
        wasmtime_wasi_http::p3::add_to_linker(l)?;
        spindle_bindings::Capabilities::add_to_linker::<_, HasSelf<GuestState>>(l, |state| state)?;
        Ok(linker)
    }
}

/// A guest that computes gives way to other tasks in every epoch. After the first one its request is slow, and waits for
/// such a ticket; after too many it is stopped. A guest that holds the writer does not wait, since all other writers would
/// wait with it, and one that has a thread of its own has the ticket of a hash.
pub(super) fn interrupt_computing(store: &mut Store<GuestState>, limit: Duration) {
    let ticks = in_epochs(limit);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut context| {
        let state = context.data_mut();
        state.computing_ticks += 1;
        if state
            .computing_ticks
            .saturating_sub(in_epochs(state.waited))
            > ticks
        {
            return Err(wasmtime::format_err!(
                "the guest computed longer than {limit:?}"
            ));
        }
        if state.has_no_ticket.load(Ordering::Relaxed) {
            return Err(wasmtime::format_err!("too many requests compute for long"));
        }
        let request = state.log.only_request();
        let ticket = request.as_ref().and_then(RequestId::ticket);
        let Some(ticket) = ticket.filter(|ticket| ticket.class() == Class::Ordinary) else {
            return Ok(UpdateDeadline::Yield(1));
        };
        // An epoch may have begun while the guest waited for the host.
        if state.computing_ticks == 1 || state.holds_writer() {
            return Ok(UpdateDeadline::Yield(1));
        }
        let (ticket, refused) = (Arc::clone(ticket), Arc::clone(&state.has_no_ticket));
        Ok(UpdateDeadline::YieldCustom(
            1,
            Box::pin(async move {
                let exchanged = ticket.exchange(Class::Slow, Holding::Nothing).await;
                refused.store(exchanged.is_err(), Ordering::Relaxed);
            }),
        ))
    });
}

fn in_epochs(time: Duration) -> u32 {
    u32::try_from(time.as_millis() / EPOCH.as_millis()).unwrap_or(u32::MAX)
}

fn config(limits: EngineLimits, tier: Tier) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(limits.instances)
        .total_core_instances(limits.instances.saturating_mul(8))
        .total_memories(limits.instances)
        .total_tables(limits.instances.saturating_mul(4))
        // Each concurrent call has its own stack.
        .total_stacks(limits.instances.saturating_mul(4))
        .max_memory_size(limits.memory_bytes)
        // As many keep the mapping of their code's initial memory: more would only help the next burst.
        .max_unused_warm_slots(16)
        // The pages of an ended instance go back to the system. To keep its memory, all of it would be zeroed, and so take
        // memory, where an instance writes to a few dozen pages; to scan for those (`pagemap_scan`) passes over pages
        // that were swapped out, which the next instance would then see.
        .linear_memory_keep_resident(0)
        .table_keep_resident(16 << 10);
    let mut config = Config::new();
    config
        .strategy(match tier {
            Tier::Baseline => Strategy::Winch,
            Tier::Optimized => Strategy::Cranelift,
        })
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .memory_init_cow(true)
        .wasm_component_model(true)
        .wasm_component_model_async(true)
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .epoch_interruption(true)
        .async_stack_size(2 << 20)
        .max_wasm_stack(512 << 10);
    config
}

fn start_clock(engine: Engine, alive: Weak<()>) -> Result<()> {
    std::thread::Builder::new()
        .name("spindle-epoch".to_owned())
        .spawn(move || {
            while alive.strong_count() > 0 {
                std::thread::sleep(EPOCH);
                engine.increment_epoch();
            }
        })?;
    Ok(())
}
