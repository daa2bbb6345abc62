//! `spindle components`: what the program carries, listed or written out.
//!
//! For people who want to know what runs, and for Spin, which needs the manifest and the
//! components as files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;

use crate::embedded::Embedded;

#[derive(Debug, Subcommand)]
pub(super) enum Components {
    /// List the files of the application that this program carries.
    List,
    /// Write them into a new directory, for `spin up --from DIRECTORY/spin.toml`.
    Extract {
        /// The directory; it must not exist, or be empty.
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
}

impl Components {
    pub(super) fn run(self) -> Result<ExitCode> {
        let carried = Embedded::of_this_program().context("cannot read this program's file")?;
        let Some(carried) = carried else {
            bail!("this program carries no components; `cargo xtask package` makes one that does");
        };
        match self {
            Self::List => {
                for name in carried.names() {
                    println!("{}", name.display());
                }
            }
            Self::Extract { directory } => extract(&carried, &directory)?,
        }
        Ok(ExitCode::SUCCESS)
    }
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
