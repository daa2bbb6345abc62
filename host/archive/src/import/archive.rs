//! The archive file, read from front to back; its content is untrusted.
//!
//! Names in it are never used as names of files: an absolute one, one with `..`, a link
//! or a device is no part of an export, and the whole archive is refused. The unpacked size
//! is bounded, and so are the bytes that are read to find the next file.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use flate2::bufread::GzDecoder;
use sha2::{Digest as _, Sha256};
use tar::EntryType;

use super::bounds::Bounds;
use spindle_config::data_dir::open_regular;
use spindle_system::progress::{Progress, Unit};

/// Most bytes between two files: headers, long names.
const MOST_BETWEEN: u64 = 1 << 20;
/// The first bytes of what gzip has compressed.
const GZIP: &[u8] = b"\x1f\x8b";
/// Bytes of a path.
const LONGEST_PATH: usize = 4096;
/// Most bytes behind the last file: tars are padded.
const MOST_BEHIND: u64 = 64 << 20;

/// An archive that can be walked more than once.
#[derive(Debug)]
pub(super) struct Archive {
    path: PathBuf,
    most: u64,
    files: usize,
}

impl Archive {
    /// An archive that may unpack to `most` bytes.
    pub(super) fn new(path: &Path, most: u64, bounds: &Bounds) -> Self {
        Self {
            path: path.to_owned(),
            most,
            files: bounds.files,
        }
    }

    /// Hands every file to `visit`: its path below the one folder of the archive, its size, and its
    /// content. `what` names the walk in progress reports.
    pub(super) fn each(
        &self,
        what: &'static str,
        progress: &Progress,
        mut visit: impl FnMut(&str, u64, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        self.walk(what, progress, &mut visit)
            .with_context(|| format!("the archive {} cannot be read", self.path.display()))
    }

    fn walk(
        &self,
        what: &'static str,
        progress: &Progress,
        visit: &mut dyn FnMut(&str, u64, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        // A pipe would wait for a writer.
        let file = open_regular(&self.path)?;
        let metadata = file.metadata()?;
        progress.step(what, Unit::Bytes, metadata.len());
        let file = Counted {
            inner: file,
            progress,
        };
        let mut file = BufReader::with_capacity(1 << 16, file);
        if !file.fill_buf()?.starts_with(GZIP) {
            bail!("it is neither a zip nor a tar that is compressed by gzip");
        }
        let allowance = Rc::new(Cell::new(MOST_BETWEEN));
        let reader = Bounded {
            inner: GzDecoder::new(file),
            left: self.most,
            allowance: Rc::clone(&allowance),
        };
        let mut archive = tar::Archive::new(reader);
        let mut seen = HashSet::new();
        let mut top = None;
        let mut entries = archive.entries()?;
        loop {
            allowance.set(MOST_BETWEEN);
            let Some(entry) = entries.next() else { break };
            let mut entry = entry?;
            let kind = entry.header().entry_type();
            if kind == EntryType::XGlobalHeader {
                continue;
            }
            let path = inner_path(&entry.path_bytes(), &mut top)?;
            match kind {
                EntryType::Directory => continue,
                EntryType::Regular | EntryType::Continuous => {}
                other => bail!("{path} is neither a file nor a folder ({other:?})"),
            }
            if path.len() > LONGEST_PATH {
                bail!("a path in it has more than {LONGEST_PATH} bytes");
            }
            if !seen.insert(digest(&path)) {
                bail!("{path} is there twice");
            }
            if seen.len() > self.files {
                bail!("it holds more than {} files", self.files);
            }
            let size = entry.size();
            // The padding of the block comes along.
            allowance.set(size.saturating_add(MOST_BETWEEN));
            visit(&path, size, &mut entry).with_context(|| path.clone())?;
            io::copy(&mut entry, &mut io::sink())?;
        }
        allowance.set(MOST_BEHIND);
        // To the end, where the checksum is.
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
        if seen.is_empty() {
            bail!("it is empty");
        }
        Ok(())
    }
}

/// Replaces a path of which there may be millions.
fn digest(path: &str) -> [u8; 16] {
    let mut digest = [0; 16];
    let sum = Sha256::digest(path.as_bytes());
    digest.iter_mut().zip(sum).for_each(|(to, from)| *to = from);
    digest
}

/// The path below the one folder in which everything lies; `top` is that folder, once known.
fn inner_path(bytes: &[u8], top: &mut Option<String>) -> Result<String> {
    let shown = String::from_utf8_lossy(bytes).into_owned();
    let Ok(text) = std::str::from_utf8(bytes) else {
        bail!("{shown:?} is no text");
    };
    if text.starts_with('/') || text.contains('\\') || text.contains(char::is_control) {
        bail!("{shown:?} is no path within the archive");
    }
    let mut parts = text
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".");
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    if first == ".." || rest.contains(&"..") {
        bail!("{shown:?} leads out of the archive");
    }
    match top {
        None => *top = Some(first.to_owned()),
        Some(top) if top == first => {}
        Some(top) => bail!("{shown:?} is not in the folder {top:?} like everything before it"),
    }
    Ok(rest.join("/"))
}

/// A reader that counts what it has read.
struct Counted<'p> {
    inner: File,
    progress: &'p Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

/// Says what the decoder's error means for the file.
fn damage(error: io::Error) -> io::Error {
    let text = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early, as after an interrupted copy",
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            return io::Error::other(format!("it is damaged ({error}): copy it again"));
        }
        _ => return error,
    };
    io::Error::new(error.kind(), text)
}

/// A reader that fails when it yields too many bytes.
struct Bounded<R> {
    inner: R,
    /// Of all.
    left: u64,
    /// Until the next look.
    allowance: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).map_err(damage)?;
        let read = count as u64;
        let Some(left) = self.left.checked_sub(read) else {
            return Err(io::Error::other(
                "it unpacks to more than is allowed (--max-gib)",
            ));
        };
        let Some(allowance) = self.allowance.get().checked_sub(read) else {
            return Err(io::Error::other("a header in it is too large"));
        };
        self.left = left;
        self.allowance.set(allowance);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::unzip::Unzip;
    use super::*;

    fn refusal(path: &Path) -> String {
        let archive = Archive::new(path, 1 << 30, &Bounds::default());
        let read = archive.each("reading", &Progress::on_stderr(), |_, _, _| Ok(()));
        format!("{:#}", read.unwrap_err())
    }

    /// Opening a pipe would wait for a writer forever.
    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("export.tar.gz");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(refusal(&pipe).contains("not a regular file"));
        assert!(Unzip::is_one(&pipe).is_err());
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.tar.gz");
        std::fs::write(&path, "text").unwrap();
        assert!(refusal(&path).contains("neither a zip nor a tar"));
        std::fs::write(&path, b"\x1f\x8b\x08\0").unwrap();
        let cut = refusal(&path);
        assert!(cut.contains("ends too early"), "{cut}");
    }

    #[test]
    fn paths_stay_within_the_folder() {
        let mut top = None;
        let mut path = |text: &str| inner_path(text.as_bytes(), &mut top).ok();
        assert_eq!(path("x/realm.json").as_deref(), Some("realm.json"));
        assert_eq!(path("./x//uploads/./a").as_deref(), Some("uploads/a"));
        for bad in [
            "/x/a",
            "../x/a",
            "x/../../a",
            "x/..",
            "y/a",
            "x\\a",
            "..",
            "x/a/../b",
            "x/a\nb",
        ] {
            assert_eq!(path(bad), None, "{bad}");
        }
    }
}
