//! Sorts records that need not fit into memory, by a key in front of them.
//!
//! Owns buffers, sorted runs in files without names of their own meaning, and merging them. Memory
//! is bounded by one buffer and one block for each run, files by the number of runs that are open
//! at the same time; a record is a sequence of bytes. Published crates for sorting bound the number
//! of records in memory, not their bytes, and open all runs together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The key that records are sorted by. The order of equal keys is unspecified.
pub(super) type Key = [u64; 5];

/// Bytes of records that are held until they are sorted and written.
const BUFFER: usize = 16 << 20;
/// Runs that are merged together.
const MOST_RUNS: usize = 64;
/// Bytes of a run that are held while it is merged.
const BLOCK: usize = 1 << 16;

/// Takes records in any order.
pub(super) struct Sorter {
    folder: PathBuf,
    name: &'static str,
    buffer: Vec<(Key, Box<[u8]>)>,
    held: usize,
    most: usize,
    runs: Vec<PathBuf>,
    /// How many runs there have been, for their names.
    made: u64,
}

impl Sorter {
    /// A sorter whose files lie in this folder, with names that begin with `name`.
    pub(super) fn new(folder: &Path, name: &'static str) -> Self {
        Self::with_buffer(folder, name, BUFFER)
    }

    fn with_buffer(folder: &Path, name: &'static str, most: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            name,
            buffer: Vec::new(),
            held: 0,
            most,
            runs: Vec::new(),
            made: 0,
        }
    }

    /// Takes a record.
    pub(super) fn push(&mut self, key: Key, record: Vec<u8>) -> io::Result<()> {
        // The key, and what the allocator and the vector need.
        self.held += record.len() + 64;
        self.buffer.push((key, record.into_boxed_slice()));
        if self.held >= self.most {
            self.write_run()?;
        }
        Ok(())
    }

    /// Passes all records to `each`, sorted, and deletes the files.
    pub(super) fn finish<E: From<io::Error>>(
        mut self,
        mut each: impl FnMut(Key, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.runs.is_empty() {
            self.buffer.sort_unstable_by_key(|(key, _)| *key);
            for (key, record) in std::mem::take(&mut self.buffer) {
                each(key, &record)?;
            }
            return Ok(());
        }
        self.write_run()?;
        merge(&self.runs, each)?;
        for run in &self.runs {
            std::fs::remove_file(run)?;
        }
        Ok(())
    }

    fn write_run(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.buffer.sort_unstable_by_key(|(key, _)| *key);
        let path = self.next_path();
        let mut file = BufWriter::with_capacity(BLOCK, File::create_new(&path)?);
        for (key, record) in self.buffer.drain(..) {
            write(&mut file, key, &record)?;
        }
        file.flush()?;
        self.held = 0;
        self.runs.push(path);
        if self.runs.len() >= MOST_RUNS {
            self.merge_runs()?;
        }
        Ok(())
    }

    /// Makes one run of all.
    fn merge_runs(&mut self) -> io::Result<()> {
        let path = self.next_path();
        let mut file = BufWriter::with_capacity(BLOCK, File::create_new(&path)?);
        merge(&self.runs, |key, record| write(&mut file, key, record))?;
        file.flush()?;
        for run in self.runs.drain(..) {
            std::fs::remove_file(run)?;
        }
        self.runs.push(path);
        Ok(())
    }

    fn next_path(&mut self) -> PathBuf {
        self.made += 1;
        self.folder.join(format!("{}.{}", self.name, self.made))
    }
}

fn write(file: &mut BufWriter<File>, key: Key, record: &[u8]) -> io::Result<()> {
    for part in key {
        file.write_all(&part.to_le_bytes())?;
    }
    let length = u32::try_from(record.len()).map_err(io::Error::other)?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(record)
}

/// A run that is being read, with its first record that was not handed over.
struct Run {
    file: BufReader<File>,
    record: Vec<u8>,
}

impl Run {
    /// Reads the next record; its key, if there is one.
    fn next(&mut self) -> io::Result<Option<Key>> {
        if self.file.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut key = Key::default();
        let mut bytes = [0; 8];
        for part in &mut key {
            self.file.read_exact(&mut bytes)?;
            *part = u64::from_le_bytes(bytes);
        }
        let mut length = [0; 4];
        self.file.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        self.record.resize(length, 0);
        self.file.read_exact(&mut self.record)?;
        Ok(Some(key))
    }
}

fn merge<E: From<io::Error>>(
    paths: &[PathBuf],
    mut each: impl FnMut(Key, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut runs = Vec::new();
    let mut heads = BinaryHeap::new();
    for path in paths {
        let mut run = Run {
            file: BufReader::with_capacity(BLOCK, File::open(path)?),
            record: Vec::new(),
        };
        if let Some(key) = run.next()? {
            heads.push(Reverse((key, runs.len())));
            runs.push(run);
        }
    }
    while let Some(Reverse((key, index))) = heads.pop() {
        let Some(run) = runs.get_mut(index) else {
            continue;
        };
        each(key, &run.record)?;
        if let Some(key) = run.next()? {
            heads.push(Reverse((key, index)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records that come in a scattered order, sorted with a buffer of this size.
    fn sorted(count: u64, most: usize) -> Vec<u64> {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::with_buffer(folder.path(), "x", most);
        for number in 0..count {
            let scattered = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1_000_003;
            let record = scattered.to_string().into_bytes();
            sorter.push([scattered, number, 0, 0, 0], record).unwrap();
        }
        let mut found = Vec::new();
        sorter
            .finish(|key, record| {
                assert_eq!(key[0].to_string().as_bytes(), record);
                found.push(key[0]);
                Ok::<(), io::Error>(())
            })
            .unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        found
    }

    #[test]
    fn records_come_back_in_order_whatever_fits_into_memory() {
        let all = sorted(5000, BUFFER);
        assert!(all.is_sorted() && all.len() == 5000);
        // So small a buffer that runs are merged before the end.
        for most in [100, 1000, 30_000] {
            assert_eq!(sorted(5000, most), all, "{most}");
        }
        assert_eq!(sorted(0, 100), Vec::<u64>::new());
    }
}
