//! The archive file: a compressed tar, written from front to back.
//!
//! In a tar, sizes come before contents, so tables are first written into an unnamed temporary file.

use std::fs::File;
use std::io::{BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde_json::{Map, Value, json};
use spindle_store::archive::{Table, each_row};

use super::ExportError;
use super::snapshot::Snapshot;
use spindle_blobs::{BlobKey, BlobStore, NewBlob};

/// The indentation of a line of a row: two spaces for each level, as everywhere in the layout.
const INDENTATION: &str = "\n    ";

/// An archive that is being written.
pub(super) struct Pack<'p> {
    tar: tar::Builder<GzEncoder<NewBlob>>,
    blobs: &'p BlobStore,
    /// The top directory of the archive.
    folder: &'p str,
    /// The time of the build in UNIX seconds.
    time: u64,
    stopped: &'p AtomicBool,
    /// Rows of each table of each file.
    counts: Map<String, Value>,
}

impl<'p> Pack<'p> {
    pub(super) fn new(
        blob: NewBlob,
        blobs: &'p BlobStore,
        folder: &'p str,
        now: i64,
        stopped: &'p AtomicBool,
    ) -> Self {
        Self {
            tar: tar::Builder::new(GzEncoder::new(blob, Compression::default())),
            blobs,
            folder,
            time: u64::try_from(now).unwrap_or_default(),
            stopped,
            counts: Map::new(),
        }
    }

    /// The time of the build in the layout's format.
    #[allow(clippy::cast_precision_loss)] // exact for 285 million years
    pub(super) fn time(&self) -> f64 {
        self.time as f64
    }

    /// Adds a file of the given number of bytes.
    pub(super) fn file(
        &mut self,
        name: &str,
        length: u64,
        content: impl Read,
    ) -> Result<(), ExportError> {
        check(self.stopped)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(length);
        header.set_mode(0o644);
        header.set_mtime(self.time);
        let path = format!("{}/{name}", self.folder);
        Ok(self.tar.append_data(&mut header, path, content)?)
    }

    /// Adds a short file.
    pub(super) fn text(&mut self, name: &str, content: &str) -> Result<(), ExportError> {
        self.file(name, content.len() as u64, content.as_bytes())
    }

    /// Adds a short JSON file.
    pub(super) fn json(&mut self, name: &str, value: &impl Serialize) -> Result<(), ExportError> {
        self.text(name, &serde_json::to_string_pretty(value)?)
    }

    /// Adds a blob; returns its size, if there is one.
    pub(super) fn blob(&mut self, name: &str, key: &str) -> Result<Option<u64>, ExportError> {
        let key = BlobKey::parse(key).ok_or(ExportError::Strange("a key is not valid"))?;
        let Some(blob) = self.blobs.get_blocking(&key)? else {
            // The export continues: one lost file must not prevent it.
            tracing::warn!(key = key.as_str(), "a file of a data export is missing");
            return Ok(None);
        };
        let length = blob.length;
        self.file(name, length, blob.into_reader())?;
        Ok(Some(length))
    }

    /// Adds a JSON object of tables, written by `fill`.
    pub(super) fn tables(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Tables<'_>) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let mut tables = Tables {
            file: BufWriter::new(self.blobs.scratch()?),
            stopped: self.stopped,
            counts: Map::new(),
            is_first: true,
        };
        tables.file.write_all(b"{")?;
        fill(&mut tables)?;
        tables.file.write_all(b"\n}\n")?;
        let counts = Value::Object(tables.counts);
        let mut file = tables.file.into_inner().map_err(std::io::Error::from)?;
        let length = file.stream_position()?;
        file.seek(SeekFrom::Start(0))?;
        self.file(name, length, file)?;
        self.counts.insert(name.to_owned(), counts);
        Ok(())
    }

    /// Adds the list of the files of a directory.
    pub(super) fn records(&mut self, folder: &str, records: &[Value]) -> Result<(), ExportError> {
        self.json(&format!("{folder}/records.json"), &records)?;
        let counted = format!("{folder}_records");
        self.counts.insert(counted, json!(records.len()));
        Ok(())
    }

    /// Writes the statistics and the end of the archive.
    pub(super) fn finish(mut self) -> Result<NewBlob, ExportError> {
        let counts = Value::Object(std::mem::take(&mut self.counts));
        self.json("stats.json", &counts)?;
        Ok(self.tar.into_inner()?.finish()?)
    }
}

