//! A data directory as a power failure leaves it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::support::{contents, number};

/// The state of data that had not been flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// All of it is lost.
    Clean,
    /// The file ends in the middle of it.
    Torn,
    /// The space was allocated, but not its content written.
    Rubbish,
    /// Pages that a checkpoint was copying into the database are torn.
    TornCheckpoint,
}

/// The copy; it is removed with this value.
pub struct Crashed {
    folder: tempfile::TempDir,
    tail: Tail,
}

impl Crashed {
    /// Copies the databases of a paused server; `flushed` is the length of each log that has
    /// reached the disk.
    pub fn copy(data: &Path, tail: Tail, flushed: impl Fn(&str) -> u64) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::create_dir(folder.path().join("data")).expect("folder");
        let crashed = Self { folder, tail };
        for name in ["spindle.db", "queues.db", "key_value.db"] {
            std::fs::copy(data.join(name), crashed.path(name)).expect("copy");
            let log = format!("{name}-wal");
            // The third has no durability guarantee.
            let size = if name == "key_value.db" {
                0
            } else {
                flushed(&log)
            };
            let bytes = std::fs::read(data.join(&log)).unwrap_or_default();
            crashed.put_log(&log, &bytes, usize::try_from(size).expect("size"));
        }
        if tail == Tail::TornCheckpoint {
            crashed.tear_checkpoint();
        }
        crashed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("data").join(name)
    }

    fn put_log(&self, name: &str, bytes: &[u8], flushed: usize) {
        let flushed = flushed.min(bytes.len());
        let (kept, lost) = bytes.split_at(flushed);
        let mut log = kept.to_vec();
        match self.tail {
            Tail::Clean | Tail::TornCheckpoint => {}
            Tail::Torn => log.extend_from_slice(&lost[..lost.len() * 2 / 3]),
            Tail::Rubbish => log.extend(lost.iter().map(|byte| byte.rotate_left(3) ^ 0x5a)),
        }
        std::fs::write(self.path(name), log).expect("log");
    }

    /// Overwrites every database page that the log contains, since a checkpoint may be copying it.
    fn tear_checkpoint(&self) {
        let log = std::fs::read(self.path("spindle.db-wal")).expect("log");
        // Nothing was flushed yet, so no checkpoint has begun.
        if log.is_empty() {
            return;
        }
        let path = self.path("spindle.db");
        let mut file = File::options().write(true).open(&path).expect("database");
        let pages = file.metadata().expect("metadata").len() / page_size(&log);
        for page in committed_pages(&log) {
            if page <= pages {
                let at = (page - 1) * page_size(&log);
                file.seek(SeekFrom::Start(at)).expect("seek");
                file.write_all(&vec![0xa5; page_size(&log) as usize])
                    .expect("write");
            }
        }
    }

    /// Opens one of the databases, as the next start does.
    pub fn open(&self, name: &str) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path(name)).expect("database")
    }

    /// Sound, with everything that was acknowledged, and without half of a transaction.
    pub fn check(&self, acknowledged: &BTreeMap<i64, String>) {
        let tail = self.tail;
        for name in ["spindle.db", "queues.db"] {
            let sound: String = self
                .open(name)
                .query_row("PRAGMA integrity_check", [], |row| row.get(0))
                .expect("check");
            assert_eq!(sound, "ok", "{name}, {tail:?}");
        }
        let database = self.open("spindle.db");
        let stored = contents(&database);
        for (id, content) in acknowledged {
            assert_eq!(stored.get(id), Some(content), "message {id}, {tail:?}");
        }
        // A message and its event are one transaction.
        let count = i64::try_from(stored.len()).expect("count");
        let in_log = "SELECT count(*) FROM event_log WHERE type = 'message'";
        assert_eq!(number(&database, in_log), count, "{tail:?}");
        let indexed = "SELECT count(*) FROM message_search WHERE message_search MATCH 'message'";
        assert_eq!(number(&database, indexed), count, "{tail:?}");
    }

    /// The directory itself, which the caller must remove.
    pub fn into_directory(self) -> PathBuf {
        self.folder.keep().join("data")
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|part| part.try_into().ok());
    u32::from_be_bytes(word.expect("a log"))
}

fn page_size(log: &[u8]) -> u64 {
    u64::from(word(log, 8))
}

/// Pages in a write-ahead log, up to its last commit (https://sqlite.org/fileformat2.html, 4).
fn committed_pages(log: &[u8]) -> BTreeSet<u64> {
    let salts = log.get(16..24).expect("a log");
    let size = 24 + page_size(log) as usize;
    let mut committed = BTreeSet::new();
    let mut pages = BTreeSet::new();
    for frame in log.get(32..).expect("a log").chunks_exact(size) {
        // The rest belongs to an earlier cycle of the log.
        if frame.get(8..16) != Some(salts) {
            break;
        }
        pages.insert(u64::from(word(frame, 0)));
        if word(frame, 4) != 0 {
            committed.append(&mut pages);
        }
    }
    committed
}
