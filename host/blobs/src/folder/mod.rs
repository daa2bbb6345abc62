//! Blobs in a folder of this machine, or of a file system that several nodes share.
//!
//! A file is named by the SHA-256 of its key, so that keys are never used as file names. It is
//! written to a temporary file, flushed and renamed: readers see the complete old or new blob, and a
//! stored blob survives power loss. Everything here blocks, except for `place`.

mod file;
mod partial;
mod store;

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use self::file::Header;
use super::append_locks::AppendLocks;
use super::key::BlobKey;
use super::store::BlobError;

/// Name of the directory for files that are being written.
const INCOMING: &str = "incoming";

/// Characters of the name of a folder of blobs.
const FOLDER_NAME: usize = 2;

/// Blobs in a folder. Clones share it.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    /// Locks on blobs to which a part is being appended.
    append_locks: Arc<AppendLocks>,
}

/// An open blob.
#[derive(Debug)]
pub struct StoredFile {
    file: File,
    /// Offset of the content in the file.
    offset: u64,
    /// Bytes of content.
    pub length: u64,
    /// Media type given when it was stored.
    pub content_type: String,
    /// SHA-256 of the content in hexadecimal.
    pub sha256: String,
}

impl StoredFile {
    /// The content from its beginning.
    #[must_use]
    pub fn into_reader(self) -> File {
        self.file
    }
}

impl Folder {
    /// Opens the directory, creating it when missing, and removes temporary files that a killed
    /// process has left.
    ///
    /// # Errors
    /// When the directory cannot be used.
    pub fn open(root: &Path) -> Result<Self, BlobError> {
        let incoming = root.join(INCOMING);
        fs::create_dir_all(&incoming)?;
        for entry in fs::read_dir(&incoming)? {
            let path = entry?.path();
            // Another node that shares the folder has locked the files that it is writing.
            if File::open(&path).is_ok_and(|file| lock(&file)) {
                remove(&path)?;
            }
        }
        fs::create_dir_all(root.join(partial::DIRECTORY))?;
        Ok(Self::to_read(root))
    }

    /// The directory unchanged, for reading next to a server that uses it.
    #[must_use]
    pub fn to_read(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            append_locks: Arc::default(),
        }
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
        let written = self.incoming().and_then(|(incoming, mut file)| {
            header.write(&mut file, content)?;
            self.rename_into_place(&incoming.0, &file, key)
        });
        Ok(written?)
    }

    /// Begins a blob whose content is written in parts; it exists once it is finished.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn begin(&self, key: &BlobKey, content_type: &str) -> Result<NewFile, BlobError> {
        let (incoming, mut file) = self.incoming()?;
        let header = Header {
            key: key.as_str().to_owned(),
            content_type: content_type.to_owned(),
            // A placeholder as long as the final header.
            sha256: hexadecimal(&[0; 32]),
        };
        header.write(&mut file, &[])?;
        Ok(NewFile {
            folder: self.clone(),
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
        // Unlinked immediately: an open file exists without its name.
        Ok(self.incoming()?.1)
    }

    /// Creates a temporary file, which is locked until it is closed.
    fn incoming(&self) -> io::Result<(Incoming, File)> {
        loop {
            let mut random = [0; 16];
            getrandom::fill(&mut random).map_err(io::Error::other)?;
            let incoming = Incoming(self.root.join(INCOMING).join(hexadecimal(&random)));
            let file = File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&incoming.0)?;
            // Before it was locked, a node that starts may have taken it for one that was left.
            if lock(&file) && partial::is_at(&file, &incoming.0)? {
                return Ok((incoming, file));
            }
        }
    }

    /// Moves a completely written file to the path of `key`.
    fn rename_into_place(&self, from: &Path, file: &File, key: &BlobKey) -> io::Result<()> {
        let target = self.path_of(key);
        let folder = target.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        file.sync_all()?;
        fs::rename(from, &target)?;
        File::open(folder)?.sync_all()?;
        File::open(&self.root)?.sync_all()
    }

    /// Opens a blob; `None` when no blob has that key.
    ///
    /// # Errors
    /// See [`BlobError`].
    pub fn get(&self, key: &BlobKey) -> Result<Option<StoredFile>, BlobError> {
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
        Ok(Some(StoredFile {
            file,
            offset,
            length,
            content_type: header.content_type,
            sha256: header.sha256,
        }))
    }

    /// The keys of all complete blobs.
    ///
    /// # Errors
    /// See [`BlobError`]: a file is damaged, or cannot be read.
    pub fn keys(&self) -> Result<Vec<BlobKey>, BlobError> {
        let mut keys = Vec::new();
        let folders = match fs::read_dir(&self.root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(keys),
            folders => folders?,
        };
        for folder in folders {
            let folder = folder?;
            // The others hold incomplete files.
            if folder.file_name().len() != FOLDER_NAME || !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                let path = file?.path();
                let damaged = || BlobError::Damaged(path.display().to_string());
                let (header, ..) = match File::open(&path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    file => Header::read(&mut file?).map_err(|_| damaged())?,
                };
                keys.push(BlobKey::parse(&header.key).ok_or_else(damaged)?);
            }
        }
        keys.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        Ok(keys)
    }

    /// Removes a complete or incomplete blob; returns whether there was one.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn delete(&self, key: &BlobKey) -> Result<bool, BlobError> {
        let begun = remove(&self.partial(key))?;
        Ok(remove(&self.path_of(key))? || begun)
    }

    fn path_of(&self, key: &BlobKey) -> PathBuf {
        let name = hexadecimal(&Sha256::digest(key.as_str()));
        // Two levels, so that no directory holds a million files. The name is ASCII.
        let (folder, rest) = name.split_at(FOLDER_NAME);
        self.root.join(folder).join(rest)
    }
}

