//! Configuration: flags before environment before one TOML file before the defaults.
//!
//! Owns the precedence of sources and the checks across options; `options` owns the list of options.
//! Unknown keys are refused, because a misspelt limit that silently keeps its default is noticed too
//! late. Nothing here starts anything.

pub mod address;
mod bounds;
mod bucket;
pub mod claim;
pub mod data_dir;
mod database_url;
pub mod durable;
mod example;
mod file;
mod mail;
mod nearest;
mod options;
mod public_keys;
mod readable;
mod values;

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::data_dir::read_regular;
use spindle_admission::memory::Shares;

pub use bucket::{BucketOptions, BucketUrl, Secret};
pub use database_url::DatabaseUrl;
pub use example::example;
pub use file::describe;
pub use mail::{MailOptions, MailTls};
pub use nearest::nearest;
pub use options::{Config, Described, Options, TABLE};
pub use public_keys::PublicKeys;
pub use readable::Readable;
pub use values::{BaseUrl, Bytes, LogFilter, LogFormat, Networks, OptionalAddress, Synchronous};

/// Name of the file that is read from the data directory when `--config` names none.
pub const FILE_NAME: &str = "spindle.toml";

/// Why the configuration cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {source}")]
    Unreadable {
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Options that are unknown or not allowed, each with a line that says why.
    #[error("{}", .0.join("; "))]
    Wrong(Vec<String>),
}

impl ConfigError {
    /// Every mistake, as a line.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        match self {
            Self::Unreadable { .. } => vec![self.to_string()],
            Self::Wrong(problems) => problems.clone(),
        }
    }
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
    finish(given, file::parse(file, text))
}

/// As [`load`], with all problems of the values instead of the first error, so that the files that they name can be
/// checked as well.
///
/// # Errors
/// The file is missing, or a value that everything needs.
pub fn load_to_check(
    given: Options,
    file: Option<&Path>,
) -> Result<(Config, Vec<String>), ConfigError> {
    let from_file = match file {
        Some(path) => read(path)?,
        None => read_from_data_dir(&given)?,
    };
    merge(given, from_file)
}

fn finish(given: Options, from_file: (Options, Vec<String>)) -> Result<Config, ConfigError> {
    let (config, problems) = merge(given, from_file)?;
    match problems.is_empty() {
        true => Ok(config),
        false => Err(ConfigError::Wrong(problems)),
    }
}

fn merge(
    given: Options,
    from_file: (Options, Vec<String>),
) -> Result<(Config, Vec<String>), ConfigError> {
    let (from_file, mut problems) = from_file;
    let config = given.or(from_file).or(defaults()?).resolve();
    let config = config.map_err(|problem| ConfigError::Wrong(vec![problem.to_owned()]))?;
    problems.extend(bounds::check(&config));
    // An option that cannot be read may be the one that others need.
    if problems.is_empty() {
        problems.extend(combinations(&config));
    }
    Ok((config, problems))
}

/// The defaults of the table.
///
/// # Errors
/// Only when the table itself is invalid, which a test excludes.
pub fn defaults() -> Result<Options, ConfigError> {
    match file::parse(Path::new("the built-in defaults"), &example::defaults()) {
        (options, problems) if problems.is_empty() => Ok(options),
        (_, problems) => Err(ConfigError::Wrong(problems)),
    }
}

fn read_from_data_dir(given: &Options) -> Result<(Options, Vec<String>), ConfigError> {
    let data_dir = given
        .data_dir
        .clone()
        .or(defaults()?.data_dir)
        .unwrap_or_default();
    let path = data_dir.join(FILE_NAME);
    // A link that leads nowhere is a file that cannot be read.
    if path.symlink_metadata().is_err() {
        return Ok(Default::default());
    }
    let (options, mut problems) = read_with(read_regular, &path)?;
    // The documented example sets the default directory, and may be in that directory.
    if let Some(named) = &options.data_dir
        && !is_same(named, &data_dir)
    {
        problems.push(format!(
            "{}: data_dir cannot name another directory in a file that lies in the data directory; use --config",
            path.display()
        ));
    }
    Ok((options, problems))
}

/// Whether both paths refer to the same existing directory.
fn is_same(one: &Path, other: &Path) -> bool {
    let (one, other) = (fs::canonicalize(one), fs::canonicalize(other));
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}

fn read(path: &Path) -> Result<(Options, Vec<String>), ConfigError> {
    read_with(|path| fs::read_to_string(path), path)
}

fn read_with(
    read: impl FnOnce(&Path) -> io::Result<String>,
    path: &Path,
) -> Result<(Options, Vec<String>), ConfigError> {
    let text = read(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    Ok(file::parse(path, &text))
}

/// Errors in combinations of options.
fn combinations(config: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    let most = Shares::of(config.memory_budget.0).transfers;
    if config.body_limit.0 > most {
        problems.push(format!(
            "body_limit must be at most {most}: that is what memory_budget leaves to bodies"
        ));
    }
    if config.tls_cert.is_some() != config.tls_key.is_some() {
        problems.push("tls_cert and tls_key are of use only together".to_owned());
    }
    if config.hsts_max_age > 0 && config.tls_cert.is_none() {
        problems.push(
            "hsts_max_age needs tls_cert: behind a proxy, the proxy sends the header".to_owned(),
        );
    }
    problems.extend(BucketOptions::from(config).check().err());
    let mail = MailOptions::from(config);
    problems.extend(mail.check().err());
    if mail.is_on() && config.external_url.is_none() {
        problems.push("mails need external_url, which their links begin with".to_owned());
    }
    let push_service = [
        config.push_service.is_some(),
        config.push_service_id.is_some(),
        config.push_service_key_file.is_some(),
    ];
    if push_service.contains(&true) && push_service.contains(&false) {
        problems.push(
            "push_service, push_service_id and push_service_key_file are of use only together"
                .to_owned(),
        );
    }
    if config.push_service.is_some() && config.external_url.is_none() {
        problems
            .push("push_service needs external_url, by which phones know the server".to_owned());
    }
    let ops_listen = config.ops_listen.and_then(|ops| ops.0);
    if ops_listen == Some(config.listen) && config.listen.port() != 0 {
        problems.push(format!("listen and ops_listen are both {}", config.listen));
    }
    problems
}

#[cfg(test)]
mod tests;
