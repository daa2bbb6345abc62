//! The application embedded in the program: its manifest and its components.
//!
//! `cargo xtask package` puts a tar archive into a section of the program's own file. The section is not loaded with
//! the program: its files are read when components are compiled, at the offsets in the archive's headers. A program
//! built by cargo alone has no such section.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use object::read::elf::ElfFile64;
use object::read::{ReadCache, ReadRef};
use object::{Endianness, Object as _, ObjectSection as _};

/// Name of the section.
pub const SECTION: &str = ".spindle.app";

/// Name of the manifest in it.
pub const MANIFEST: &str = "spin.toml";

/// The files of the section, read on demand.
#[derive(Debug)]
pub struct Embedded {
    program: File,
    files: BTreeMap<PathBuf, ByteRange>,
}

/// The byte range of a file in the program.
#[derive(Clone, Copy, Debug)]
struct ByteRange {
    offset: u64,
    length: u64,
}

impl Embedded {
    /// The files embedded in the running program, even if its file has been replaced since it started.
    ///
    /// # Errors
    /// The program's file cannot be read, or is damaged.
    pub fn of_this_program() -> io::Result<Option<Self>> {
        Self::of(File::open("/proc/self/exe")?)
    }

    /// The files embedded in the given program.
    ///
    /// # Errors
    /// As [`of_this_program`](Self::of_this_program).
    pub fn of(program: File) -> io::Result<Option<Self>> {
        let Some((start, length)) = section(&program)? else {
            return Ok(None);
        };
        let mut archive = &program;
        archive.seek(SeekFrom::Start(start))?;
        let mut files = BTreeMap::new();
        for entry in tar::Archive::new(archive.take(length)).entries()? {
            let entry = entry?;
            if entry.header().entry_type().is_file() {
                let place = ByteRange {
                    offset: start.saturating_add(entry.raw_file_position()),
                    length: entry.size(),
                };
                files.insert(entry.path()?.into_owned(), place);
            }
        }
        Ok(Some(Self { program, files }))
    }

    /// Names of all files, sorted.
    pub fn names(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// The content of a file.
    ///
    /// # Errors
    /// There is no such file, or the program's file cannot be read.
    pub fn read(&self, name: &Path) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open(name)?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Opens a file for reading in pieces.
    ///
    /// # Errors
    /// There is no such file.
    pub fn open(&self, name: &Path) -> io::Result<Content<'_>> {
        match self.files.get(name) {
            Some(&place) => Ok(Content {
                program: &self.program,
                place,
            }),
            None => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "this file is not embedded in the program",
            )),
        }
    }
}

/// A reader of an embedded file.
#[derive(Debug)]
pub struct Content<'e> {
    program: &'e File,
    place: ByteRange,
}

impl io::Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.place.length).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let wanted = buffer.get_mut(..wanted).unwrap_or_default();
        let read = self.program.read_at(wanted, self.place.offset)?;
        self.place.offset += read as u64;
        self.place.length -= read as u64;
        Ok(read)
    }
}

/// Offset and length of the section in the file, if there is one.
fn section(program: &File) -> io::Result<Option<(u64, u64)>> {
    let damaged = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason.to_owned());
    let cache = ReadCache::new(program);
    let length = (&cache)
        .len()
        .map_err(|()| damaged("its length is unknown"))?;
    let parsed = ElfFile64::<Endianness, _>::parse(&cache)
        .map_err(|error| damaged(&format!("the program's file cannot be read: {error}")))?;
    let Some(section) = parsed.section_by_name(SECTION) else {
        return Ok(None);
    };
    match section.file_range() {
        Some((start, size)) if start.checked_add(size).is_some_and(|end| end <= length) => {
            Ok(Some((start, size)))
        }
        _ => Err(damaged("the components in the program's file are damaged")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// This test's own program with an archive put into it, as packaging does.
    fn program(folder: &Path, archive: &[u8]) -> File {
        let (tar, out) = (folder.join("app.tar"), folder.join("program"));
        std::fs::write(&tar, archive).unwrap();
        let status = Command::new("objcopy")
            .arg("--strip-all")
            .arg("--add-section")
            .arg(format!("{SECTION}={}", tar.display()))
            .arg("/bin/true")
            .arg(&out)
            .status()
            .unwrap();
        assert!(status.success());
        File::open(out).unwrap()
    }

    fn archive() -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in [(MANIFEST, "one"), ("components/a.wasm", "three")] {
            let mut header = tar::Header::new_ustar();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            builder
                .append_data(&mut header, name, content.as_bytes())
                .unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn files_are_found_in_the_section() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), &archive());
        let embedded = Embedded::of(program).unwrap().unwrap();
        let names: Vec<&Path> = embedded.names().collect();
        assert_eq!(names, [Path::new("components/a.wasm"), Path::new(MANIFEST)]);
        assert_eq!(embedded.read(Path::new(MANIFEST)).unwrap(), b"one");
        assert_eq!(
            embedded.read(Path::new("components/a.wasm")).unwrap(),
            b"three"
        );
        let missing = embedded.read(Path::new("components/b.wasm")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_program_as_cargo_builds_it_carries_nothing() {
        assert!(Embedded::of_this_program().unwrap().is_none());
    }

    #[test]
    fn what_is_no_program_or_no_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "no program").unwrap();
        assert!(Embedded::of(File::open(path).unwrap()).is_err());
        let program = program(folder.path(), &[b'x'; 2048]);
        assert!(Embedded::of(program).is_err());
    }
}
