//! The source of the manifest and the components: the file system, or the program itself.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::embedded::{self, Embedded};

/// Where a program that cargo built finds its components, or why it does not.
const NO_COMPONENTS: &str = "no such file in the working directory, and this program carries no components: \
     start it in the clone, name the file by --manifest, or use a program of `cargo xtask package`";

/// Where the manifest and the components are read from.
#[derive(Clone, Default)]
pub enum Files {
    /// The file system.
    #[default]
    OnDisk,
    /// Files embedded in the program; paths are their names.
    Embedded(Arc<Embedded>),
}

impl Files {
    /// The given manifest, else the embedded one, else the one in the working directory. A program
    /// with embedded files thus ignores the directory in which it is started.
    pub fn of_application(manifest: Option<&Path>) -> io::Result<(PathBuf, Self)> {
        if let Some(path) = manifest {
            return Ok((path.to_owned(), Self::OnDisk));
        }
        let carried = Embedded::of_this_program()?;
        let files = carried.map_or(Self::OnDisk, |carried| Self::Embedded(Arc::new(carried)));
        Ok((embedded::MANIFEST.into(), files))
    }

    pub(super) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Self::OnDisk => std::fs::read(path).map_err(|error| {
                // The default of a program without components.
                let is_default = path == Path::new(embedded::MANIFEST);
                match is_default && error.kind() == io::ErrorKind::NotFound {
                    true => io::Error::new(error.kind(), NO_COMPONENTS),
                    false => error,
                }
            }),
            Self::Embedded(embedded) => embedded.read(path),
        }
    }

    /// Opens a file for reading in pieces.
    pub(super) fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + '_>> {
        Ok(match self {
            Self::OnDisk => Box::new(std::fs::File::open(path)?),
            Self::Embedded(embedded) => Box::new(embedded.open(path)?),
        })
    }
}
