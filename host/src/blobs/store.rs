//! The directory of blobs.
//!
//! A file is named by the SHA-256 of its key, so that keys are never used as file names. It is
//! written to a temporary file, flushed and renamed: readers see the complete old or new blob, and a
//! stored blob survives power loss. Everything here blocks.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::file::Header;
use super::key::BlobKey;
use super::partial::{self, AppendLocks};

/// Name of the directory for files that are being written.
const INCOMING: &str = "incoming";

/// Why a blob cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The file system reported an error.
    #[error("the blob store failed: {0}")]
    Io(#[from] io::Error),
    /// The file holds another blob, or is not a blob.
    #[error("the file of blob {0} is damaged")]
    Damaged(String),
}

/// Blobs in a directory. Clones share it.
#[derive(Debug, Clone)]
pub struct BlobStore {
    pub(super) root: PathBuf,
    /// Locks on blobs to which a part is being appended.
    pub(super) append_locks: Arc<AppendLocks>,
}

/// An open blob.
#[derive(Debug)]
pub struct Blob {
    pub(super) file: File,
    /// Offset of the content in the file.
    pub(super) offset: u64,
    /// Bytes of content.
    pub length: u64,
    /// Media type given when it was stored.
    pub content_type: String,
    /// SHA-256 of the content in hexadecimal.
    pub sha256: String,
}

impl Blob {
    /// The content from its beginning.
    #[must_use]
    pub fn into_reader(self) -> File {
        self.file
    }
}

impl BlobStore {
    /// Opens the directory, creating it when missing, and removes temporary files that a killed
    /// process has left.
    ///
    /// # Errors
    /// When the directory cannot be used.
    pub fn open(root: &Path) -> Result<Self, BlobError> {
        let incoming = root.join(INCOMING);
        fs::create_dir_all(&incoming)?;
        for entry in fs::read_dir(&incoming)? {
            fs::remove_file(entry?.path())?;
        }
        fs::create_dir_all(root.join(partial::DIRECTORY))?;
        Ok(Self {
            root: root.to_owned(),
            append_locks: Arc::default(),
        })
    }

    /// Stores a blob, replacing an older one with that key.
    ///
    /// # Errors
    /// [`BlobError::Io`]; then the older one is still there.
    pub fn put(&self, key: &BlobKey, content_type: &str, content: &[u8]) -> Result<(), BlobError> {
        let header = Header {
            key: key.as_str().to_owned(),
            content_type: content_type.to_owned(),
            sha256: hexadecimal(&Sha256::digest(content)),
        };
        let written = self.incoming().and_then(|incoming| {
            let mut file = incoming.file()?;
            header.write(&mut file, content)?;
            self.rename_into_place(&incoming.0, &file, key)
        });
        Ok(written?)
    }

    /// Begins a blob whose content is written in parts; it exists once it is finished.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn begin(&self, key: &BlobKey, content_type: &str) -> Result<NewBlob, BlobError> {
        let incoming = self.incoming()?;
        let header = Header {
            key: key.as_str().to_owned(),
            content_type: content_type.to_owned(),
            // A placeholder as long as the final header.
            sha256: hexadecimal(&[0; 32]),
        };
        let mut file = incoming.file()?;
        header.write(&mut file, &[])?;
        Ok(NewBlob {
            store: self.clone(),
            key: key.clone(),
            header,
            incoming,
            file: BufWriter::new(file),
            hash: Sha256::new(),
            length: 0,
        })
    }

    /// A temporary file, deleted when it is closed or the process ends.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn scratch(&self) -> Result<File, BlobError> {
        let incoming = self.incoming()?;
        // Unlinked at once: an open file exists without its name.
        Ok(incoming.file()?)
    }

    fn incoming(&self) -> io::Result<Incoming> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let path = self.root.join(INCOMING).join(hexadecimal(&random));
        Ok(Incoming(path))
    }

    /// Moves a completely written file to the path of `key`.
    pub(super) fn rename_into_place(
        &self,
        from: &Path,
        file: &File,
        key: &BlobKey,
    ) -> io::Result<()> {
        let target = self.path_of(key);
        let folder = target.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        file.sync_all()?;
        fs::rename(from, &target)?;
        File::open(folder)?.sync_all()?;
        File::open(&self.root)?.sync_all()
    }

    /// Opens a blob; `None` when there is none with that key.
    ///
    /// # Errors
    /// See [`BlobError`].
    pub fn get(&self, key: &BlobKey) -> Result<Option<Blob>, BlobError> {
        let mut file = match File::open(self.path_of(key)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let damaged = || BlobError::Damaged(key.as_str().to_owned());
        let (header, offset, length) = Header::read(&mut file).map_err(|_| damaged())?;
        if header.key != key.as_str() {
            return Err(damaged());
        }
        Ok(Some(Blob {
            file,
            offset,
            length,
            content_type: header.content_type,
            sha256: header.sha256,
        }))
    }

    /// Removes a complete or incomplete blob; returns whether there was one.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        let begun = remove(&self.partial(key))?;
        Ok(remove(&self.path_of(key))? || begun)
    }

    pub(super) fn path_of(&self, key: &BlobKey) -> PathBuf {
        let name = hexadecimal(&Sha256::digest(key.as_str()));
        // Two levels, so that no directory holds a million files. The name is ASCII.
        let (folder, rest) = name.split_at(2);
        self.root.join(folder).join(rest)
    }
}

