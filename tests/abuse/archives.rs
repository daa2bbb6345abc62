//! Decompression bombs: archives for `spindle admin import` that are small and unpack to much.
//!
//! The error messages for malformed archives are tested in `tests/export`. This module measures the
//! memory of the import while a server runs.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use spindle_tests::server::binary;

use crate::attack::{Attack, is_set};
use crate::resources::{BUDGET_KIB, status_kib};

/// Bytes that a bomb unpacks to.
const UNPACKED: u64 = 128 << 20;

/// An archive with one file of `length` bytes that starts with `begin` and is filled up with
/// `filler`.
fn bomb(path: &str, begin: &str, filler: &[u8], length: u64) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o644);
    let filling = Repeated { filler, place: 0 }.take(length - begin.len() as u64);
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    tar.append_data(&mut header, path, begin.as_bytes().chain(filling))
        .expect("a bomb");
    tar.into_inner().expect("tar").finish().expect("gzip")
}

/// An endless reader of `filler`.
struct Repeated<'a> {
    filler: &'a [u8],
    place: usize,
}

impl std::io::Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = self.filler[self.place];
            self.place = (self.place + 1) % self.filler.len();
        }
        Ok(buffer.len())
    }
}

fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let realm = "export/realm.json";
    vec![
        (
            "one large value",
            bomb(realm, "{\"zerver_realm\": [{\"name\": \"", b"a", UNPACKED),
        ),
        (
            "many rows",
            bomb(realm, "{\"zerver_realm\": [{}", b",{}", UNPACKED / 8),
        ),
        (
            "many values of an unknown table",
            bomb(realm, "{\"unknown\": [1", b",1", UNPACKED / 4),
        ),
        (
            "many unknown tables",
            bomb(realm, "{\"a\": 1", b",\"b\": 1", UNPACKED / 8),
        ),
        (
            "deep nesting",
            bomb(realm, "{\"unknown\": ", b"[", UNPACKED / 8),
        ),
        (
            "a large name of a table",
            bomb(realm, "{\"", b"n", UNPACKED),
        ),
        (
            "a large file that no record names",
            bomb("export/uploads/zeros", "", b"0", UNPACKED),
        ),
    ]
}

/// The outcome of an import.
struct Outcome {
    code: Option<i32>,
    errors: String,
    memory_kib: u64,
}

/// Runs an import and samples its memory until it ends.
fn import(archive: &Path, data: &Path) -> Outcome {
    let mut child = Command::new(binary())
        .args(["admin", "import", "--output", "json", "--data-dir"])
        .arg(data)
        .arg(archive)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spindle admin import");
    let mut memory_kib = 0;
    let status = loop {
        memory_kib = memory_kib.max(status_kib(child.id(), "RssAnon:").unwrap_or(0));
        if let Some(status) = child.try_wait().expect("wait") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut errors = String::new();
    let stderr = child.stderr.as_mut().expect("stderr");
    stderr.read_to_string(&mut errors).expect("text");
    Outcome {
        code: status.code(),
        errors,
        memory_kib,
    }
}

/// The import refuses the archive with a message, stays within the memory budget of a server, and
/// leaves no files behind.
#[track_caller]
fn refused(name: &str, archive: &[u8], folder: &Path) {
    let (path, data) = (folder.join("archive.tar.gz"), folder.join("data"));
    std::fs::write(&path, archive).expect("the archive");
    let outcome = import(&path, &data);
    let (errors, memory) = (&outcome.errors, outcome.memory_kib);
    println!("{name}: {memory} KiB, {errors}");
    assert!(memory < BUDGET_KIB, "{name}: {memory} KiB");
    assert!(!errors.contains("panicked"), "{name}: {errors}");
    assert_eq!(outcome.code, Some(1), "{name}: {errors}");
    assert!(!data.exists(), "{name} leaves something behind");
}

pub const BOMBS: Attack = Attack::new("archives that are bombs", |_| {
    let bombs = bombs();
    Box::new(move |is_over| {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, archive) in bombs.iter().cycle() {
            if is_set(is_over) {
                return;
            }
            refused(name, archive, folder.path());
        }
    })
});

#[test]
fn an_import_refuses_decompression_bombs() {
    BOMBS.is_withstood();
    // Each bomb runs at least once, even when the time is short.
    let folder = tempfile::tempdir().expect("a folder");
    for (name, archive) in bombs() {
        refused(name, &archive, folder.path());
    }
}
