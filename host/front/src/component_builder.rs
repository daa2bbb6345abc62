//! Loads components from the code cache, or compiles them.
//!
//! Owns one engine, one cache, and the source of the components' files. Must not decide when which
//! compiler is used.

use super::files::Files;
use super::options::{AppOptions, LoadError, engine_limits};
use spindle_manifest::ComponentSettings;
use spindle_runtime::{CodeCache, Fingerprint, HostEngine, Tier};
use std::io;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use wasmtime::component::Component;

/// A component as machine code, and the engine that runs it.
#[derive(Clone)]
pub(super) struct Compiled {
    pub(super) engine: HostEngine,
    pub(super) component: Component,
}

/// Loads and compiles components with one engine.
pub(super) struct ComponentBuilder {
    engine: HostEngine,
    cache: CodeCache,
    files: Files,
}

impl ComponentBuilder {
    /// Creates the engine and opens the cache for these components.
    pub(super) fn open(
        components: &[ComponentSettings],
        options: &AppOptions,
        tier: Tier,
    ) -> Result<Self, LoadError> {
        let engine = HostEngine::new(engine_limits(components, options), tier)
            .map_err(|error| LoadError::Engine(format!("{error:#}")))?;
        let cache = CodeCache::open(&options.cache_dir)
            .map_err(|error| LoadError::Engine(format!("{error:#}")))?;
        Ok(Self {
            engine,
            cache,
            files: options.files.clone(),
        })
    }

    /// Loads each component from the cache, in parallel; `None` where it is not cached.
    pub(super) async fn load_all(
        self: &Arc<Self>,
        fingerprints: &[Fingerprint],
    ) -> Result<Vec<Option<Compiled>>, LoadError> {
        let load = |fingerprint: &Fingerprint| {
            let (builder, fingerprint) = (Arc::clone(self), *fingerprint);
            move || builder.load(fingerprint)
        };
        in_parallel(fingerprints.iter().map(load)).await
    }

    /// Loads a component from the cache, into which another process may have compiled it.
    pub(super) fn load(&self, fingerprint: Fingerprint) -> Option<Compiled> {
        let component = self.cache.find(self.engine.engine(), fingerprint)?;
        Some(self.compiled(component))
    }

    /// Compiles a component and stores it in the cache.
    pub(super) fn compile(&self, settings: &ComponentSettings) -> Result<Compiled, LoadError> {
        let wasm = self.files.read(&settings.source);
        let wasm = wasm.map_err(unreadable(settings))?;
        let component = self.cache.compile(self.engine.engine(), &wasm);
        let component = component
            .map_err(|error| LoadError::Component(settings.id.clone(), format!("{error:#}")))?;
        Ok(self.compiled(component))
    }

    /// Removes a component from the cache.
    pub(super) fn evict(&self, fingerprint: Fingerprint) {
        self.cache.forget(self.engine.engine(), fingerprint);
    }

    fn compiled(&self, component: Component) -> Compiled {
        Compiled {
            engine: self.engine.clone(),
            component,
        }
    }
}

/// The fingerprint of each component, computed in parallel.
pub(super) async fn fingerprints(
    files: &Files,
    components: &[ComponentSettings],
) -> Result<Vec<Fingerprint>, LoadError> {
    let take = |settings: &ComponentSettings| {
        let (files, settings) = (files.clone(), settings.clone());
        move || fingerprint(&files, &settings)
    };
    let taken = in_parallel(components.iter().map(take)).await?;
    taken.into_iter().collect()
}

/// Runs each closure on a thread of its own; returns their results in order.
async fn in_parallel<T: Send + 'static>(
    work: impl Iterator<Item = impl FnOnce() -> T + Send + 'static>,
) -> Result<Vec<T>, LoadError> {
    let begun: Vec<_> = work.map(spawn_blocking).collect();
    let mut all = Vec::new();
    for one in begun {
        all.push(one.await.map_err(task_failed)?);
    }
    Ok(all)
}

/// The fingerprint of a component's current file.
pub(super) fn fingerprint(
    files: &Files,
    settings: &ComponentSettings,
) -> Result<Fingerprint, LoadError> {
    // Read in pieces: the allocator would keep the memory of whole files in many threads.
    let content = files.open(&settings.source);
    content
        .and_then(Fingerprint::of)
        .map_err(unreadable(settings))
}

/// The error for a component's file that cannot be read.
pub(super) fn unreadable(settings: &ComponentSettings) -> impl FnOnce(io::Error) -> LoadError {
    |error| LoadError::Source(settings.id.clone(), settings.source.clone(), error)
}

/// The error for a task that has panicked.
pub(super) fn task_failed(error: tokio::task::JoinError) -> LoadError {
    LoadError::Engine(error.to_string())
}
