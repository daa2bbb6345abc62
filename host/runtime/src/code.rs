//! The machine code from which a pool creates instances; it can be replaced while they run.
//!
//! A replacement is the same component compiled differently: instances of both may serve requests at
//! the same time.

use super::engine::HostEngine;
use super::state::GuestState;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use wasmtime::component::{Component, ComponentExportIndex, InstancePre};
use wasmtime_wasi_http::handler::ProxyPre;
use wasmtime_wasi_http::p3::bindings::ServicePre;

/// The interface of this project that a component may export.
const INTERFACE: &str = "spindle:direct/handler@1.0.0";

/// Where a component exports the interface.
#[derive(Clone, Copy)]
pub(super) struct Exports {
    pub(super) answer: ComponentExportIndex,
    pub(super) body: ComponentExportIndex,
}

impl Exports {
    /// `None` for a component without it.
    pub(super) fn of(component: &Component) -> Option<Self> {
        let interface = component.get_export_index(None, INTERFACE)?;
        let find = |name| component.get_export_index(Some(&interface), name);
        Some(Self {
            answer: find("answer")?,
            body: find("body")?,
        })
    }
}

/// A component compiled for one engine, with its imports resolved.
pub(super) struct Code {
    pub(super) engine: HostEngine,
    pub(super) pre: ProxyPre<GuestState>,
    /// For direct calls, where the component offers them.
    pub(super) direct: Option<Exports>,
    instance_pre: InstancePre<GuestState>,
    replaced: AtomicBool,
}

impl Code {
    /// Resolves the imports of `component`.
    ///
    /// # Errors
    ///
    /// When it imports an interface that the host does not offer, or lacks the HTTP handler export.
    pub(super) fn link(engine: &HostEngine, component: &Component) -> wasmtime::Result<Self> {
        let pre = engine.linker()?.instantiate_pre(component)?;
        Ok(Self {
            engine: engine.clone(),
            pre: ProxyPre::P3(ServicePre::new(pre.clone())?),
            direct: Exports::of(component),
            instance_pre: pre,
            replaced: AtomicBool::new(false),
        })
    }

    /// Makes instances without regard to what they export.
    pub(super) fn instance_pre(&self) -> &InstancePre<GuestState> {
        &self.instance_pre
    }

    /// Whether this code has been replaced.
    pub(super) fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::Relaxed)
    }
}

/// The code for new instances.
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
