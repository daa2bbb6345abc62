//! `spindle app pack`: puts the manifest into a component, for languages whose tools cannot.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use spindle_domain::apps::{Manifest, limits, with_manifest};

use crate::cli::output::show;

#[derive(Debug, Args)]
pub(in crate::cli) struct Pack {
    /// The component, which is changed.
    #[arg(value_name = "COMPONENT")]
    component: PathBuf,
    /// The manifest, app.json.
    #[arg(value_name = "MANIFEST")]
    manifest: PathBuf,
}

impl Pack {
    pub(super) fn run(self) -> Result<ExitCode> {
        let shown = self.component.display();
        let wasm = fs::read(&self.component).with_context(|| format!("cannot read {shown}"))?;
        let json = fs::read(&self.manifest)
            .with_context(|| format!("cannot read {}", self.manifest.display()))?;
        let manifest = Manifest::parse(&json)
            .with_context(|| format!("{} is not a manifest", self.manifest.display()))?;
        let packed = with_manifest(&wasm, &json)
            .with_context(|| format!("{shown} is not a WebAssembly component"))?;
        if packed.len() > limits::COMPONENT_BYTES {
            bail!(
                "A component can have {} bytes at most; this one has {}",
                limits::COMPONENT_BYTES,
                packed.len()
            );
        }
        fs::write(&self.component, packed).with_context(|| format!("cannot write {shown}"))?;
        let Manifest { name, version, .. } = manifest;
        show(&format!("{shown} is the app {name}, version {version}"));
        Ok(ExitCode::SUCCESS)
    }
}
