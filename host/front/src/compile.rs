//! The components as machine code: loaded from the cache, or compiled into it.
//!
//! Compiling takes hundreds of megabytes that a process does not return to the system, so a server
//! starts another process for it. Without one ([`AppOptions::compiler`]), this process compiles.
//! Components are compiled one after another: each compilation uses all cores.
//!
//! A server with new components does not wait for optimized code: it starts with code of the
//! baseline compiler, which takes a fraction of the time; [`PendingOptimization`] is the remaining
//! work.

use super::compiler::Compiler;
use super::component_builder::{
    Compiled, ComponentBuilder, fingerprint, fingerprints, task_failed,
};
use super::files::Files;
use super::options::{AppOptions, LoadError, read_application};
use spindle_manifest::ComponentSettings;
use spindle_runtime::{Fingerprint, Tier};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;

/// Compiles the components of the manifest at `path` that the cache lacks, ahead of a start. Returns
/// their number and calls `progress` with the id and duration of each. The baseline compiler skips
/// components with optimized code in the cache.
pub fn compile_ahead(
    path: &Path,
    files: Files,
    cache_dir: &Path,
    tier: Tier,
    progress: impl Fn(&str, Duration),
) -> Result<usize, LoadError> {
    let options = AppOptions {
        files,
        cache_dir: cache_dir.to_owned(),
        ..AppOptions::default()
    };
    let components = read_application(path, &options.files, BTreeMap::new(), None)?.components;
    let builder = ComponentBuilder::open(&components, &options, tier)?;
    let best = match tier {
        Tier::Baseline => Some(ComponentBuilder::open(
            &components,
            &options,
            Tier::Optimized,
        )?),
        Tier::Optimized => None,
    };
    let mut compiled = 0;
    for settings in &components {
        let fingerprint = fingerprint(&options.files, settings)?;
        let is_in = |builder: &ComponentBuilder| builder.load(fingerprint).is_some();
        if !is_in(&builder) && !best.as_ref().is_some_and(is_in) {
            let started = Instant::now();
            builder.compile(settings)?;
            progress(&settings.id, started.elapsed());
            compiled += 1;
        }
    }
    Ok(compiled)
}

/// All components in their order, and the optimization that is still to be done.
pub(super) async fn components(
    components: &[ComponentSettings],
    options: &AppOptions,
) -> Result<(Vec<Compiled>, Option<PendingOptimization>), LoadError> {
    let builder = Arc::new(ComponentBuilder::open(
        components,
        options,
        Tier::Optimized,
    )?);
    let fingerprints = fingerprints(&options.files, components).await?;
    let mut found = builder.load_all(&fingerprints).await?;
    let missing = find_missing(&found, &fingerprints);
    let mut optimizing = None;
    if let Some(compiler) = options.compiler.as_ref().filter(|_| !missing.is_empty()) {
        let count = missing.len();
        tracing::info!(
            missing = count,
            "compiling, which takes some seconds; this is done once for each version"
        );
        match baseline(compiler, components, options, &missing).await? {
            Some((baseline, all)) => {
                for (component, compiled) in missing.iter().zip(all) {
                    if let Some(slot) = found.get_mut(component.number) {
                        *slot = Some(compiled);
                    }
                }
                optimizing = Some(PendingOptimization {
                    builder: Arc::clone(&builder),
                    baseline,
                    compiler: compiler.clone(),
                    missing,
                });
            }
            None => {
                compiler.run(Tier::Optimized).await;
                found = builder.load_all(&fingerprints).await?;
            }
        }
    }
    let mut all = Vec::new();
    for (settings, found) in components.iter().zip(found) {
        all.push(match found {
            Some(compiled) => compiled,
            None => {
                let (builder, settings) = (Arc::clone(&builder), settings.clone());
                let making = spawn_blocking(move || builder.compile(&settings));
                making.await.map_err(task_failed)??
            }
        });
    }
    Ok((all, optimizing))
}

/// A component without optimized code: its index and its fingerprint.
struct MissingComponent {
    number: usize,
    fingerprint: Fingerprint,
}

fn find_missing(found: &[Option<Compiled>], fingerprints: &[Fingerprint]) -> Vec<MissingComponent> {
    let slots = found.iter().zip(fingerprints).enumerate();
    let empty = slots.filter(|(_, (slot, _))| slot.is_none());
    empty
        .map(|(number, (_, fingerprint))| MissingComponent {
            number,
            fingerprint: *fingerprint,
        })
        .collect()
}

/// The missing components as code of the baseline compiler; `None` on platforms where that compiler is
/// not of wasmtime's first tier, or when it does not support what a component uses.
async fn baseline(
    compiler: &Compiler,
    components: &[ComponentSettings],
    options: &AppOptions,
    missing: &[MissingComponent],
) -> Result<Option<(Arc<ComponentBuilder>, Vec<Compiled>)>, LoadError> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(None);
    }
    let Ok(builder) = ComponentBuilder::open(components, options, Tier::Baseline) else {
        return Ok(None);
    };
    let builder = Arc::new(builder);
    let fingerprints: Vec<_> = missing
        .iter()
        .map(|component| component.fingerprint)
        .collect();
    let mut found = builder.load_all(&fingerprints).await?;
    // An interrupted start may have cached some already.
    if found.iter().any(Option::is_none) {
        compiler.run(Tier::Baseline).await;
        found = builder.load_all(&fingerprints).await?;
    }
    let all: Option<Vec<_>> = found.into_iter().collect();
    Ok(all.map(|all| (builder, all)))
}

/// Work deferred at start: optimizing the components that run on baseline code.
pub(super) struct PendingOptimization {
    builder: Arc<ComponentBuilder>,
    baseline: Arc<ComponentBuilder>,
    compiler: Compiler,
    missing: Vec<MissingComponent>,
}

impl PendingOptimization {
    /// The number of components that run on baseline code.
    pub(super) fn components(&self) -> usize {
        self.missing.len()
    }

    /// Compiles optimized code, which takes half a minute of one processor in total, and passes it
    /// to `replace` with the index of its component. Failures are logged; the next start retries.
    pub(super) async fn run(self, replace: impl Fn(usize, Compiled)) {
        if !self.compiler.run_in_background().await {
            return;
        }
        let fingerprints: Vec<_> = self
            .missing
            .iter()
            .map(|component| component.fingerprint)
            .collect();
        let found = match self.builder.load_all(&fingerprints).await {
            Ok(found) => found,
            Err(error) => {
                return tracing::warn!(%error, "the optimized components cannot be loaded");
            }
        };
        for (component, found) in self.missing.iter().zip(found) {
            // The file has changed since the start: keep running the code of this start.
            let Some(compiled) = found else {
                tracing::warn!("a component has changed since the start and was not optimized");
                continue;
            };
            replace(component.number, compiled);
            self.baseline.evict(component.fingerprint);
        }
    }
}
