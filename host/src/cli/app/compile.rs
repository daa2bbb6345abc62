//! Compiles the component of an app for a server that runs: see `spindle_apps::Compiler`.

use std::io::{Read as _, stdin};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;
use spindle_apps::AppEngine;
use spindle_system::memory;

/// Bytes that the compiler may have.
const MEMORY: u64 = 4 << 30;
/// Seconds that it may compute, also when the server that waits for it ends.
const SECONDS: u64 = 60;

#[derive(Debug, Args)]
pub(in crate::cli) struct Compile {
    /// Where the machine code is written.
    folder: PathBuf,
}

impl Compile {
    pub(super) fn run(self) -> Result<ExitCode> {
        memory::limit(MEMORY, SECONDS);
        let mut wasm = Vec::new();
        stdin().read_to_end(&mut wasm)?;
        let engine = AppEngine::new(Some(self.folder), None);
        let compiled = engine.and_then(|engine| engine.compile(&wasm));
        compiled.map_err(|error| anyhow!("{error:#}"))?;
        Ok(ExitCode::SUCCESS)
    }
}
