//! Configuration: flags before environment before one TOML file before the defaults.
//!
//! Owns the precedence of sources and the checks across options; `options` owns the list of options.
//! Unknown keys are refused, because a misspelt limit that silently keeps its default is noticed too
//! late. Nothing here starts anything.

mod bounds;
mod bucket;
mod database_url;
mod example;
mod options;
mod readable;
mod values;

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::data_dir::read_regular;
use crate::memory::Shares;

pub use bucket::{BucketOptions, BucketUrl, Secret};
pub use database_url::DatabaseUrl;
pub use example::example;
pub use options::{Config, Described, Options, TABLE};
pub use readable::Readable;
pub use values::{BaseUrl, LogFilter, LogFormat, Networks, OptionalAddress, Synchronous};

/// Name of the file that is read from the data directory when `--config` names none.
pub const FILE_NAME: &str = "spindle.toml";

/// Why the configuration cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not TOML, or has an unknown key or a value of the wrong type.
    #[error("{path}, line {line}, column {column}: {reason}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on. Its text is not repeated: it may hold a password.
        line: usize,
        /// The character in it, from 1 on.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// A value has the right type but is not allowed.
    #[error("{0}")]
    Impossible(String),
}

/// Merges flags and environment (`given`), the file and the defaults, in this order of precedence.
///
/// `file` is the file of `--config`; without it `spindle.toml` in the data directory is
/// read when it exists.
///
/// # Errors
/// The file is missing, malformed or has an unknown key; or a value is not allowed.
pub fn load(given: Options, file: Option<&Path>) -> Result<Config, ConfigError> {
    let from_file = match file {
        Some(path) => read(path)?,
        None => read_from_data_dir(&given)?,
    };
    finish(given, from_file)
}

/// As [`load`], but with `text` as the content of the file.
///
/// # Errors
/// As [`load`].
pub fn load_text(given: Options, file: &Path, text: &str) -> Result<Config, ConfigError> {
    finish(given, parse(file, text)?)
}

fn finish(given: Options, from_file: Options) -> Result<Config, ConfigError> {
    let config = given
        .or(from_file)
        .or(defaults()?)
        .resolve()
        .map_err(|problem| ConfigError::Impossible(problem.to_owned()))?;
    check(&config)?;
    Ok(config)
}

/// The defaults of the table.
///
/// # Errors
/// Only when the table itself is invalid, which a test excludes.
pub fn defaults() -> Result<Options, ConfigError> {
    parse(Path::new("the built-in defaults"), &example::defaults())
}

fn read_from_data_dir(given: &Options) -> Result<Options, ConfigError> {
    let data_dir = given
        .data_dir
        .clone()
        .or(defaults()?.data_dir)
        .unwrap_or_default();
    let path = data_dir.join(FILE_NAME);
    if !path.exists() {
        return Ok(Options::default());
    }
    let options = read_with(read_regular, &path)?;
    // The documented example sets the default directory, and may be in that directory.
    if let Some(named) = &options.data_dir
        && !is_same(named, &data_dir)
    {
        return Err(ConfigError::Impossible(format!(
            "{}: data_dir cannot name another directory in a file that lies in the data directory; use --config",
            path.display()
        )));
    }
    Ok(options)
}

/// Whether both paths refer to the same existing directory.
fn is_same(one: &Path, other: &Path) -> bool {
    let (one, other) = (fs::canonicalize(one), fs::canonicalize(other));
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}

fn read(path: &Path) -> Result<Options, ConfigError> {
    read_with(|path| fs::read_to_string(path), path)
}

fn read_with(
    read: impl FnOnce(&Path) -> io::Result<String>,
    path: &Path,
) -> Result<Options, ConfigError> {
    let text = read(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Options, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        ConfigError::Malformed {
            path: path.to_owned(),
            line,
            column,
            reason: error.message().replace('\n', " "),
        }
    })
}

/// The line and the character in it of a byte of a text, both from 1 on.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Checks that types cannot express: ranges, and combinations of options.
fn check(config: &Config) -> Result<(), ConfigError> {
    let problem = |text: String| Err(ConfigError::Impossible(text));
    bounds::check(config).map_err(ConfigError::Impossible)?;
    let most = Shares::of(config.memory_budget).transfers;
    if config.body_limit > most {
        return problem(format!(
            "body_limit must be at most {most}: that is what memory_budget leaves to bodies"
        ));
    }
    if config.tls_cert.is_some() != config.tls_key.is_some() {
        return problem("tls_cert and tls_key are of use only together".to_owned());
    }
    BucketOptions::from(config)
        .check()
        .map_err(ConfigError::Impossible)?;
    let push_service = [
        config.push_service.is_some(),
        config.push_service_id.is_some(),
        config.push_service_key_file.is_some(),
    ];
    if push_service.contains(&true) && push_service.contains(&false) {
        return problem(
            "push_service, push_service_id and push_service_key_file are of use only together"
                .to_owned(),
        );
    }
    if config.push_service.is_some() && config.external_url.is_none() {
        return problem(
            "push_service needs external_url, by which phones know the server".to_owned(),
        );
    }
    let ops_listen = config.ops_listen.and_then(|ops| ops.0);
    if ops_listen == Some(config.listen) && config.listen.port() != 0 {
        return problem(format!("listen and ops_listen are both {}", config.listen));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
