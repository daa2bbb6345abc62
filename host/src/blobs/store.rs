//! The directory of blobs.
//!
//! A file is named by the SHA-256 of its key, so that keys never reach the file system. It is
//! written beside its place, flushed and renamed: readers see the old blob or the new one,
//! whole, and what was stored survives power loss. Everything here blocks.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::file::Header;
use super::key::BlobKey;
use super::partial::{self, Turns};

/// Name of the directory for files that are being written.
const INCOMING: &str = "incoming";

/// Why a blob cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The file system refuses.
    #[error("the blob store failed: {0}")]
    Io(#[from] io::Error),
    /// The file holds another blob or none.
    #[error("the file of blob {0} is damaged")]
    Damaged(String),
}

/// Blobs in a directory. Clones share it.
#[derive(Debug, Clone)]
pub struct BlobStore {
    pub(super) root: PathBuf,
    /// Blobs that something is added to at this moment.
    pub(super) turns: Arc<Turns>,
}

/// An open blob.
#[derive(Debug)]
pub struct Blob {
    pub(super) file: File,
    /// Where the content begins in the file.
    pub(super) offset: u64,
    /// Bytes of content.
    pub length: u64,
    /// Media type that was given when it was stored.
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
    /// Uses the directory, which is created when missing, and removes what a killed process
    /// has left half-written.
    ///
    /// # Errors
    /// When the directory cannot be used.
    pub fn open(root: &Path) -> Result<Self, BlobError> {
        let incoming = root.join(INCOMING);
        fs::create_dir_all(&incoming)?;
        for entry in fs::read_dir(&incoming)? {
            fs::remove_file(entry?.path())?;
        }
        fs::create_dir_all(root.join(partial::FOLDER))?;
        Ok(Self {
            root: root.to_owned(),
            turns: Arc::default(),
        })
    }

    /// Stores a blob, in the place of an older one of that key.
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
            self.settle(&incoming.0, &file, key)
        });
        Ok(written?)
    }

    /// Begins a blob whose content comes in parts; it is there once it is finished.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn begin(&self, key: &BlobKey, content_type: &str) -> Result<NewBlob, BlobError> {
        let incoming = self.incoming()?;
        let header = Header {
            key: key.as_str().to_owned(),
            content_type: content_type.to_owned(),
            // As long as the one that takes its place.
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

    /// A file for content that is not a blob yet; it is gone when it is closed, or with the
    /// process.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn scratch(&self) -> Result<File, BlobError> {
        let incoming = self.incoming()?;
        // Removed right away: an open file lives on without its name.
        Ok(incoming.file()?)
    }

    fn incoming(&self) -> io::Result<Incoming> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let path = self.root.join(INCOMING).join(hexadecimal(&random));
        Ok(Incoming(path))
    }

    /// Puts a file that is written in its place.
    pub(super) fn settle(&self, from: &Path, file: &File, key: &BlobKey) -> io::Result<()> {
        let place = self.place(key);
        let folder = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        file.sync_all()?;
        fs::rename(from, &place)?;
        File::open(folder)?.sync_all()?;
        File::open(&self.root)?.sync_all()
    }

    /// Opens a blob; `None` when there is none of that key.
    ///
    /// # Errors
    /// See [`BlobError`].
    pub fn get(&self, key: &BlobKey) -> Result<Option<Blob>, BlobError> {
        let mut file = match File::open(self.place(key)) {
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

    /// Removes a blob, or what has come of one; says whether there was any.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        let begun = remove(&self.partial(key))?;
        Ok(remove(&self.place(key))? || begun)
    }

    pub(super) fn place(&self, key: &BlobKey) -> PathBuf {
        let name = hexadecimal(&Sha256::digest(key.as_str()));
        // Two levels, so that no folder holds a million files. The name is all ASCII.
        let (folder, rest) = name.split_at(2);
        self.root.join(folder).join(rest)
    }
}

/// A file that is being written; whatever is left of it is removed.
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
        // Gone if it was put in its place; else the next start removes what is left.
        let _ = fs::remove_file(&self.0);
    }
}

/// A blob that is being written. Dropped before it is finished, it never was.
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
        Ok(self.store.settle(&self.incoming.0, &file, &self.key)?)
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
    fn a_blob_in_parts_is_there_when_it_is_finished() {
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
        fs::write(store.place(&key("k")), "rubbish").unwrap();
        assert!(matches!(store.get(&key("k")), Err(BlobError::Damaged(_))));
        BlobStore::open(folder.path()).unwrap();
        assert_eq!(
            fs::read_dir(folder.path().join(INCOMING)).unwrap().count(),
            0
        );
    }
}
