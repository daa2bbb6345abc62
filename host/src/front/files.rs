//! Where the manifest and the components are: on the disk, or in the program itself.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::embedded::{self, Embedded};

/// Where the manifest and the components are read from.
#[derive(Clone, Default)]
pub enum Files {
    /// Paths are those of the file system.
    #[default]
    OnDisk,
    /// Paths are names of what the program carries.
    Embedded(Arc<Embedded>),
}

impl Files {
    /// The manifest that was asked for, else the one that the program carries, else the one in
    /// the working directory: a program that is the whole server takes nothing from where it is
    /// started.
    ///
    /// # Errors
    /// The program's own file cannot be read.
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
            Self::OnDisk => std::fs::read(path),
            Self::Embedded(embedded) => embedded.read(path),
        }
    }

    /// As [`read`](Self::read), piece by piece.
    pub(super) fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + '_>> {
        Ok(match self {
            Self::OnDisk => Box::new(std::fs::File::open(path)?),
            Self::Embedded(embedded) => Box::new(embedded.open(path)?),
        })
    }
}
