//! The machine code that a pool makes its instances of, which can be replaced while they run.
//!
//! What is replaced is only how a component was compiled, never what it does: instances of both
//! may answer at the same time.

use super::engine::HostEngine;
use super::state::GuestState;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use wasmtime::component::Component;
use wasmtime_wasi_http::handler::ProxyPre;
use wasmtime_wasi_http::p3::bindings::ServicePre;

/// A component as one engine has it, with its imports resolved.
pub(super) struct Code {
    pub(super) engine: HostEngine,
    pub(super) pre: ProxyPre<GuestState>,
    replaced: AtomicBool,
}

impl Code {
    /// Resolves the imports of `component`.
    ///
    /// # Errors
    ///
    /// When it imports what the host does not offer, or does not export the HTTP handler.
    pub(super) fn link(engine: &HostEngine, component: &Component) -> wasmtime::Result<Self> {
        let pre = engine.linker()?.instantiate_pre(component)?;
        Ok(Self {
            engine: engine.clone(),
            pre: ProxyPre::P3(ServicePre::new(pre)?),
            replaced: AtomicBool::new(false),
        })
    }

    /// Whether there is something better than this.
    pub(super) fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::Relaxed)
    }
}

/// What new instances are made of.
pub(super) struct CurrentCode(RwLock<Arc<Code>>);

impl CurrentCode {
    pub(super) fn new(code: Code) -> Self {
        Self(RwLock::new(Arc::new(code)))
    }

    pub(super) fn get(&self) -> Arc<Code> {
        let code = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&code)
    }

    pub(super) fn replace(&self, code: Code) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Arc::new(code));
        old.replaced.store(true, Ordering::Relaxed);
    }
}
