//! Calls an app for an event, within bounds of time, memory and what it returns.
//!
//! Every call has an instance of its own: an app keeps nothing but its values, and one idle app costs no memory.

use std::fmt;
use std::path::PathBuf;

use spindle_domain::apps::limits::{CALL_MILLISECONDS, MEMORY_BYTES};
use spindle_domain::apps::{AppEvent, Effect, Entry, check_effects};
use wasmtime::{Config, Engine, Result, Store, Trap, WasmBacktraceDetails};

use crate::clock::{Clock, EPOCH};
use crate::code::Codes;
use crate::compiler::Compiler;
use crate::convert;
use crate::guest::Guest;
use crate::limits::NEEDS_MEMORY;

/// Bytes that the host copies from an app in one call: more than all allowed effects have, and far less than an app
/// that returns one text a million times.
const COPIED_BYTES: usize = 8 << 20;
/// Characters of a reason.
const REASON: usize = 500;

/// Runs apps. Its functions block.
pub struct AppEngine {
    engine: Engine,
    codes: Codes,
    clock: Clock,
}

/// Why an event brought no effects, in words for the owner of the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFailed {
    pub reason: String,
}

impl fmt::Display for RunFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for RunFailed {}

impl AppEngine {
    /// An engine that keeps machine code in a folder of its user, see [`spindle_runtime::CodeCache`]. With a compiler,
    /// components are compiled by that program, else in this process.
    ///
    /// # Errors
    ///
    /// When the folder cannot be used, or the processor is not supported.
    pub fn new(cache: Option<PathBuf>, compiler: Option<Compiler>) -> Result<Self> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            .wasm_component_model_async(false)
            .wasm_backtrace_details(WasmBacktraceDetails::Disable)
            .epoch_interruption(true)
            .max_wasm_stack(512 << 10)
            // The threads of a parallel compilation have ordinary priority.
            .parallel_compilation(false);
        let engine = Engine::new(&config)?;
        Ok(Self {
            codes: Codes::new(engine.clone(), cache, compiler)?,
            clock: Clock::start(engine.clone())?,
            engine,
        })
    }

    /// Compiles a component in this process, into the folder.
    ///
    /// # Errors
    ///
    /// Why it cannot be compiled.
    pub fn compile(&self, wasm: &[u8]) -> Result<()> {
        self.codes.compile(wasm).map(drop)
    }

    /// The effects with which an app answers an event. `hash` is the SHA-256 of its component, in hexadecimal; `load`
    /// reads the component, and is only called if it was not compiled before.
    ///
    /// # Errors
    ///
    /// When the component cannot be used, or the app traps, exceeds its time or memory, or returns effects that
    /// [`check_effects`] refuses.
    pub fn run<B: AsRef<[u8]>>(
        &self,
        hash: &str,
        load: impl FnOnce() -> B,
        event: &AppEvent,
        values: &[Entry],
    ) -> Result<Vec<Effect>, RunFailed> {
        self.run_with_output(hash, load, event, values).0
    }

    /// As [`Self::run`], and what the app printed, for its author.
    pub fn run_with_output<B: AsRef<[u8]>>(
        &self,
        hash: &str,
        load: impl FnOnce() -> B,
        event: &AppEvent,
        values: &[Entry],
    ) -> (Result<Vec<Effect>, RunFailed>, String) {
        let mut store = Store::new(&self.engine, Guest::new(event.time, event.seed));
        store.limiter(|guest| &mut guest.limits);
        store.set_hostcall_fuel(COPIED_BYTES);
        let answer = match self.codes.get(hash, load) {
            Ok(code) => {
                let _running = self.clock.run();
                store.set_epoch_deadline(CALL_MILLISECONDS / EPOCH.as_millis() as u64);
                let app = code.instantiate(&mut store);
                app.and_then(|app| {
                    app.call_handle(
                        &mut store,
                        &convert::event(event),
                        &convert::entries(values),
                    )
                })
                .map_err(Failure::Call)
            }
            Err(error) => Err(Failure::Component(error)),
        };
        let printed = store.into_data().into_printed();
        let effects = match answer {
            Ok(effects) => checked(convert::effects(effects)),
            Err(failure) => Err(failure.reason(&printed)),
        };
        let failed = |reason| RunFailed {
            reason: shortened(reason),
        };
        (effects.map_err(failed), printed)
    }

    /// Whether the component with this hash was compiled before.
    pub fn is_compiled(&self, hash: &str) -> bool {
        matches!(self.codes.compiled(hash), Ok(Some(_)))
    }

    /// Compiles the component with this hash, unless it was compiled before. What is on the disk is not loaded.
    ///
    /// # Errors
    ///
    /// When the component cannot be used.
    pub fn prepare<B: AsRef<[u8]>>(
        &self,
        hash: &str,
        load: impl FnOnce() -> B,
    ) -> Result<(), RunFailed> {
        if self.codes.is_on_disk(hash) {
            return Ok(());
        }
        match self.codes.get(hash, load) {
            Ok(_) => Ok(()),
            Err(error) => Err(RunFailed {
                reason: shortened(Failure::Component(error).reason("")),
            }),
        }
    }
}

fn checked(effects: Vec<Effect>) -> Result<Vec<Effect>, String> {
    check_effects(&effects).map(|()| effects)
}

enum Failure {
    Component(wasmtime::Error),
    Call(wasmtime::Error),
}

impl Failure {
    fn reason(&self, printed: &str) -> String {
        let error = match self {
            Self::Component(error) => {
                return format!("The component cannot be used: {error:#}");
            }
            Self::Call(error) => error,
        };
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => {
                format!("The app computed longer than {CALL_MILLISECONDS} milliseconds")
            }
            Some(Trap::StackOverflow) => "The app ran out of stack".to_owned(),
            Some(_) if !printed.trim().is_empty() => {
                format!("The app ended with an error: {}", printed.trim())
            }
            Some(trap) => format!("The app ended with an error: {trap}"),
            None => {
                let cause = error.root_cause().to_string();
                if cause == NEEDS_MEMORY {
                    format!(
                        "The app needs more than {} MiB of memory",
                        MEMORY_BYTES >> 20
                    )
                } else if let Some(function) = refused_function(&cause) {
                    format!("The app called {function}, which apps may not")
                } else if cause.contains("fuel") {
                    "The app returned more than the server accepts".to_owned()
                } else {
                    format!("The app ended with an error: {cause}")
                }
            }
        }
    }
}

/// The name of the function in wasmtime's error of an import that is a trap.
fn refused_function(cause: &str) -> Option<&str> {
    let name = cause.strip_prefix("unknown import: `")?;
    Some(name.split_once('`')?.0)
}

fn shortened(reason: String) -> String {
    match reason.char_indices().nth(REASON) {
        Some((end, _)) => format!("{}…", reason.get(..end).unwrap_or_default()),
        None => reason,
    }
}
