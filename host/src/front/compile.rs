//! The components as machine code: from the cache, else compiled into it.
//!
//! Compiling takes hundreds of megabytes, which a process does not give back. A server has it
//! done by another process, which takes them along when it ends; whoever names none compiles by
//! itself. One component is compiled after the other: each of them keeps all cores busy.
//!
//! A server whose components are new does not wait for good code: it begins with what the
//! baseline compiler makes in a fraction of the time, and [`Optimizing`] is the rest of the work.

use super::compiler::Compiler;
use super::files::Files;
use super::options::{AppOptions, LoadError, read_application};
use super::workshop::{Compiled, Workshop, failed, fingerprint, fingerprints};
use crate::manifest::ComponentSettings;
use crate::runtime::{Fingerprint, Tier};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;

/// Compiles the components of the manifest at `path` that the cache lacks, for a start to come;
/// tells how many there were, and `progress` of each. For the baseline compiler there is nothing to
/// do where the cache holds better code.
///
/// # Errors
/// As [`App::load`](super::App::load).
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
    let workshop = Workshop::open(&components, &options, tier)?;
    let best = match tier {
        Tier::Baseline => Some(Workshop::open(&components, &options, Tier::Optimized)?),
        Tier::Optimized => None,
    };
    let mut compiled = 0;
    for settings in &components {
        let fingerprint = fingerprint(&options.files, settings)?;
        let is_in = |workshop: &Workshop| workshop.find(fingerprint).is_some();
        if !is_in(&workshop) && !best.as_ref().is_some_and(is_in) {
            let started = Instant::now();
            workshop.make(settings)?;
            progress(&settings.id, started.elapsed());
            compiled += 1;
        }
    }
    Ok(compiled)
}

/// All components, in their order; and what is left to do while they run.
pub(super) async fn components(
    components: &[ComponentSettings],
    options: &AppOptions,
) -> Result<(Vec<Compiled>, Option<Optimizing>), LoadError> {
    let workshop = Arc::new(Workshop::open(components, options, Tier::Optimized)?);
    let fingerprints = fingerprints(&options.files, components).await?;
    let mut found = workshop.find_all(&fingerprints).await?;
    let gaps = gaps(&found, &fingerprints);
    let mut optimizing = None;
    if let Some(compiler) = options.compiler.as_ref().filter(|_| !gaps.is_empty()) {
        let missing = gaps.len();
        tracing::info!(missing, "compiling; this is done once for each version");
        match baseline(compiler, components, options, &gaps).await? {
            Some((baseline, all)) => {
                for (gap, compiled) in gaps.iter().zip(all) {
                    if let Some(place) = found.get_mut(gap.number) {
                        *place = Some(compiled);
                    }
                }
                optimizing = Some(Optimizing {
                    workshop: Arc::clone(&workshop),
                    baseline,
                    compiler: compiler.clone(),
                    gaps,
                });
            }
            None => {
                compiler.run(Tier::Optimized).await;
                found = workshop.find_all(&fingerprints).await?;
            }
        }
    }
    let mut all = Vec::new();
    for (settings, found) in components.iter().zip(found) {
        all.push(match found {
            Some(compiled) => compiled,
            None => {
                let (workshop, settings) = (Arc::clone(&workshop), settings.clone());
                let making = spawn_blocking(move || workshop.make(&settings));
                making.await.map_err(failed)??
            }
        });
    }
    Ok((all, optimizing))
}

/// A component without good code: its place among all, and what it is.
struct Gap {
    number: usize,
    fingerprint: Fingerprint,
}

fn gaps(found: &[Option<Compiled>], fingerprints: &[Fingerprint]) -> Vec<Gap> {
    let places = found.iter().zip(fingerprints).enumerate();
    let empty = places.filter(|(_, (place, _))| place.is_none());
    empty
        .map(|(number, (_, fingerprint))| Gap {
            number,
            fingerprint: *fingerprint,
        })
        .collect()
}

/// What the baseline compiler makes of the components in the gaps; none where it is not of
/// wasmtime's first tier, or does not know what they are made of.
async fn baseline(
    compiler: &Compiler,
    components: &[ComponentSettings],
    options: &AppOptions,
    gaps: &[Gap],
) -> Result<Option<(Arc<Workshop>, Vec<Compiled>)>, LoadError> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(None);
    }
    let Ok(workshop) = Workshop::open(components, options, Tier::Baseline) else {
        return Ok(None);
    };
    let workshop = Arc::new(workshop);
    let fingerprints: Vec<_> = gaps.iter().map(|gap| gap.fingerprint).collect();
    let mut found = workshop.find_all(&fingerprints).await?;
    // Those of a start that was cut off are there already.
    if found.iter().any(Option::is_none) {
        compiler.run(Tier::Baseline).await;
        found = workshop.find_all(&fingerprints).await?;
    }
    let all: Option<Vec<_>> = found.into_iter().collect();
    Ok(all.map(|all| (workshop, all)))
}

/// The work that a start has put off: good code for components that run without it.
pub(super) struct Optimizing {
    workshop: Arc<Workshop>,
    baseline: Arc<Workshop>,
    compiler: Compiler,
    gaps: Vec<Gap>,
}

impl Optimizing {
    /// How many components run without good code.
    pub(super) fn components(&self) -> usize {
        self.gaps.len()
    }

    /// Has good code made, which takes half a minute of a processor for all, and gives it to
    /// `replace` with the number of its component. What fails is logged, and is tried again at
    /// the next start.
    pub(super) async fn run(self, replace: impl Fn(usize, Compiled)) {
        if !self.compiler.run_in_background().await {
            return;
        }
        let fingerprints: Vec<_> = self.gaps.iter().map(|gap| gap.fingerprint).collect();
        let found = match self.workshop.find_all(&fingerprints).await {
            Ok(found) => found,
            Err(error) => return tracing::warn!(%error, "the optimized components are lost"),
        };
        for (gap, found) in self.gaps.iter().zip(found) {
            // Other files by now: then those of this start stay as they are.
            let Some(compiled) = found else {
                tracing::warn!("a component has changed since the start and was not optimized");
                continue;
            };
            replace(gap.number, compiled);
            self.baseline.forget(gap.fingerprint);
        }
    }
}