/// A temporary file that is removed when this is dropped.
#[derive(Debug)]
struct Incoming(PathBuf);

impl Drop for Incoming {
    fn drop(&mut self) {
        // Missing after the rename; if the removal fails, the next start removes it.
        let _ = fs::remove_file(&self.0);
    }
}

/// A blob that is being written. If dropped before it is finished, it is discarded.
#[derive(Debug)]
pub struct NewFile {
    folder: Folder,
    key: BlobKey,
    header: Header,
    incoming: Incoming,
    file: BufWriter<File>,
    hash: Sha256,
    length: u64,
}

impl NewFile {
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
            .folder
            .rename_into_place(&self.incoming.0, &file, &self.key)?)
    }
}

impl Write for NewFile {
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

/// Locks a file until it is closed; false when another process has. Where the file system knows no locks, no
/// other node shares it.
fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
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

    fn content(blob: StoredFile) -> Vec<u8> {
        let mut content = Vec::new();
        let mut file = blob.file;
        file.read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn put_get_replace_delete() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::open(folder.path()).unwrap();
        assert!(store.get(&key("a/b")).unwrap().is_none());
        store.put(&key("a/b"), "image/png", b"one").unwrap();
        let blob = store.get(&key("a/b")).unwrap().unwrap();
        assert_eq!((blob.content_type.as_str(), blob.length), ("image/png", 3));
        assert_eq!(content(blob), b"one");
        store.put(&key("a/b"), "text/plain", b"").unwrap();
        let store = Folder::open(folder.path()).unwrap();
        let blob = store.get(&key("a/b")).unwrap().unwrap();
        assert_eq!((blob.content_type.as_str(), blob.length), ("text/plain", 0));
        assert!(store.delete(&key("a/b")).unwrap());
        assert!(!store.delete(&key("a/b")).unwrap());
    }

    #[test]
    fn a_blob_written_in_parts_exists_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::open(folder.path()).unwrap();
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
        let store = Folder::open(folder.path()).unwrap();
        fs::write(folder.path().join(INCOMING).join("x"), "half").unwrap();
        let written = store.begin(&key("l"), "text/plain").unwrap();
        store.put(&key("k"), "text/plain", b"content").unwrap();
        fs::write(store.path_of(&key("k")), "rubbish").unwrap();
        assert!(matches!(store.get(&key("k")), Err(BlobError::Damaged(_))));
        // Leaves files alone that are being written.
        Folder::open(folder.path()).unwrap();
        let incoming = fs::read_dir(folder.path().join(INCOMING)).unwrap();
        assert_eq!(incoming.count(), 1);
        written.finish().unwrap();
    }
}
