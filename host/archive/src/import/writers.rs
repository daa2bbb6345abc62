//! Rows on their way into the files of tables, when it is not an archive of the layout that holds them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};

use anyhow::{Context as _, Result};
use serde_json::Value;
use spindle_actions::import::ReceiptRow;

use super::tables::Tables;
use super::{receipts, tables};

/// The tables that are being written.
#[derive(Default)]
pub(super) struct Writers(HashMap<&'static str, Writer>);

struct Writer {
    file: BufWriter<File>,
    rows: u64,
}

impl Writers {
    /// Appends a row to a table.
    pub(super) fn row(&mut self, into: &Tables, table: &'static str, row: &Value) -> Result<()> {
        let writer = self.writer(into, table)?;
        writer.rows += 1;
        tables::write(&mut writer.file, &row.to_string()).context(table)
    }

    /// Appends a receipt.
    pub(super) fn receipt(&mut self, into: &Tables, row: &ReceiptRow) -> Result<()> {
        let writer = self.writer(into, receipts::TABLE)?;
        writer.rows += 1;
        receipts::write(&mut writer.file, row).context(receipts::TABLE)
    }

    /// Ends all tables.
    pub(super) fn finish(self, into: &mut Tables) -> Result<()> {
        for (table, mut writer) in self.0 {
            writer.file.flush().context(table)?;
            into.count(table, writer.rows);
        }
        Ok(())
    }

    fn writer(&mut self, into: &Tables, table: &'static str) -> Result<&mut Writer> {
        use std::collections::hash_map::Entry;
        Ok(match self.0.entry(table) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(free) => free.insert(Writer {
                file: into.create(table).context(table)?,
                rows: 0,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::empty(folder.path());
        let mut writers = Writers::default();
        for id in 1..=3 {
            let row = json!({"id": id, "name": "ü"});
            writers.row(&tables, "zerver_client", &row).unwrap();
        }
        let receipt = ReceiptRow {
            user_id: Some(4.into()),
            message_id: 5.into(),
            flags: 1,
        };
        writers.receipt(&tables, &receipt).unwrap();
        writers.finish(&mut tables).unwrap();
        assert_eq!((tables.rows("zerver_client"), tables.all_rows()), (3, 4));
        let mut names = Vec::new();
        for file in tables.files("zerver_client") {
            tables::each(&file, |row| {
                names.push(row.values()["name"].to_string());
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(names, ["\"ü\""; 3]);
        receipts::each(&folder.path().join(receipts::TABLE), |rows| {
            assert_eq!(rows, [receipt]);
            Ok(())
        })
        .unwrap();
    }
}
