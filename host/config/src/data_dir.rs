//! The data directory: names and permissions of its files.
//!
//! Owns the layout and the permissions; [`crate::claim`] locks the directory. Never opens a database.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use thiserror::Error;

/// Why the directory cannot be used.
#[derive(Debug, Error)]
pub enum DataDirError {
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A move was interrupted.
    #[error(
        "a move into {0} was not finished: run the same spindle admin move again, or remove {0}/moving to begin with \
         a new organization"
    )]
    UnfinishedMove(PathBuf),
    /// An import was interrupted.
    #[error(
        "an import into {0} was not finished: start it again (spindle admin import), or remove \
         {0}/importing to begin with a new organization"
    )]
    UnfinishedImport(PathBuf),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> DataDirError + '_ {
    move |source| DataDirError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Paths of all files of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    path: PathBuf,
}

impl DataDir {
    /// The directory at `path`, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The directory of a database file.
    pub fn beside(database: &Path) -> Self {
        let parent = database.parent().unwrap_or(Path::new(""));
        Self::new(if parent == Path::new("") {
            Path::new(".")
        } else {
            parent
        })
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// State and event log.
    pub fn database(&self) -> PathBuf {
        self.path.join("spindle.db")
    }

    /// The journal of the event-queue service: acknowledgements and heartbeats.
    pub fn queues(&self) -> PathBuf {
        self.path.join("queues.db")
    }

    /// The key-value stores of the components; losing them is harmless.
    pub fn key_value(&self) -> PathBuf {
        self.path.join("key_value.db")
    }

    /// Uploaded files and exports.
    pub fn blobs(&self) -> PathBuf {
        self.path.join("blobs")
    }

    /// Compiled components, unless the configuration puts them elsewhere; may be deleted at
    /// any time.
    pub fn code_cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// The credentials of the first owner, as a client configuration file.
    pub fn owner_zuliprc(&self) -> PathBuf {
        self.path.join("owner.zuliprc")
    }

    /// The record of the address of the server that ran last.
    pub fn address(&self) -> PathBuf {
        self.path.join("address")
    }

    /// The directory in which an import builds its files before it moves them.
    pub fn importing(&self) -> PathBuf {
        self.path.join("importing")
    }

    /// Refuses a directory with an interrupted import: a new organization would conflict with the
    /// imported one.
    ///
    /// # Errors
    /// [`DataDirError::UnfinishedImport`].
    pub fn require_no_unfinished_import(&self) -> Result<(), DataDirError> {
        if self.importing().exists() && !self.database().exists() {
            return Err(DataDirError::UnfinishedImport(self.path.clone()));
        }
        Ok(())
    }

    /// The directory in which a move builds the database before it is put into its place.
    pub fn moving(&self) -> PathBuf {
        self.path.join("moving")
    }

    /// Refuses to begin with a new organization in `database`, a file of this directory, into which one is being moved.
    ///
    /// # Errors
    /// [`DataDirError::UnfinishedMove`].
    pub fn require_no_unfinished_move(&self, database: &Path) -> Result<(), DataDirError> {
        if self.moving().exists() && !database.exists() {
            return Err(DataDirError::UnfinishedMove(self.path.clone()));
        }
        Ok(())
    }

    /// The record of the last backup.
    pub fn last_backup(&self) -> PathBuf {
        self.path.join("last-backup")
    }

    fn token(&self) -> PathBuf {
        self.path.join("internal-token")
    }

    /// Creates the directory with mode 0700, or removes the permissions of other users from an
    /// existing one.
    pub fn create(&self) -> Result<(), DataDirError> {
        create_private_folder(&self.path)?;
        fs::set_permissions(&self.path, Permissions::from_mode(0o700)).map_err(at(&self.path))
    }

    /// Creates empty, private databases, and removes the permissions of other users from existing
    /// ones.
    pub fn create_databases(&self) -> Result<(), DataDirError> {
        for path in [self.database(), self.queues(), self.key_value()] {
            create_private_database(&path)?;
        }
        Ok(())
    }

    /// The secret of a server that has started before.
    ///
    /// # Errors
    /// There is none, or the system refuses.
    pub fn existing_token(&self) -> Result<String, DataDirError> {
        self.internal_token(|| Err(io::Error::from(io::ErrorKind::NotFound)))
    }

    /// The secret of a server that has started before, if one has.
    pub fn known_token(&self) -> Result<Option<String>, DataDirError> {
        match self.token().try_exists() {
            Ok(true) => self.existing_token().map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(at(&self.token())(error)),
        }
    }

    /// Sets the secret, which a server has had elsewhere.
    pub fn set_token(&self, token: &str) -> Result<(), DataDirError> {
        write_private(&self.token(), token)
    }

    /// The secret of internal calls; created by `make` on the first call, then kept in a file of mode
    /// 0600.
    pub fn internal_token(
        &self,
        make: impl FnOnce() -> io::Result<String>,
    ) -> Result<String, DataDirError> {
        let path = self.token();
        match read_regular(&path) {
            Ok(token) if !token.trim().is_empty() => Ok(token.trim().to_owned()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&path)(error)),
            _ => {
                let token = make().map_err(at(&path))?;
                write_private(&path, &token)?;
                Ok(token)
            }
        }
    }
}

