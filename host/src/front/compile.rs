//! The components as machine code: from the cache, else compiled into it.
//!
//! Compiling takes hundreds of megabytes, which a process does not give back. A server has it
//! done by another process, which takes them along when it ends; whoever names none compiles by
//! itself. One component is compiled after the other: each of them keeps all cores busy.

use super::files::Files;
use super::options::{AppOptions, LoadError, engine_limits, read_application};
use crate::manifest::ComponentSettings;
use crate::runtime::{CodeCache, Fingerprint, HostEngine};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wasmtime::component::Component;

/// Compiles the components of the manifest at `path` that the cache lacks, for a start to come;
/// tells how many there were, and `progress` of each.
///
/// # Errors
/// As [`App::load`](super::App::load).
pub fn compile_ahead(
    path: &Path,
    files: Files,
    cache_dir: &Path,
    progress: impl Fn(&str, Duration),
) -> Result<usize, LoadError> {
    let options = AppOptions {
        files,
        cache_dir: cache_dir.to_owned(),
        ..AppOptions::default()
    };
    let components = read_application(path, &options.files, BTreeMap::new())?.components;
    let engine = engine(&components, &options)?;
    let workshop = Workshop::open(&engine, &options)?;
    let mut compiled = 0;
    for settings in &components {
        if workshop.find(settings)?.is_none() {
            let started = Instant::now();
            workshop.make(settings)?;
            progress(&settings.id, started.elapsed());
            compiled += 1;
        }
    }
    Ok(compiled)
}

/// The engine for these components.
pub(super) fn engine(
    components: &[ComponentSettings],
    options: &AppOptions,
) -> Result<HostEngine, LoadError> {
    HostEngine::new(engine_limits(components, options))
        .map_err(|error| LoadError::Engine(format!("{error:#}")))
}

/// All components, in their order.
pub(super) async fn components(
    engine: &HostEngine,
    components: &[ComponentSettings],
    options: &AppOptions,
) -> Result<Vec<Component>, LoadError> {
    let workshop = Arc::new(Workshop::open(engine, options)?);
    let mut found = workshop.find_all(components).await?;
    let missing = found.iter().filter(|place| place.is_none()).count();
    if let Some(compiler) = options.compiler.as_ref().filter(|_| missing > 0) {
        tracing::info!(
            components = missing,
            "compiling; this is done once for each version"
        );
        compiler.run().await;
        found = workshop.find_all(components).await?;
    }
    let mut all = Vec::new();
    for (settings, found) in components.iter().zip(found) {
        let component = match found {
            Some(component) => component,
            None => {
                let (workshop, settings) = (Arc::clone(&workshop), settings.clone());
                let making = tokio::task::spawn_blocking(move || workshop.make(&settings));
                making.await.map_err(failed)??
            }
        };
        all.push(component);
    }
    Ok(all)
}

/// Where components are found or made.
struct Workshop {
    engine: HostEngine,
    cache: CodeCache,
    files: Files,
}

impl Workshop {
    fn open(engine: &HostEngine, options: &AppOptions) -> Result<Self, LoadError> {
        let cache = CodeCache::open(&options.cache_dir)
            .map_err(|error| LoadError::Engine(format!("{error:#}")))?;
        Ok(Self {
            engine: engine.clone(),
            cache,
            files: options.files.clone(),
        })
    }

    /// Each component that the cache holds, all looked for at the same time.
    async fn find_all(
        self: &Arc<Self>,
        components: &[ComponentSettings],
    ) -> Result<Vec<Option<Component>>, LoadError> {
        let looks: Vec<_> = components
            .iter()
            .cloned()
            .map(|settings| {
                let workshop = Arc::clone(self);
                tokio::task::spawn_blocking(move || workshop.find(&settings))
            })
            .collect();
        let mut found = Vec::new();
        for look in looks {
            found.push(look.await.map_err(failed)??);
        }
        Ok(found)
    }

    fn find(&self, settings: &ComponentSettings) -> Result<Option<Component>, LoadError> {
        // Never the whole file at once: what many threads had in memory at the same time, the
        // allocator keeps.
        let content = self.files.open(&settings.source);
        let fingerprint = content
            .and_then(Fingerprint::of)
            .map_err(unreadable(settings))?;
        Ok(self.cache.find(self.engine.engine(), fingerprint))
    }

    fn make(&self, settings: &ComponentSettings) -> Result<Component, LoadError> {
        let wasm = self.files.read(&settings.source);
        let wasm = wasm.map_err(unreadable(settings))?;
        self.cache
            .compile(self.engine.engine(), &wasm)
            .map_err(|error| LoadError::Component(settings.id.clone(), format!("{error:#}")))
    }
}

fn unreadable(settings: &ComponentSettings) -> impl FnOnce(io::Error) -> LoadError {
    |error| LoadError::Source(settings.id.clone(), settings.source.clone(), error)
}

fn failed(error: tokio::task::JoinError) -> LoadError {
    LoadError::Engine(error.to_string())
}
