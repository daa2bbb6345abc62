//! A zip file, read by its list of entries; nothing in it is trusted.
//!
//! Names are only compared, never used as file names. The whole archive is refused if an entry is
//! absolute, contains `..`, is a link, is encrypted or has a name that occurs twice. The size of
//! the list, the number of entries and the unpacked size are bounded.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};

use super::bounds::Bounds;
use spindle_config::data_dir::open_regular;

/// A file in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path, below the one folder in which everything lies, if there is one.
    pub(super) path: String,
    /// Bytes that it says it unpacks to.
    pub(super) size: u64,
    index: usize,
}

/// An opened zip file.
pub(super) struct Unzip {
    zip: zip::ZipArchive<Source>,
    /// Sorted by path.
    entries: Vec<Entry>,
    /// Bytes that may still come out of the compressor.
    left: Rc<Cell<u64>>,
}

impl Unzip {
    /// Whether this file begins like a zip.
    pub(super) fn is_one(path: &Path) -> Result<bool> {
        let mut magic = [0; 4];
        let mut file = open_regular(path)?;
        Ok(match file.read_exact(&mut magic) {
            Ok(()) => matches!(&magic, b"PK\x03\x04" | b"PK\x05\x06"),
            Err(_) => false,
        })
    }

    /// Opens an archive of which `most` bytes may be unpacked in all.
    pub(super) fn open(path: &Path, most: u64, bounds: &Bounds) -> Result<Self> {
        let allowance = Rc::new(Cell::new(bounds.list_bytes));
        let source = Source {
            inner: BufReader::with_capacity(1 << 16, open_regular(path)?),
            allowance: Rc::clone(&allowance),
            most: bounds.list_bytes,
        };
        let zip = zip::ZipArchive::new(source)?;
        if zip.len() > bounds.entries {
            bail!("it holds more than {} files", bounds.entries);
        }
        if zip.has_duplicate_names() {
            bail!("a file is there twice");
        }
        // From here on the entries themselves are read, which `left` bounds.
        allowance.set(u64::MAX);
        let mut entries = Vec::new();
        for index in 0..zip.len() {
            let entry = zip.by_index_data(index)?;
            if entry.name_raw().len() > bounds.name_bytes {
                let most = bounds.name_bytes;
                bail!("the name of a file in it is longer than {most} bytes");
            }
            let path = checked(entry.name_raw(), || Ok(entry.name()?.into_owned()))?;
            if entry.is_symlink() {
                bail!("{path} is neither a file nor a folder");
            }
            if entry.is_dir() {
                continue;
            }
            if entry.encrypted() {
                bail!("{path} is encrypted");
            }
            // Files that macOS adds to an archive.
            if path.starts_with("__MACOSX/") || path.ends_with(".DS_Store") {
                continue;
            }
            let size = entry.size();
            entries.push(Entry { path, size, index });
        }
        if entries.is_empty() {
            bail!("it is empty");
        }
        without_common_folder(&mut entries);
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        if let Some([one, _]) = entries.windows(2).find(|pair| match pair {
            [one, other] => one.path == other.path,
            _ => false,
        }) {
            bail!("{} is there twice", one.path);
        }
        Ok(Self {
            zip,
            entries,
            left: Rc::new(Cell::new(most)),
        })
    }

    /// All files, sorted by path.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The file at this path.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        self.entries
            .binary_search_by(|entry| entry.path.as_str().cmp(path))
            .ok()
    }

    /// Passes the content of a file, by its index in [`Unzip::entries`], to `visit`.
    pub(super) fn read<T>(
        &mut self,
        place: usize,
        visit: impl FnOnce(&mut dyn Read) -> Result<T>,
    ) -> Result<T> {
        let Some(entry) = self.entries.get(place) else {
            bail!("there is no file {place}");
        };
        let read = || -> Result<T> {
            let file = self.zip.by_index(entry.index)?;
            visit(&mut Bounded {
                inner: file,
                left: Rc::clone(&self.left),
            })
        };
        read().with_context(|| entry.path.clone())
    }
}

