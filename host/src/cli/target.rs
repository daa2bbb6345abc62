//! The target of a command: a data directory, or a database file used by Spin.
//!
//! Owns how the directory, the configuration file and the address are found. Must not open a database.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, Parser};

use crate::backup::Source;
use spindle_actions::apps::AppKeys;
use spindle_config::address;
use spindle_config::data_dir::DataDir;
use spindle_config::{BaseUrl, BucketOptions, Config, DatabaseUrl, Options};
use spindle_database::Location;

/// The configuration file that a package installs.
pub(super) const OF_PACKAGE: &str = "/etc/spindle/spindle.toml";

/// The flags that select the server.
#[derive(Clone, Debug, Args)]
pub(super) struct TargetServer {
    /// Data directory of `spindle serve` [env: SPINDLE_DATA_DIR] [default: that of the
    /// configuration file, else ./data].
    #[arg(long, value_name = "DIR", conflicts_with = "database")]
    data_dir: Option<PathBuf>,
    /// Configuration file of `spindle serve` [env: SPINDLE_CONFIG] [default: that of an installed
    /// package, where there is no ./data].
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    config: Option<PathBuf>,
    /// Database file of a server that Spin runs.
    #[arg(long, value_name = "FILE", conflicts_with = "database_url")]
    database: Option<PathBuf>,
    /// Database on a PostgreSQL server [env: SPINDLE_DATABASE_URL, which other users of the machine do not see]
    /// [default: the configured one].
    #[arg(long, value_name = "URL")]
    database_url: Option<DatabaseUrl>,
}

/// The configuration file of a server, and the options that override it.
#[derive(Debug)]
pub(super) struct Settings {
    /// The file, which need not exist.
    pub(super) file: PathBuf,
    given: Options,
}

impl Settings {
    /// The text of the file; empty when it does not exist.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn text(&self) -> Result<String> {
        match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            other => other.with_context(|| {
                let file = self.file.display();
                format!("cannot read {file} (an installed server is set up with sudo)")
            }),
        }
    }

    /// The configuration of `spindle serve` if the file had this text.
    ///
    /// # Errors
    /// The text is not a valid configuration.
    pub(super) fn config(&self, text: &str) -> Result<Config> {
        Ok(spindle_config::load_text(
            self.given.clone(),
            &self.file,
            text,
        )?)
    }
}

/// The options from the environment alone, without the command line.
#[derive(Debug, Parser)]
struct FromEnvironment {
    #[command(flatten)]
    options: Options,
}

impl TargetServer {
    /// The data directory, unless a database file was given.
    ///
    /// # Errors
    /// The configuration file cannot be used.
    pub(super) fn data_dir(&self) -> Result<Option<DataDir>> {
        if self.database.is_some() {
            return Ok(None);
        }
        Ok(Some(DataDir::new(self.configuration()?.data_dir)))
    }

