//! Which server a command is about: a data directory, or one database file used by Spin.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::backup::Source;
use crate::data_dir::DataDir;

/// The flags that say which server is meant; exactly one of them.
#[derive(Clone, Debug, Args)]
#[group(multiple = false)]
pub(super) struct Target {
    /// Data directory of `spindle serve` [env: SPINDLE_DATA_DIR] [default: ./data].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Database file of a server that Spin runs.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

impl Target {
    /// The data directory, unless a database file was named.
    pub(super) fn data_dir(&self) -> Option<DataDir> {
        match (&self.data_dir, &self.database) {
            (_, Some(_)) => None,
            (Some(path), None) => Some(DataDir::new(path)),
            // Not by clap's `env`, which would make the variable conflict with --database.
            (None, None) => Some(DataDir::new(
                std::env::var_os("SPINDLE_DATA_DIR").unwrap_or_else(|| "data".into()),
            )),
        }
    }

    /// The database file.
    pub(super) fn database(&self) -> PathBuf {
        match (&self.database, self.data_dir()) {
            (Some(path), _) => path.clone(),
            (None, Some(data)) => data.database(),
            (None, None) => PathBuf::new(),
        }
    }

    /// The database file, which must be there: administration never starts a new server by
    /// a mistyped path.
    pub(super) fn existing_database(&self) -> Result<PathBuf> {
        let path = self.database();
        if !path.is_file() {
            bail!("there is no database at {}", path.display());
        }
        Ok(path)
    }

    /// Everything that a backup or check of this server looks at.
    pub(super) fn source(&self) -> Source {
        match self.data_dir() {
            Some(data) => Source::data_dir(&data),
            None => Source::database(&self.database()),
        }
    }
}
