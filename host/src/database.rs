//! Where the organization's database is: in a file of SQLite, or on a PostgreSQL server.
//!
//! Owns how native code connects to it and how its schema is brought up to date. Connections block, so
//! they belong to threads that may. Components have ways of their own (`capabilities`).

use std::path::{Path, PathBuf};

use spindle_store::{Connection, DbError, NativePg, migrations};

use crate::config::DatabaseUrl;

/// The place of a database.
#[derive(Clone, Debug)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of a PostgreSQL server.
    Server(DatabaseUrl),
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl Location {
    /// A new connection. A file that does not exist is created.
    ///
    /// # Errors
    /// The file is no database, or the server refuses or is not there.
    pub fn connect(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        match self {
            Self::File(path) => Ok(Box::new(spindle_store::open(path)?)),
            Self::Server(url) => Ok(Box::new(server(url)?)),
        }
    }

    /// A new connection that refuses to write. A file that does not exist is created.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub fn connect_to_read(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        match self {
            Self::File(path) => {
                let connection = spindle_store::open(path)?;
                connection.pragma_update(None, "query_only", true)?;
                Ok(Box::new(connection))
            }
            Self::Server(url) => {
                let connection = server(url)?;
                connection.refuse_writes()?;
                Ok(Box::new(connection))
            }
        }
    }

    /// A new connection to look at the database; a file is not created.
    ///
    /// # Errors
    /// As [`Self::connect`]; there is no such file.
    pub fn connect_to_look(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        match self {
            Self::File(path) => Ok(Box::new(spindle_store::open_to_read(path)?)),
            Self::Server(_) => self.connect_to_read(),
        }
    }

    /// A new connection to the database with the newest schema.
    ///
    /// # Errors
    /// As [`Self::connect`]; a newer program has used the database.
    pub fn migrate(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        match self {
            Self::File(path) => {
                let mut connection = spindle_store::open(path)?;
                migrations::migrate(&mut connection)?;
                Ok(Box::new(connection))
            }
            Self::Server(url) => {
                let connection = server(url)?;
                connection.migrate()?;
                Ok(Box::new(connection))
            }
        }
    }

    /// The file, where the database is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }
}

impl Location {
    /// Whether events are put into the log after they were committed, see [`spindle_store::log_order`].
    #[must_use]
    pub const fn orders_log(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}

fn server(url: &DatabaseUrl) -> Result<NativePg, DbError> {
    NativePg::open(url.secret(), postgres::NoTls)
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Server(url) => url.fmt(formatter),
        }
    }
}