    /// The database file.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn database(&self) -> Result<PathBuf> {
        match &self.database {
            Some(path) => Ok(path.clone()),
            None => Ok(DataDir::new(self.configuration()?.data_dir).database()),
        }
    }

    /// The database file, which must exist: a mistyped path must not create a new server.
    ///
    /// # Errors
    /// The file does not exist; or as [`Self::data_dir`].
    pub(super) fn existing_database(&self) -> Result<PathBuf> {
        let path = self.database()?;
        if !path.is_file() {
            bail!("there is no database at {}", path.display());
        }
        Ok(path)
    }

    /// Where the database is: on the configured server, else in a file that must exist.
    ///
    /// # Errors
    /// As [`Self::existing_database`].
    pub(super) fn location(&self) -> Result<Location> {
        match self.server()? {
            Some(url) => Ok(Location::Server(url)),
            None => self.existing_database().map(Location::File),
        }
    }

    /// The configured server of PostgreSQL.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn server(&self) -> Result<Option<DatabaseUrl>> {
        if self.database.is_some() {
            return Ok(None);
        }
        Ok(self.configuration()?.database_url)
    }

    /// The URL that the command line names.
    pub(super) fn given_url(&self) -> Option<DatabaseUrl> {
        self.database_url.clone()
    }

    /// Whether the database is on a server.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn is_remote(&self) -> Result<bool> {
        Ok(self.server()?.is_some())
    }

    /// Refuses a server whose database is not a file, for commands that read or write that file.
    ///
    /// # Errors
    /// The database is on a server; or as [`Self::data_dir`].
    pub(super) fn require_file(&self) -> Result<()> {
        match self.server()? {
            Some(url) => bail!(
                "this command works on a database file, and the database is at {}; docs/OPERATIONS.md says \
                 what to use instead",
                Location::Server(url)
            ),
            None => Ok(()),
        }
    }

    /// The files of this server for a backup or a check.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn source(&self) -> Result<Source> {
        Ok(match self.data_dir()? {
            Some(data) => Source::data_dir(&data),
            None => Source::database(&self.database()?),
        })
    }

    /// The options of a bucket, which name none if files are in a folder. Under Spin, they are variables.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn bucket(&self) -> Result<BucketOptions> {
        Ok(BucketOptions::from(&self.configuration()?))
    }

    /// The keys of which one must have signed an app. Under Spin they are a variable, which this command gets from the
    /// environment.
    ///
    /// # Errors
    /// A key is not valid; or as [`Self::data_dir`].
    pub(super) fn app_keys(&self) -> Result<AppKeys> {
        let keys = self.configuration()?.app_keys.to_string();
        AppKeys::parse(&keys).map_err(|error| anyhow!("app_keys: {error}"))
    }

    /// The address for clients: the configured one, else the one that the server recorded at its
    /// start, else the one on which it will listen.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn address(&self) -> Result<String> {
        let config = self.configuration()?;
        let data = DataDir::beside(&self.database()?);
        let noted = || address::noted(&data).map(|BaseUrl(url)| url);
        let configured = config.external_url.as_ref().map(|url| url.0.clone());
        let address = configured.or_else(noted);
        Ok(address.unwrap_or_else(|| address::of(&config, config.listen)))
    }

    /// The configuration file of this server: the given one, or the package's, else the one in the data directory.
    ///
    /// # Errors
    /// A database file of Spin was given, or a variable of the environment is invalid.
    pub(super) fn settings(&self) -> Result<Settings> {
        if self.database.is_some() {
            bail!("beside Spin, `spindle events` creates the organization: see its --help");
        }
        let given = self.given()?;
        let file = match self.file(&given) {
            Some(file) => file,
            None => {
                let default = spindle_config::defaults()?.data_dir;
                let data_dir = given.data_dir.clone().or(default).unwrap_or_default();
                data_dir.join(spindle_config::FILE_NAME)
            }
        };
        Ok(Settings { file, given })
    }

    /// The configuration of `spindle serve`.
    fn configuration(&self) -> Result<Config> {
        let given = self.given()?;
        let file = self.file(&given);
        Ok(spindle_config::load(given, file.as_deref())?)
    }

    /// The options from flags and environment.
    fn given(&self) -> Result<Options> {
        let mut given = FromEnvironment::try_parse_from(["spindle"])
            .map_err(super::without_secrets)?
            .options;
        if let Some(database) = &self.database {
            given.data_dir = Some(DataDir::beside(database).path().to_owned());
        } else if self.data_dir.is_some() {
            given.data_dir.clone_from(&self.data_dir);
        }
        if self.database_url.is_some() {
            given.database_url.clone_from(&self.database_url);
        }
        Ok(given)
    }

    fn file(&self, given: &Options) -> Option<PathBuf> {
        let named = self.config.clone();
        let named = named.or_else(|| std::env::var_os("SPINDLE_CONFIG").map(PathBuf::from));
        configuration_file(named, given)
    }
}

/// The configuration file: the given one, else the installed package's.
pub(super) fn configuration_file(named: Option<PathBuf>, given: &Options) -> Option<PathBuf> {
    // A given directory, or ./data, takes precedence over the package's.
    let is_of_package = named.is_none() && given.data_dir.is_none() && !Path::new("data").exists();
    let of_package = PathBuf::from(OF_PACKAGE);
    named.or_else(|| Some(of_package).filter(|path| is_of_package && exists(path)))
}

/// Whether the file exists. True also if its directory is not accessible, or if it is a link that leads nowhere: reading it
/// then reports that error.
fn exists(path: &Path) -> bool {
    let found = path.symlink_metadata();
    !found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spindle.toml");
        assert!(!exists(&path));
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &path).unwrap();
        assert!(exists(&path));
    }
}
