//! Blobs that are uploaded in parts.
//!
//! The parts are collected in one file until the blob is complete. The first bytes of the file hold
//! the length of the content that is safely on the disk; bytes beyond it are left over from an
//! interrupted part and are overwritten. One part of a blob is appended at a time, also where several
//! nodes share the folder. Everything here blocks.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::file::Header;
use super::{Folder, hexadecimal, lock};
use crate::BlobKey;
use crate::store::{Appended, BlobError};

/// Name of the directory for incomplete blobs.
pub(super) const DIRECTORY: &str = "partial";
/// Offset of the content, after space for the header of the blob.
const CONTENT_OFFSET: u64 = 1024;
/// The first bytes of a partial file; a complete blob begins with the length of its header.
const PARTIAL_MAGIC: [u8; 4] = [0; 4];
/// Size of the magic bytes and the length.
const HEAD: usize = 12;
/// Bytes of one read.
const CHUNK: usize = 64 << 10;

impl Folder {
    /// The length of a complete or incomplete blob; `None` when no blob has that key.
    ///
    /// # Errors
    /// See [`BlobError`].
    pub fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        if let Some(mut file) = self.open_partial(key)? {
            return Ok(Some(length(&mut file)?));
        }
        // Completed since the first lookup.
        Ok(self.get(key)?.map(|blob| blob.length))
    }

    /// Appends `content` to a blob of `offset` bytes; offset 0 creates it. When this returns, the
    /// bytes are on the disk.
    ///
    /// # Errors
    /// [`BlobError::Io`]; then the length is unchanged.
    pub fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: &[u8],
    ) -> Result<Appended, BlobError> {
        let Some(_lock) = self.append_locks.take(key) else {
            return Ok(Appended::Busy);
        };
        let mut file = match self.lock_partial(key)? {
            Partial::Locked(file) => file,
            Partial::Busy => return Ok(Appended::Busy),
            Partial::Missing => match self.get(key)? {
                Some(whole) => return Ok(Appended::Elsewhere(whole.length)),
                None if offset == 0 => match self.create_partial(key)? {
                    Some(file) => file,
                    None => return Ok(Appended::Busy),
                },
                None => return Ok(Appended::Elsewhere(0)),
            },
        };
        let there = length(&mut file)?;
        if there != offset {
            return Ok(Appended::Elsewhere(there));
        }
        file.set_len(CONTENT_OFFSET + there)?;
        file.seek(SeekFrom::Start(CONTENT_OFFSET + there))?;
        file.write_all(content)?;
        file.sync_data()?;
        // The new length makes the bytes part of the content.
        let there = there + content.len() as u64;
        note_length(&mut file, there)?;
        Ok(Appended::Length(there))
    }

    /// Completes a blob; does nothing if it is complete already. `None` when there is no blob with
    /// this key.
    ///
    /// # Errors
    /// [`BlobError::Io`]; then the parts are kept.
    pub fn join(&self, key: &BlobKey, content_type: &str) -> Result<Option<Appended>, BlobError> {
        let Some(_lock) = self.append_locks.take(key) else {
            return Ok(Some(Appended::Busy));
        };
        let mut file = match self.lock_partial(key)? {
            Partial::Locked(file) => file,
            Partial::Busy => return Ok(Some(Appended::Busy)),
            Partial::Missing => {
                let whole = self.get(key)?;
                return Ok(whole.map(|blob| Appended::Length(blob.length)));
            }
        };
        let there = length(&mut file)?;
        file.set_len(CONTENT_OFFSET + there)?;
        file.sync_all()?;
        let header = Header {
            key: key.as_str().to_owned(),
            content_type: content_type.to_owned(),
            sha256: hash(&mut file)?,
        };
        file.seek(SeekFrom::Start(0))?;
        header.write_into(&mut file, CONTENT_OFFSET)?;
        self.rename_into_place(&self.partial(key), &file, key)?;
        Ok(Some(Appended::Length(there)))
    }

    /// The path of an incomplete blob.
    pub(super) fn partial(&self, key: &BlobKey) -> PathBuf {
        let name = hexadecimal(&Sha256::digest(key.as_str()));
        self.root.join(DIRECTORY).join(name)
    }

    fn open_partial(&self, key: &BlobKey) -> io::Result<Option<File>> {
        let opened = File::options()
            .read(true)
            .write(true)
            .open(self.partial(key));
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens an incomplete blob, and locks it against other nodes that share the folder.
    fn lock_partial(&self, key: &BlobKey) -> io::Result<Partial> {
        loop {
            let Some(file) = self.open_partial(key)? else {
                return Ok(Partial::Missing);
            };
            if !lock(&file) {
                return Ok(Partial::Busy);
            }
            // Another node may have completed or deleted it before it was locked.
            if is_at(&file, &self.partial(key))? {
                return Ok(Partial::Locked(file));
            }
        }
    }

    /// Creates an incomplete blob; `None` when another node does so at the same time.
    fn create_partial(&self, key: &BlobKey) -> io::Result<Option<File>> {
        let created = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(self.partial(key));
        let mut file = match created {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            created => created?,
        };
        if !lock(&file) {
            return Ok(None);
        }
        file.set_len(CONTENT_OFFSET)?;
        note_length(&mut file, 0)?;
        file.sync_all()?;
        File::open(self.root.join(DIRECTORY))?.sync_all()?;
        Ok(Some(file))
    }
}

/// An incomplete blob that was looked for.
enum Partial {
    /// Locked until the file is closed.
    Locked(File),
    /// Another node has locked it.
    Busy,
    Missing,
}

/// Whether `path` still leads to this file.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let there = match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        there => there?,
    };
    let here = file.metadata()?;
    Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
}