fn check(stopped: &AtomicBool) -> Result<(), ExportError> {
    if stopped.load(Ordering::Relaxed) {
        return Err(ExportError::Stopped);
    }
    Ok(())
}

/// A JSON object of tables.
pub(super) struct Tables<'p> {
    file: BufWriter<File>,
    stopped: &'p AtomicBool,
    counts: Map<String, Value>,
    is_first: bool,
}

impl Tables<'_> {
    /// Writes a member that is not a table.
    pub(super) fn member(&mut self, name: &str, value: &Value) -> Result<(), ExportError> {
        let separator = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.file, "{separator}\n  {}: {value}", json!(name))?;
        Ok(())
    }

    /// Writes a table with the rows of `fill`.
    pub(super) fn table(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Rows<'_>) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let separator = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.file, "{separator}\n  {}: [", json!(name))?;
        let mut rows = Rows {
            file: &mut self.file,
            stopped: self.stopped,
            count: 0,
        };
        fill(&mut rows)?;
        let count = rows.count;
        self.file
            .write_all(if count == 0 { b"]" } else { b"\n  ]" })?;
        self.counts.insert(name.to_owned(), json!(count));
        Ok(())
    }

    /// Writes a table while its rows are selected.
    pub(super) fn selected(
        &mut self,
        snapshot: &Snapshot<'_>,
        table: &Table,
    ) -> Result<(), ExportError> {
        self.table(table.name, |rows| {
            let (db, realm_id) = (snapshot.db, snapshot.realm_id);
            each_row(db, realm_id.into(), table, |row| rows.row(row))?;
            Ok(())
        })
    }

    /// Writes an empty table that importers expect.
    pub(super) fn empty(&mut self, name: &str) -> Result<(), ExportError> {
        self.table(name, |_| Ok(()))
    }
}

/// The rows of a table.
pub(super) struct Rows<'t> {
    file: &'t mut BufWriter<File>,
    stopped: &'t AtomicBool,
    count: u64,
}

impl Rows<'_> {
    /// Writes a row of JSON text.
    pub(super) fn row(&mut self, row: &str) -> Result<(), ExportError> {
        let separator = self.separator()?;
        let row: Value = serde_json::from_str(row)?;
        // Line breaks inside of strings are escaped, so these are all formatting.
        let row = serde_json::to_string_pretty(&row)?.replace('\n', INDENTATION);
        write!(self.file, "{separator}{INDENTATION}{row}")?;
        Ok(())
    }

    /// Writes a row of numbers, as [`Rows::row`] would; columns in alphabetical order.
    pub(super) fn numbers(&mut self, columns: &[(&str, i64)]) -> Result<(), ExportError> {
        let separator = self.separator()?;
        write!(self.file, "{separator}{INDENTATION}{{")?;
        let mut separator = "";
        for (name, number) in columns {
            write!(self.file, "{separator}{INDENTATION}  \"{name}\": {number}")?;
            separator = ",";
        }
        write!(self.file, "{INDENTATION}}}")?;
        Ok(())
    }

    /// The separator before the next row.
    fn separator(&mut self) -> Result<&'static str, ExportError> {
        check(self.stopped)?;
        self.count += 1;
        Ok(if self.count == 1 { "" } else { "," })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_numbers_looks_like_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let written = |numbers: bool| {
            let path = folder.path().join(numbers.to_string());
            let mut file = BufWriter::new(File::create(&path).unwrap());
            let stopped = AtomicBool::new(false);
            let mut rows = Rows {
                file: &mut file,
                stopped: &stopped,
                count: 0,
            };
            for id in [1, 2] {
                if numbers {
                    rows.numbers(&[("flags_mask", -5), ("id", id)]).unwrap();
                } else {
                    let row = json!({"id": id, "flags_mask": -5});
                    rows.row(&row.to_string()).unwrap();
                }
            }
            file.flush().unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        assert_eq!(written(true), written(false));
    }
}
