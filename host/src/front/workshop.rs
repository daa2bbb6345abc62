//! Where components are found as machine code, or made.
//!
//! One engine, one cache, and the files that the components are read from. It must not decide
//! which compiler is used when.

use super::files::Files;
use super::options::{AppOptions, LoadError, engine_limits};
use crate::manifest::ComponentSettings;
use crate::runtime::{CodeCache, Fingerprint, HostEngine, Tier};
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

/// Where components are found or made.
pub(super) struct Workshop {
    engine: HostEngine,
    cache: CodeCache,
    files: Files,
}

impl Workshop {
    /// Engine and cache for these components.
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

    /// Each component that the cache holds, all looked for at the same time.
    pub(super) async fn find_all(
        self: &Arc<Self>,
        fingerprints: &[Fingerprint],
    ) -> Result<Vec<Option<Compiled>>, LoadError> {
        let look = |fingerprint: &Fingerprint| {
            let (workshop, fingerprint) = (Arc::clone(self), *fingerprint);
            move || workshop.find(fingerprint)
        };
        at_once(fingerprints.iter().map(look)).await
    }

    /// Another process may have made it meanwhile.
    pub(super) fn find(&self, fingerprint: Fingerprint) -> Option<Compiled> {
        let component = self.cache.find(self.engine.engine(), fingerprint)?;
        Some(self.compiled(component))
    }

    /// Compiles, and keeps what was made.
    pub(super) fn make(&self, settings: &ComponentSettings) -> Result<Compiled, LoadError> {
        let wasm = self.files.read(&settings.source);
        let wasm = wasm.map_err(unreadable(settings))?;
        let component = self.cache.compile(self.engine.engine(), &wasm);
        let component = component
            .map_err(|error| LoadError::Component(settings.id.clone(), format!("{error:#}")))?;
        Ok(self.compiled(component))
    }

    /// Removes from the cache what nobody needs again.
    pub(super) fn forget(&self, fingerprint: Fingerprint) {
        self.cache.forget(self.engine.engine(), fingerprint);
    }

    fn compiled(&self, component: Component) -> Compiled {
        Compiled {
            engine: self.engine.clone(),
            component,
        }
    }
}

/// The fingerprint of each component, all taken at the same time.
pub(super) async fn fingerprints(
    files: &Files,
    components: &[ComponentSettings],
) -> Result<Vec<Fingerprint>, LoadError> {
    let take = |settings: &ComponentSettings| {
        let (files, settings) = (files.clone(), settings.clone());
        move || fingerprint(&files, &settings)
    };
    let taken = at_once(components.iter().map(take)).await?;
    taken.into_iter().collect()
}

/// What each of these returns, in their order; each is on a thread of its own meanwhile.
async fn at_once<T: Send + 'static>(
    work: impl Iterator<Item = impl FnOnce() -> T + Send + 'static>,
) -> Result<Vec<T>, LoadError> {
    let begun: Vec<_> = work.map(spawn_blocking).collect();
    let mut all = Vec::new();
    for one in begun {
        all.push(one.await.map_err(failed)?);
    }
    Ok(all)
}

/// What tells the component as its file is now.
pub(super) fn fingerprint(
    files: &Files,
    settings: &ComponentSettings,
) -> Result<Fingerprint, LoadError> {
    // Never the whole file at once: what many threads had in memory at the same time, the
    // allocator keeps.
    let content = files.open(&settings.source);
    content
        .and_then(Fingerprint::of)
        .map_err(unreadable(settings))
}

/// A component's file cannot be read.
pub(super) fn unreadable(settings: &ComponentSettings) -> impl FnOnce(io::Error) -> LoadError {
    |error| LoadError::Source(settings.id.clone(), settings.source.clone(), error)
}

/// A task that has panicked.
pub(super) fn failed(error: tokio::task::JoinError) -> LoadError {
    LoadError::Engine(error.to_string())
}
