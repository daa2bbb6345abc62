//! Which server a command is about: a data directory, or one database file used by Spin.
//!
//! Owns how the directory, the configuration file and the address are found. Opens no database.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser};

use crate::address;
use crate::backup::Source;
use crate::config::{self, BaseUrl, Config, Options};
use crate::data_dir::DataDir;

/// The configuration file that a package installs.
pub(super) const OF_PACKAGE: &str = "/etc/spindle/spindle.toml";

/// The flags that say which server is meant; at most one of them.
#[derive(Clone, Debug, Args)]
#[group(multiple = false)]
pub(super) struct Target {
    /// Data directory of `spindle serve` [env: SPINDLE_DATA_DIR] [default: that of the
    /// configuration file, else ./data].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Configuration file of `spindle serve` [env: SPINDLE_CONFIG] [default: that of an installed
    /// package, where there is no ./data].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Database file of a server that Spin runs.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

/// The configuration file that belongs to a server, and what overrules it.
#[derive(Debug)]
pub(super) struct Settings {
    /// The file, which need not exist.
    pub(super) file: PathBuf,
    given: Options,
}

impl Settings {
    /// What the file has in it; nothing when it does not exist.
    ///
    /// # Errors
    /// The system refuses to read it.
    pub(super) fn text(&self) -> Result<String> {
        match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            other => other.with_context(|| {
                let file = self.file.display();
                format!("cannot read {file} (an installed server is set up with sudo)")
            }),
        }
    }

    /// What `spindle serve` would run with if the file had this text.
    ///
    /// # Errors
    /// It is no configuration, or an impossible one.
    pub(super) fn config(&self, text: &str) -> Result<Config> {
        Ok(config::load_text(self.given.clone(), &self.file, text)?)
    }
}

/// The options that the environment gives; nothing is read from the command line.
#[derive(Debug, Parser)]
struct FromEnvironment {
    #[command(flatten)]
    options: Options,
}

impl Target {
    /// The data directory, unless a database file was named.
    ///
    /// # Errors
    /// The configuration file that names it cannot be used.
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

    /// The database file, which must be there: administration never starts a new server by
    /// a mistyped path.
    ///
    /// # Errors
    /// There is none; or as [`Self::data_dir`].
    pub(super) fn existing_database(&self) -> Result<PathBuf> {
        let path = self.database()?;
        if !path.is_file() {
            bail!("there is no database at {}", path.display());
        }
        Ok(path)
    }

    /// Everything that a backup or check of this server looks at.
    ///
    /// # Errors
    /// As [`Self::data_dir`].
    pub(super) fn source(&self) -> Result<Source> {
        Ok(match self.data_dir()? {
            Some(data) => Source::data_dir(&data),
            None => Source::database(&self.database()?),
        })
    }

    /// The address under which clients reach the server: the configured one, else the one that the
    /// server noted when it started, else the one on which it will listen.
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

    /// The configuration file of this server: the one that is named, or of a package, else the one in
    /// the data directory.
    ///
    /// # Errors
    /// A database file was named, which is Spin's; or the environment cannot be understood.
    pub(super) fn settings(&self) -> Result<Settings> {
        if self.database.is_some() {
            bail!("beside Spin, `spindle events` creates the organization: see its --help");
        }
        let given = self.given()?;
        let file = match self.file(&given) {
            Some(file) => file,
            None => {
                let default = config::defaults()?.data_dir;
                let data_dir = given.data_dir.clone().or(default).unwrap_or_default();
                data_dir.join(config::FILE_NAME)
            }
        };
        Ok(Settings { file, given })
    }

    /// What `spindle serve` would run with.
    fn configuration(&self) -> Result<Config> {
        let given = self.given()?;
        let file = self.file(&given);
        Ok(config::load(given, file.as_deref())?)
    }

    /// What flags and environment say.
    fn given(&self) -> Result<Options> {
        let mut given = FromEnvironment::try_parse_from(["spindle"])?.options;
        if let Some(database) = &self.database {
            given.data_dir = Some(DataDir::beside(database).path().to_owned());
        } else if self.data_dir.is_some() {
            given.data_dir.clone_from(&self.data_dir);
        }
        Ok(given)
    }

    fn file(&self, given: &Options) -> Option<PathBuf> {
        let named = self.config.clone();
        let named = named.or_else(|| std::env::var_os("SPINDLE_CONFIG").map(PathBuf::from));
        configuration_file(named, given)
    }
}

/// The configuration file that is meant: the one that is named, else that of an installed package.
pub(super) fn configuration_file(named: Option<PathBuf>, given: &Options) -> Option<PathBuf> {
    // A directory that is named, or lies here, is meant before that of a package.
    let is_of_package = named.is_none() && given.data_dir.is_none() && !Path::new("data").exists();
    let of_package = PathBuf::from(OF_PACKAGE);
    named.or_else(|| Some(of_package).filter(|path| is_of_package && exists(path)))
}

/// Whether there is a file, also when its directory may not be looked into: then the error says so.
fn exists(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}