/// A temporary file that is removed when this is dropped.
#[derive(Debug)]
struct Incoming(PathBuf);

impl Incoming {
    fn file(&self) -> io::Result<File> {
        File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&self.0)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // Missing after the rename; if the removal fails, the next start removes it.
        let _ = fs::remove_file(&self.0);
    }
}

/// A blob that is being written. If dropped before it is finished, it is discarded.
#[derive(Debug)]
pub struct NewBlob {
    store: BlobStore,
    key: BlobKey,
    header: Header,
    incoming: Incoming,
    file: BufWriter<File>,
    hash: Sha256,
    length: u64,
}

impl NewBlob {
    /// Bytes of content so far.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Stores the blob, in the place of an older one of that key.
    ///
    /// # Errors
    /// [`BlobError::Io`]; then the older one is still there.
    pub fn finish(self) -> Result<(), BlobError> {
        let mut file = self.file.into_inner().map_err(io::Error::from)?;
        file.seek(SeekFrom::Start(0))?;
        let header = Header {
            sha256: hexadecimal(&self.hash.finalize()),
            ..self.header
        };
        header.write(&mut file, &[])?;
        Ok(self
            .store
            .rename_into_place(&self.incoming.0, &file, &self.key)?)
    }
}

impl Write for NewBlob {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn key(text: &str) -> BlobKey {
        BlobKey::parse(text).unwrap()
    }

    fn content(blob: Blob) -> Vec<u8> {
        let mut content = Vec::new();
        let mut file = blob.file;
        file.read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn put_get_replace_delete() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        assert!(store.get(&key("a/b")).unwrap().is_none());
        store.put(&key("a/b"), "image/png", b"one").unwrap();
        let blob = store.get(&key("a/b")).unwrap().unwrap();
        assert_eq!((blob.content_type.as_str(), blob.length), ("image/png", 3));
        assert_eq!(content(blob), b"one");
        store.put(&key("a/b"), "text/plain", b"").unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        let blob = store.get(&key("a/b")).unwrap().unwrap();
        assert_eq!((blob.content_type.as_str(), blob.length), ("text/plain", 0));
        assert!(store.delete(&key("a/b")).unwrap());
        assert!(!store.delete(&key("a/b")).unwrap());
    }

    #[test]
    fn a_blob_written_in_parts_exists_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        let begin = || {
            let mut blob = store.begin(&key("a/b"), "text/plain").unwrap();
            blob.write_all(b"one, ").unwrap();
            blob.write_all(b"two").unwrap();
            blob
        };
        drop(begin());
        store.scratch().unwrap();
        assert!(store.get(&key("a/b")).unwrap().is_none());
        let incoming = fs::read_dir(folder.path().join(INCOMING)).unwrap();
        assert_eq!(incoming.count(), 0);
        let blob = begin();
        assert_eq!(blob.length(), 8);
        blob.finish().unwrap();
        let blob = store.get(&key("a/b")).unwrap().unwrap();
        assert_eq!(blob.sha256, hexadecimal(&Sha256::digest(b"one, two")));
        assert_eq!((blob.content_type.as_str(), blob.length), ("text/plain", 8));
        assert_eq!(content(blob), b"one, two");
    }

    #[test]
    fn half_written_files_are_removed_and_damaged_ones_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        fs::write(folder.path().join(INCOMING).join("x"), "half").unwrap();
        store.put(&key("k"), "text/plain", b"content").unwrap();
        fs::write(store.path_of(&key("k")), "rubbish").unwrap();
        assert!(matches!(store.get(&key("k")), Err(BlobError::Damaged(_))));
        BlobStore::open(folder.path()).unwrap();
        assert_eq!(
            fs::read_dir(folder.path().join(INCOMING)).unwrap().count(),
            0
        );
    }
}
