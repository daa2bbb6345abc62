//! Blobs that come in parts.
//!
//! What has come lies in one file until the blob is whole. The first bytes of the file say how many
//! bytes of content are on the disk; what stands behind those was left by a part that was
//! interrupted, and is written over. Only one part of a blob is added at a time. Everything here
//! blocks.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::file::Header;
use super::key::BlobKey;
use super::store::{BlobError, BlobStore, hexadecimal};

/// Name of the directory for blobs that are not whole.
pub(super) const FOLDER: &str = "partial";
/// Where the content begins: room for the header of the blob.
const CONTENT: u64 = 1024;
/// The file begins with zeros and a length; that of a blob begins with the length of its header.
const MARK: [u8; 4] = [0; 4];
/// Mark and length.
const HEAD: usize = 12;
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// Blobs that something is added to.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashSet<BlobKey>>);

/// The right to add to a blob.
struct Turn {
    turns: Arc<Turns>,
    key: BlobKey,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut taken = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(&self.key);
    }
}

/// What has come of adding a part, or of making a blob whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// So many bytes are there now, on the disk.
    Length(u64),
    /// Nothing was added: so many bytes are there, and the part begins elsewhere.
    Elsewhere(u64),
    /// Nothing was added: another part is being added.
    Busy,
}

impl BlobStore {
    /// How many bytes of a blob are there, whether it is whole or not; `None` when there are none.
    ///
    /// # Errors
    /// See [`BlobError`].
    pub fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        if let Some(mut file) = self.open_partial(key)? {
            return Ok(Some(length(&mut file)?));
        }
        // Whole since it was looked for.
        Ok(self.get(key)?.map(|blob| blob.length))
    }

    /// Adds `content` to a blob that has `offset` bytes; the first part begins it. When this has
    /// returned, the bytes are on the disk.
    ///
    /// # Errors
    /// [`BlobError::Io`]; then the length is what it was.
    pub fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: &[u8],
    ) -> Result<Appended, BlobError> {
        let Some(_turn) = self.turn(key) else {
            return Ok(Appended::Busy);
        };
        let mut file = match self.open_partial(key)? {
            Some(file) => file,
            None => match self.get(key)? {
                Some(whole) => return Ok(Appended::Elsewhere(whole.length)),
                None if offset == 0 => self.create_partial(key)?,
                None => return Ok(Appended::Elsewhere(0)),
            },
        };
        let there = length(&mut file)?;
        if there != offset {
            return Ok(Appended::Elsewhere(there));
        }
        file.set_len(CONTENT + there)?;
        file.seek(SeekFrom::Start(CONTENT + there))?;
        file.write_all(content)?;
        file.sync_data()?;
        // Only now do the bytes count.
        let there = there + content.len() as u64;
        note_length(&mut file, there)?;
        Ok(Appended::Length(there))
    }

    /// Makes what has come a blob like any other; one that is whole already stays as it is. `None`
    /// when there is nothing of this key.
    ///
    /// # Errors
    /// [`BlobError::Io`]; then the parts are still there.
    pub fn join(&self, key: &BlobKey, content_type: &str) -> Result<Option<Appended>, BlobError> {
        let Some(_turn) = self.turn(key) else {
            return Ok(Some(Appended::Busy));
        };
        let Some(mut file) = self.open_partial(key)? else {
            let whole = self.get(key)?;
            return Ok(whole.map(|blob| Appended::Length(blob.length)));
        };
        let there = length(&mut file)?;
        file.set_len(CONTENT + there)?;
        file.sync_all()?;
        let header = Header {
            key: key.as_str().to_owned(),
            content_type: content_type.to_owned(),
            sha256: hash(&mut file)?,
        };
        file.seek(SeekFrom::Start(0))?;
        header.write_into(&mut file, CONTENT)?;
        self.settle(&self.partial(key), &file, key)?;
        Ok(Some(Appended::Length(there)))
    }

    /// Where a blob is collected.
    pub(super) fn partial(&self, key: &BlobKey) -> PathBuf {
        let name = hexadecimal(&Sha256::digest(key.as_str()));
        self.root.join(FOLDER).join(name)
    }

    fn turn(&self, key: &BlobKey) -> Option<Turn> {
        let mut taken = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.insert(key.clone()).then(|| Turn {
            turns: Arc::clone(&self.turns),
            key: key.clone(),
        })
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

    fn create_partial(&self, key: &BlobKey) -> io::Result<File> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(self.partial(key))?;
        file.set_len(CONTENT)?;
        note_length(&mut file, 0)?;
        file.sync_all()?;
        File::open(self.root.join(FOLDER))?.sync_all()?;
        Ok(file)
    }
}

