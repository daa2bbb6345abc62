//! Where the organization's database is: in a file of SQLite, or on a PostgreSQL server.
//!
//! Owns how native code connects to it and how its schema is brought up to date. Connections block, so
//! they belong to threads that may. Components have ways of their own (`capabilities`).

mod suitable;
mod tls;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metrics::Counter;
use spindle_store::{
    Connection, Db, DbError, NativePg, Query, Rows, Statement, Value, migrations, nodes,
};

use spindle_config::data_dir::DataDir;
use spindle_config::{Config, DatabaseUrl};
use spindle_system::blocking::blocking;
pub use tls::tls_connector;

/// Longest time of a statement of the server's own work. The supervisor waits for longer before it takes a thread for
/// hung, and the parts of large changes take milliseconds.
const STATEMENT_LIMIT: Duration = Duration::from_secs(30);

/// The name of the key of signed links in `shared_secrets`.
pub const LINK_SECRET: &str = "links";

/// Counts a transaction of `part` of the program that the server has undone because of another one.
pub fn conflicts_of(part: &'static str) -> Counter {
    metrics::counter!("spindle_postgres_conflicts_total", "by" => part)
}

/// The location of a database.
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
    /// The database of a server: on the configured one of PostgreSQL, else in the data directory.
    #[must_use]
    pub fn of(config: &Config, data: &DataDir) -> Self {
        match &config.database_url {
            Some(url) => Self::Server(url.clone()),
            None => Self::File(data.database()),
        }
    }

    /// A new connection. A file that does not exist is created. A statement for a server has a limit of time: it may be silent
    /// although it is there.
    ///
    /// # Errors
    /// The file is no database, or the server refuses or is not there.
    pub fn connect(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        self.connect_with(|connection| connection.limit_statements(STATEMENT_LIMIT))
    }

    /// The same for results that are taken row by row, for as long as that takes: the time between two rows is limited.
    pub fn connect_to_stream(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        self.connect_with(|connection| {
            connection.limit_waits(STATEMENT_LIMIT);
            Ok(())
        })
    }

    /// A new connection for a command, whose statements may take as long as they need.
    pub fn connect_to_administer(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        self.connect_with(|_| Ok(()))
    }

    fn connect_with(
        &self,
        prepare: impl FnOnce(&NativePg) -> Result<(), DbError>,
    ) -> Result<Box<dyn Connection + Send>, DbError> {
        match self {
            Self::File(path) => Ok(Box::new(spindle_store::open(path)?)),
            Self::Server(url) => Ok(Box::new(Remote::open(url, prepare)?)),
        }
    }

    /// A new connection to a server for work that is more than statements. Its calls block.
    pub fn open_native(url: &DatabaseUrl) -> Result<NativePg, DbError> {
        let tls = tls_connector(certificates(url)?.as_deref());
        NativePg::open(url.secret(), tls.map_err(DbError::Failed)?)
    }

    /// A new connection that refuses to write. A file that does not exist is created.
    pub fn connect_to_read(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        match self {
            Self::File(path) => {
                let connection = spindle_store::open(path)?;
                connection.pragma_update(None, "query_only", true)?;
                Ok(Box::new(connection))
            }
            Self::Server(_) => self.connect_with(|connection| {
                connection.limit_statements(STATEMENT_LIMIT)?;
                connection.refuse_writes()
            }),
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
                require_own(path)?;
                let mut connection = spindle_store::open(path)?;
                spindle_store::migrate(&mut connection)?;
                Ok(Box::new(connection))
            }
            Self::Server(url) => Ok(Box::new(Remote::open(url, NativePg::migrate)?)),
        }
    }

    /// Opens a file, and migrates one of an older version. Unlike [`Self::migrate`], it does not compare the schema of a file
    /// that is up to date: that takes most of a command's time, and the server does it at its start.
    pub fn migrate_if_older(path: &Path) -> Result<Box<dyn Connection + Send>, DbError> {
        require_own(path)?;
        let mut connection = spindle_store::open(path)?;
        if !spindle_store::is_newest(&connection)? {
            spindle_store::migrate(&mut connection)?;
        }
        Ok(Box::new(connection))
    }

    /// The number of migrations that the database of a server has seen: 0 when it is empty. Changes nothing.
    pub fn examine(url: &DatabaseUrl) -> Result<i64, DbError> {
        Self::Server(url.clone()).check_node()?;
        let mut found = 0;
        Remote::open(url, |connection| {
            connection.refuse_writes()?;
            found = connection.version()?;
            Ok(())
        })?;
        let known = migrations::MIGRATIONS.len();
        match usize::try_from(found).is_ok_and(|found| found <= known) {
            true => Ok(found),
            false => Err(DbError::Newer { found, known }),
        }
    }

    /// Checks that this machine can be a node on the database of a server.
    ///
    /// # Errors
    /// Their clocks differ, a pooler in between gives connections other sessions, or as [`Self::connect`].
    pub fn check_node(&self) -> Result<(), DbError> {
        let Self::Server(_) = self else {
            return Ok(());
        };
        let [one, two] = [self.connect()?, self.connect()?];
        suitable::clocks_agree(&*one)?;
        suitable::connections_are_sessions(&*one, &*two)
    }

    /// The key of signed links, which all nodes share; `None` where the database is a file. The first node that asks
    /// makes it `new`.
    ///
    /// # Errors
    /// As [`Self::connect`]; the database must be migrated.
    pub fn link_secret(&self, new: &str) -> Result<Option<String>, DbError> {
        match self {
            Self::File(_) => Ok(None),
            Self::Server(_) => nodes::secret(&*self.connect()?, LINK_SECRET, new).map(Some),
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

    /// The certificates (PEM) that are trusted instead of the ones that browsers trust.
    pub fn certificates(&self) -> Result<Option<String>, DbError> {
        match self {
            Self::File(_) => Ok(None),
            Self::Server(url) => certificates(url),
        }
    }

    /// Whether several nodes may use the database.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Server(_))
    }

    /// Whether events are put into the log after they were committed, see [`spindle_store::log_order`].
    #[must_use]
    pub const fn orders_log(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}

/// Refuses a file of another program. Called before it is opened for writing, which would change its journal mode.
///
/// # Errors
/// It is one, or no database.
pub fn require_own(path: &Path) -> Result<(), DbError> {
    let is_empty =
        std::fs::metadata(path).map_or(true, |found| found.is_file() && found.len() == 0);
    if is_empty {
        return Ok(());
    }
    migrations::recognise(&spindle_store::open_to_read(path)?)
}

/// The certificates that the URL names (PEM). They are read for each connection, so they can be renewed.
fn certificates(url: &DatabaseUrl) -> Result<Option<String>, DbError> {
    let read = |file: &Path| {
        std::fs::read_to_string(file).map_err(|error| {
            let file = file.display();
            DbError::Failed(format!("sslrootcert: cannot read {file}: {error}"))
        })
    };
    url.root().map(read).transpose()
}

/// A connection to a server. Its driver blocks on a runtime of its own, which must not happen on a thread that drives
/// tasks, so such a thread first gives its tasks to another one.
struct Remote(Option<NativePg>);

impl Remote {
    fn open(
        url: &DatabaseUrl,
        prepare: impl FnOnce(&NativePg) -> Result<(), DbError>,
    ) -> Result<Self, DbError> {
        blocking(|| {
            let connection = Location::open_native(url)?;
            prepare(&connection)?;
            Ok(Self(Some(connection)))
        })
    }
}

impl Db for Remote {
    fn dialect(&self) -> spindle_store::Dialect {
        spindle_store::Dialect::Postgres
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl Connection for Remote {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        let Some(connection) = &self.0 else {
            return Err(DbError::Failed("the connection is closed".to_owned()));
        };
        let outcome = blocking(|| connection.execute(statement, params));
        if matches!(outcome, Err(DbError::Conflict(_))) {
            conflicts_of("server").increment(1);
        }
        outcome
    }

    fn stream(
        &self,
        query: Query,
        params: &[Value],
        each: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), DbError> {
        let Some(connection) = &self.0 else {
            return Err(DbError::Failed("the connection is closed".to_owned()));
        };
        blocking(|| connection.stream(query, params, each))
    }

    fn create_tables(&self) -> Result<(), DbError> {
        let Some(connection) = &self.0 else {
            return Err(DbError::Failed("the connection is closed".to_owned()));
        };
        blocking(|| connection.create_tables())
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // Closing waits, too.
        let connection = self.0.take();
        blocking(|| drop(connection));
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Server(url) => url.fmt(formatter),
        }
    }
}