/// The path of an entry.
fn checked(raw: &[u8], decoded: impl FnOnce() -> Result<String>) -> Result<String> {
    // Many programs write UTF-8 without saying so.
    let text = match std::str::from_utf8(raw) {
        Ok(text) => text.to_owned(),
        Err(_) => decoded()?,
    };
    if text.starts_with('/') || text.contains(['\\', '\0']) {
        bail!("{text:?} is no path within the archive");
    }
    let parts: Vec<&str> = text
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        bail!("{text:?} leads out of the archive");
    }
    Ok(parts.join("/"))
}

/// Removes the one folder in which everything is, if there is one and nothing next to it.
fn without_common_folder(entries: &mut [Entry]) {
    let top = |entry: &Entry| entry.path.split_once('/').map(|(top, _)| top.to_owned());
    let Some(common) = entries.first().and_then(top) else {
        return;
    };
    if entries
        .iter()
        .all(|entry| top(entry).as_deref() == Some(&common))
    {
        for entry in entries {
            entry.path.drain(..=common.len());
        }
    }
}

/// The file, of which no more is read to find its list of entries than is allowed.
struct Source {
    inner: BufReader<File>,
    allowance: Rc<Cell<u64>>,
    most: u64,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Some(left) = self.allowance.get().checked_sub(count as u64) else {
            let most = self.most;
            return Err(io::Error::other(format!(
                "its list of files is larger than {most} bytes"
            )));
        };
        self.allowance.set(left);
        Ok(count)
    }
}

impl Seek for Source {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

/// A reader that fails when it yields too many bytes.
struct Bounded<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Some(left) = self.left.get().checked_sub(count as u64) else {
            return Err(io::Error::other(
                "it unpacks to more than is allowed (--max-gib)",
            ));
        };
        self.left.set(left);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn zip(names: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.zip");
        let mut zip = zip::ZipWriter::new(File::create_new(&path).unwrap());
        for name in names {
            zip.start_file(*name, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        (folder, path)
    }

    fn paths(names: &[&str]) -> Result<Vec<String>, String> {
        let (_folder, path) = zip(names);
        assert!(Unzip::is_one(&path).unwrap());
        let unzip =
            Unzip::open(&path, 100, &Bounds::default()).map_err(|error| format!("{error:#}"))?;
        let paths = unzip.entries().iter();
        Ok(paths.map(|entry| entry.path.clone()).collect())
    }

    #[test]
    fn paths_stay_within_the_archive() {
        assert_eq!(paths(&["b", "a/c"]).unwrap(), ["a/c", "b"]);
        // One folder around everything makes no difference, nor does what macOS adds.
        assert_eq!(
            paths(&["x/b", "x/a/c", "__MACOSX/x/b"]).unwrap(),
            ["a/c", "b"]
        );
        for bad in ["/x", "../x", "a/../../x", "a\\b"] {
            assert!(paths(&["b", bad]).is_err(), "{bad}");
        }
        assert!(paths(&[]).is_err());
        assert!(paths(&["a/b", "./a//b"]).unwrap_err().contains("twice"));
    }

    #[test]
    fn no_more_is_unpacked_than_allowed() {
        let (_folder, path) = zip(&["aaaaaaaa", "b"]);
        let mut unzip = Unzip::open(&path, 8, &Bounds::default()).unwrap();
        let place = unzip.find("aaaaaaaa").unwrap();
        let read = |unzip: &mut Unzip| {
            unzip.read(place, |content| {
                let mut text = String::new();
                content.read_to_string(&mut text)?;
                Ok(text)
            })
        };
        assert_eq!(read(&mut unzip).unwrap(), "aaaaaaaa");
        let error = format!("{:#}", read(&mut unzip).unwrap_err());
        assert!(error.contains("--max-gib"), "{error}");
    }
}