/// How many bytes of content are on the disk.
fn length(file: &mut File) -> io::Result<u64> {
    let mut head = Vec::with_capacity(HEAD);
    file.seek(SeekFrom::Start(0))?;
    Read::by_ref(file)
        .take(HEAD as u64)
        .read_to_end(&mut head)?;
    let behind = file.metadata()?.len().saturating_sub(CONTENT);
    let (mark, noted) = head.split_at_checked(MARK.len()).unwrap_or_default();
    if !mark.is_empty() && mark != MARK {
        // Its header was written, and then the process ended: all of the content is there.
        return Ok(behind);
    }
    // A file that was only just created has no length yet.
    let noted = <[u8; 8]>::try_from(noted).map_or(0, u64::from_be_bytes);
    Ok(noted.min(behind))
}

fn note_length(file: &mut File, length: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&[MARK.as_slice(), &length.to_be_bytes()].concat())?;
    file.sync_data()
}

/// SHA-256 of the content in hexadecimal.
fn hash(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(CONTENT))?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
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

    fn content(store: &BlobStore) -> Vec<u8> {
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
        let store = BlobStore::open(folder.path()).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), None);
        assert_eq!(store.join(&key(), "text/plain").unwrap(), None);
        let append = |offset, content: &[u8]| store.append(&key(), offset, content).unwrap();
        assert_eq!(append(3, b"lost"), Appended::Elsewhere(0));
        assert_eq!(append(0, b"one, "), Appended::Length(5));
        assert_eq!(append(0, b"two"), Appended::Elsewhere(5));
        assert_eq!(append(9, b"two"), Appended::Elsewhere(5));
        assert!(store.get(&key()).unwrap().is_none());
        // Another start finds what is there.
        let store = BlobStore::open(folder.path()).unwrap();
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
    fn what_an_interrupted_part_has_left_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
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
    fn an_end_between_header_and_place_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        store.append(&key(), 0, b"whole").unwrap();
        store.join(&key(), "text/plain").unwrap();
        fs::rename(store.place(&key()), store.partial(&key())).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), Some(5));
        let joined = store.join(&key(), "text/plain").unwrap();
        assert_eq!(joined, Some(Appended::Length(5)));
        assert_eq!(content(&store), b"whole");
        // One that was created and no more.
        assert!(store.delete(&key()).unwrap());
        File::create(store.partial(&key())).unwrap();
        assert_eq!(store.part_length(&key()).unwrap(), Some(0));
        assert_eq!(store.append(&key(), 0, b"x").unwrap(), Appended::Length(1));
        assert!(store.delete(&key()).unwrap());
        assert_eq!(store.part_length(&key()).unwrap(), None);
    }

    #[test]
    fn one_part_is_added_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::open(folder.path()).unwrap();
        let turn = store.turn(&key()).unwrap();
        assert_eq!(store.append(&key(), 0, b"x").unwrap(), Appended::Busy);
        assert_eq!(
            store.join(&key(), "text/plain").unwrap(),
            Some(Appended::Busy)
        );
        drop(turn);
        assert_eq!(store.append(&key(), 0, b"x").unwrap(), Appended::Length(1));
    }
}
