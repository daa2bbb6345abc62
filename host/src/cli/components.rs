//! `spindle components`: lists, extracts or compiles the embedded components.
//!
//! For operators who want to inspect them, and for Spin, which needs the manifest and the components
//! as files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use rustix::process::{self, Signal};

use super::output::show;
use spindle_front::embedded::Embedded;
use spindle_front::{Files, compile_ahead};
use spindle_runtime::Tier;

#[derive(Debug, Subcommand)]
pub(super) enum Components {
    /// List the files of the application that is embedded in this program.
    List,
    /// Write them into a new directory, for `spin up --from DIRECTORY/spin.toml`.
    Extract {
        /// The directory; it must not exist, or be empty.
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
    /// Compile them, so that the next start need not. A server with missing code runs this itself,
    /// first with --baseline, and then with --background while it answers requests; the memory for
    /// compiling is freed when this process ends.
    Compile {
        /// The manifest whose components are compiled, instead of what the program carries.
        #[arg(long, value_name = "FILE", env = "SPINDLE_MANIFEST")]
        manifest: Option<PathBuf>,
        /// The directory for machine code that `spindle serve` uses, or `cache` in its data
        /// directory.
        #[arg(long, value_name = "DIRECTORY", env = "SPINDLE_CODE_CACHE")]
        code_cache: PathBuf,
        /// Compile in a sixth of the time, to code that is slower.
        #[arg(long)]
        baseline: bool,
        /// Run with low priority, and end with the parent process.
        #[arg(long)]
        background: bool,
    },
}

impl Components {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self {
            Self::List => {
                for name in carried()?.names() {
                    show(&name.display().to_string());
                }
            }
            Self::Extract { directory } => extract(&carried()?, &directory)?,
            Self::Compile {
                manifest,
                code_cache,
                baseline,
                background,
            } => {
                let tier = if baseline {
                    Tier::Baseline
                } else {
                    Tier::Optimized
                };
                if background {
                    give_way()?;
                }
                compile(manifest.as_deref(), &code_cache, tier)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn carried() -> Result<Embedded> {
    let carried = Embedded::of_this_program().context("cannot read this program's file")?;
    carried.context("this program carries no components; `cargo xtask package` makes one that does")
}

/// Lowers the priority of this thread and of all threads that it starts.
fn give_way() -> Result<()> {
    const LEAST: i32 = 19;
    if let Err(error) = process::nice(LEAST) {
        // A sandbox may forbid it. Answers that are slower for a while are better than unoptimized
        // code for good.
        eprintln!("spindle: cannot lower the priority of this process: {error}");
    }
    process::set_parent_process_death_signal(Some(Signal::KILL)).context("cannot follow the parent")
}

fn compile(manifest: Option<&Path>, code_cache: &Path, tier: Tier) -> Result<()> {
    let (manifest, files) =
        Files::of_application(manifest).context("cannot read this program's file")?;
    let compiled = compile_ahead(&manifest, files, code_cache, tier, |id, duration| {
        println!("{id} compiled in {:.1} s", duration.as_secs_f32());
    })?;
    if compiled == 0 {
        println!("everything is compiled");
    }
    Ok(())
}

fn extract(carried: &Embedded, directory: &Path) -> Result<()> {
    let shown = || directory.display().to_string();
    fs::create_dir_all(directory).with_context(shown)?;
    if fs::read_dir(directory)
        .with_context(shown)?
        .next()
        .is_some()
    {
        bail!("{} is not empty", directory.display());
    }
    for name in carried.names() {
        let path = directory.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(shown)?;
        }
        let content = carried.read(name)?;
        fs::write(&path, content).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