/// The length of the content that is on the disk.
fn length(file: &mut File) -> io::Result<u64> {
    let mut head = Vec::with_capacity(HEAD);
    file.seek(SeekFrom::Start(0))?;
    Read::by_ref(file)
        .take(HEAD as u64)
        .read_to_end(&mut head)?;
    let behind = file.metadata()?.len().saturating_sub(CONTENT_OFFSET);
    let (mark, noted) = head
        .split_at_checked(PARTIAL_MAGIC.len())
        .unwrap_or_default();
    if !mark.is_empty() && mark != PARTIAL_MAGIC {
        // The process ended after the header was written: the content is complete.
        return Ok(behind);
    }
    // A new file has no length yet.
    let noted = <[u8; 8]>::try_from(noted).map_or(0, u64::from_be_bytes);
    Ok(noted.min(behind))
}

fn note_length(file: &mut File, length: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&[PARTIAL_MAGIC.as_slice(), &length.to_be_bytes()].concat())?;
    file.sync_data()
}

/// SHA-256 of the content in hexadecimal.
fn hash(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(CONTENT_OFFSET))?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; CHUNK]);
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(hexadecimal(&hash.finalize()));
        }
        hash.update(piece.get(..read).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn key() -> BlobKey {
        BlobKey::parse("uploads/1/x").unwrap()
    }

    fn content(store: &Folder) -> Vec<u8> {
        let blob = store.get(&key()).unwrap().unwrap();
        let (offset, mut file) = (blob.offset, blob.into_reader());
        let mut content = Vec::new();
        file.seek(SeekFrom::Start(offset)).unwrap();
        file.read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn parts_become_a_blob() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::open(folder.path()).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), None);
        assert_eq!(store.join(&key(), "text/plain").unwrap(), None);
        let append = |offset, content: &[u8]| store.append(&key(), offset, content).unwrap();
        assert_eq!(append(3, b"lost"), Appended::Elsewhere(0));
        assert_eq!(append(0, b"one, "), Appended::Length(5));
        assert_eq!(append(0, b"two"), Appended::Elsewhere(5));
        assert_eq!(append(9, b"two"), Appended::Elsewhere(5));
        assert!(store.get(&key()).unwrap().is_none());
        // The parts survive a restart.
        let store = Folder::open(folder.path()).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), Some(5));
        assert_eq!(
            store.append(&key(), 5, b"two").unwrap(),
            Appended::Length(8)
        );
        for _ in 0..2 {
            let joined = store.join(&key(), "text/plain").unwrap();
            assert_eq!(joined, Some(Appended::Length(8)));
        }
        assert_eq!(store.part_length(&key()).unwrap(), Some(8));
        assert_eq!(
            store.append(&key(), 8, b"more").unwrap(),
            Appended::Elsewhere(8)
        );
        let blob = store.get(&key()).unwrap().unwrap();
        assert_eq!(blob.sha256, hexadecimal(&Sha256::digest(b"one, two")));
        assert_eq!((blob.content_type.as_str(), blob.length), ("text/plain", 8));
        assert_eq!(content(&store), b"one, two");
    }

    #[test]
    fn the_rest_of_an_interrupted_part_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::open(folder.path()).unwrap();
        store.append(&key(), 0, b"one, ").unwrap();
        let mut file = store.open_partial(&key()).unwrap().unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"a part that was never acknowledged")
            .unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), Some(5));
        store.append(&key(), 5, b"two").unwrap();
        store.join(&key(), "text/plain").unwrap();
        assert_eq!(content(&store), b"one, two");
    }

    #[test]
    fn a_crash_between_header_and_rename_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::open(folder.path()).unwrap();
        store.append(&key(), 0, b"whole").unwrap();
        store.join(&key(), "text/plain").unwrap();
        fs::rename(store.path_of(&key()), store.partial(&key())).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), Some(5));
        let joined = store.join(&key(), "text/plain").unwrap();
        assert_eq!(joined, Some(Appended::Length(5)));
        assert_eq!(content(&store), b"whole");
        // A file that was created and not written.
        assert!(store.delete(&key()).unwrap());
        File::create(store.partial(&key())).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), Some(0));
        assert_eq!(store.append(&key(), 0, b"x").unwrap(), Appended::Length(1));
        assert!(store.delete(&key()).unwrap());
        assert_eq!(store.part_length(&key()).unwrap(), None);
    }

    #[test]
    fn one_part_is_appended_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::open(folder.path()).unwrap();
        let append_lock = store.append_locks.take(&key()).unwrap();
        assert_eq!(store.append(&key(), 0, b"x").unwrap(), Appended::Busy);
        assert_eq!(
            store.join(&key(), "text/plain").unwrap(),
            Some(Appended::Busy)
        );
        drop(append_lock);
        assert_eq!(store.append(&key(), 0, b"x").unwrap(), Appended::Length(1));
    }

    #[test]
    fn a_node_that_shares_the_folder_waits_for_the_other_one() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = [(), ()].map(|()| Folder::open(folder.path()).unwrap());
        one.append(&key(), 0, b"one, ").unwrap();
        let Partial::Locked(file) = one.lock_partial(&key()).unwrap() else {
            panic!("not locked");
        };
        assert_eq!(two.part_length(&key()).unwrap(), Some(5));
        assert_eq!(two.append(&key(), 5, b"two").unwrap(), Appended::Busy);
        let joined = two.join(&key(), "text/plain").unwrap();
        assert_eq!(joined, Some(Appended::Busy));
        drop(file);
        assert_eq!(two.append(&key(), 5, b"two").unwrap(), Appended::Length(8));
        two.join(&key(), "text/plain").unwrap();
        assert_eq!(one.append(&key(), 8, b"x").unwrap(), Appended::Elsewhere(8));
        assert_eq!(content(&one), b"one, two");
    }
}