/// Opens a regular file, to which a link may lead. Opening a pipe would wait for a writer.
///
/// # Errors
/// There is no such file, it is something else, or the system refuses.
pub fn open_regular(path: &Path) -> io::Result<fs::File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags(OFlags::NONBLOCK))
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

/// Opens a file of a data directory with `options`. Refuses links: the owner of the directory could otherwise lead a
/// server of root to any file of the system.
///
/// # Errors
/// It is a link or no regular file, or the system refuses.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    let flags = flags(OFlags::NOFOLLOW | OFlags::NONBLOCK);
    let file = options.custom_flags(flags).open(path).map_err(name_link)?;
    require_own(&file)?;
    Ok(file)
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
}

/// The text of the system for a link speaks of too many levels of them.
fn name_link(error: io::Error) -> io::Error {
    if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        return io::Error::other("a symbolic link; put the file itself there");
    }
    error
}

fn require_own(file: &fs::File) -> io::Result<()> {
    let found = file.metadata()?;
    if found.file_type().is_symlink() {
        return Err(name_link(Errno::LOOP.into()));
    }
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if found.nlink() > 1 {
        let text = "a file with a second name (hard link); remove it or the other name";
        return Err(io::Error::other(text));
    }
    Ok(())
}

/// Removes the permissions of other users from a file of a data directory, if it is there.
fn close_to_others(path: &Path) -> io::Result<()> {
    // Without access to the content: closing another descriptor of a database would end the locks of this process.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags(OFlags::PATH | OFlags::NOFOLLOW))
        .open(path);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    require_own(&file)?;
    if file.metadata()?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    // By the descriptor: the path may lead elsewhere by now.
    let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::set_permissions(opened, Permissions::from_mode(0o600))
}

/// Reads the text of a regular file.
///
/// # Errors
/// As [`open_regular`]; it is not UTF-8.
pub fn read_regular(path: &Path) -> io::Result<String> {
    io::read_to_string(open_regular(path)?)
}

/// Creates a private directory and its parents; an existing one keeps its mode.
pub fn create_private_folder(path: &Path) -> Result<(), DataDirError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(at(path))
}

/// Creates an empty private file, for a library that would choose another mode; an existing file is
/// not changed.
pub fn create_private_file(path: &Path) -> Result<(), DataDirError> {
    let created = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path);
    match created {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Creates an empty private database: SQLite would create it readable for other users, and gives its log the mode of
/// the database. Removes the permissions of other users from an existing database and the files next to it.
///
/// # Errors
/// One of them is a link or no regular file, or the system refuses.
pub fn create_private_database(path: &Path) -> Result<(), DataDirError> {
    create_private_file(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for suffix in ["", "-wal", "-shm"] {
        let file = path.with_file_name(format!("{name}{suffix}"));
        close_to_others(&file).map_err(at(&file))?;
    }
    Ok(())
}

/// Writes a private file atomically.
pub fn write_private(path: &Path, text: &str) -> Result<(), DataDirError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}", std::process::id()));
    // A process of the same number may have left one, or another account a link.
    let _ = fs::remove_file(&temporary);
    let written = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        DataDirError::Io {
            path: path.to_owned(),
            source,
        }
    })
}

#[cfg(test)]
mod tests;
