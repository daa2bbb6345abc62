//! The directory of blobs.
//!
//! A file is named by the SHA-256 of its key, so that keys never reach the file system. It is
//! written beside its place, flushed and renamed: readers see the old blob or the new one,
//! whole, and what was stored survives power loss. Everything here blocks.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::file::Header;
use super::key::BlobKey;

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
    root: PathBuf,
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
        Ok(Self {
            root: root.to_owned(),
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
        let place = self.place(key);
        let folder = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let incoming = self.root.join(INCOMING).join(hexadecimal(&random));
        let written = (|| {
            let mut file = File::create_new(&incoming)?;
            header.write(&mut file, content)?;
            file.sync_all()?;
            fs::rename(&incoming, &place)?;
            File::open(folder)?.sync_all()?;
            File::open(&self.root)?.sync_all()
        })();
        if written.is_err() {
            // Whatever is left is removed at the next start.
            let _ = fs::remove_file(&incoming);
        }
        Ok(written?)
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

    /// Removes a blob; says whether there was one.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        match fs::remove_file(self.place(key)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn place(&self, key: &BlobKey) -> PathBuf {
        let name = hexadecimal(&Sha256::digest(key.as_str()));
        // Two levels, so that no folder holds a million files. The name is all ASCII.
        let (folder, rest) = name.split_at(2);
        self.root.join(folder).join(rest)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
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
