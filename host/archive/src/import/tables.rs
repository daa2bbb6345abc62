//! The tables of an archive: taken apart as they stream by, one file for each, so that they can
//! be read in the order in which they are needed.
//!
//! At most one row is in memory. Rows of unknown tables are counted.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use spindle_actions::import::{Columns, IMPORT_SILENT, IMPORT_TABLES};
use spindle_domain::text::first_chars;

use super::apps::{self, Descriptions};
use super::archive::Archive;
use super::bounds::Bounds;
use super::files::is_stored;
use super::limited::Limited;
use super::receipts::{self, LONGEST_NAME};
use spindle_system::progress::Progress;

/// Unknown tables whose names are kept, and the longest such name.
const MOST_UNKNOWN: usize = 200;
/// Files without which an archive is none.
const REQUIRED: [&str; 2] = ["realm.json", "attachment.json"];

/// The tables of an archive, in files of their own.
#[derive(Debug)]
pub(super) struct Tables {
    folder: PathBuf,
    /// Most bytes of a row.
    row_bytes: u64,
    /// How many files of messages there are.
    messages: u32,
    /// Rows by table.
    rows: BTreeMap<String, u64>,
    unknown: BTreeMap<String, u64>,
    /// Columns of receipts that are not known.
    unknown_of_receipts: BTreeSet<String>,
    /// Files that are not tables.
    files: u64,
    pub(super) apps: Descriptions,
}

impl Tables {
    /// Takes the tables out of an archive and checks what can be checked without a database.
    pub(super) fn read(
        archive: &Archive,
        folder: &Path,
        bounds: &Bounds,
        progress: &Progress,
    ) -> Result<Self> {
        let mut tables = Self::empty(folder);
        tables.row_bytes = bounds.row_bytes;
        let (mut seen, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        archive.each("reading the archive", progress, |path, _, content| {
            if let Some(number) = message_file(path) {
                numbers.insert(number);
                return tables.split(content, &format!("{number:09}."));
            }
            match path {
                "realm.json" | "attachment.json" | "spindle_buttons.json" => {
                    tables.split(content, "")?
                }
                "avatars/records.json" => tables.records(content)?,
                other => {
                    match apps::described(other) {
                        Some(name) => tables.apps.keep(name, folder, content)?,
                        None => tables.files += u64::from(is_stored(other)),
                    }
                    return Ok(());
                }
            }
            seen.insert(path.to_owned());
            Ok(())
        })?;
        if let Some(name) = REQUIRED.iter().find(|name| !seen.contains(**name)) {
            bail!("the archive holds no {name}: it is no data export, or not all of one");
        }
        let expected = 1..=u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        if let Some(missing) = expected
            .into_iter()
            .find(|number| !numbers.contains(number))
        {
            bail!("messages-{missing:06}.json is missing in the archive");
        }
        tables.messages = u32::try_from(numbers.len())?;
        Ok(tables)
    }

    /// Tables without rows, which something else writes.
    pub(super) fn empty(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            row_bytes: u64::MAX,
            messages: 0,
            rows: BTreeMap::new(),
            unknown: BTreeMap::new(),
            unknown_of_receipts: BTreeSet::new(),
            files: 0,
            apps: Descriptions::default(),
        }
    }

    /// Says how many files there are that are not tables.
    pub(super) const fn set_other_files(&mut self, count: u64) {
        self.files = count;
    }

    /// Tables that are not imported, with their numbers of rows.
    pub(super) const fn unknown(&self) -> &BTreeMap<String, u64> {
        &self.unknown
    }

    /// Columns of receipts that are not known.
    pub(super) const fn unknown_of_receipts(&self) -> &BTreeSet<String> {
        &self.unknown_of_receipts
    }

    /// How many rows there are to take in.
    pub(super) fn all_rows(&self) -> u64 {
        self.rows.values().sum()
    }

    /// How many rows a table has.
    pub(super) fn rows(&self, table: &str) -> u64 {
        self.rows.get(table).copied().unwrap_or_default()
    }

    /// How many files the archive holds that are not tables.
    pub(super) const fn other_files(&self) -> u64 {
        self.files
    }

    /// The files with the rows of a table, in order; empty when the archive has no such table.
    pub(super) fn files(&self, table: &str) -> Vec<PathBuf> {
        let numbered = (1..=self.messages).map(|number| format!("{number:09}.{table}"));
        std::iter::once(table.to_owned())
            .chain(numbered)
            .map(|name| self.folder.join(name))
            .filter(|path| path.exists())
            .collect()
    }

    /// Takes an object of tables apart.
    fn split(&mut self, content: &mut dyn Read, prefix: &str) -> Result<()> {
        let read = Cell::new(0);
        let reader = BufReader::with_capacity(
            1 << 16,
            Limited {
                content,
                read: &read,
                most: self.row_bytes,
                part: "a row",
            },
        );
        let mut json = serde_json::Deserializer::from_reader(reader);
        let object = Object {
            tables: self,
            prefix,
            read: &read,
        };
        object.deserialize(&mut json)?;
        json.end()?;
        Ok(())
    }

    /// Keeps a list of files as if it were a table.
    fn records(&mut self, content: &mut dyn Read) -> Result<()> {
        let read = Cell::new(0);
        let reader = BufReader::new(Limited {
            content,
            read: &read,
            most: self.row_bytes,
            part: "a row",
        });
        let mut json = serde_json::Deserializer::from_reader(reader);
        let file = self.create("avatars")?;
        let rows = Rows::into_file(file, &read).deserialize(&mut json)?;
        self.count("avatars", rows);
        json.end()?;
        Ok(())
    }

    /// Counts rows of a table that is not known.
    fn pass_over(&mut self, name: &str, rows: u64) {
        let mut name = first_chars(name, LONGEST_NAME);
        if self.unknown.len() >= MOST_UNKNOWN && !self.unknown.contains_key(name) {
            name = "(others)";
        }
        *self.unknown.entry(name.to_owned()).or_default() += rows;
    }

    /// Counts rows of a table.
    pub(super) fn count(&mut self, table: &str, rows: u64) {
        *self.rows.entry(table.to_owned()).or_default() += rows;
    }

    /// A new file with the rows of a table.
    pub(super) fn create(&self, name: &str) -> io::Result<BufWriter<File>> {
        File::create_new(self.folder.join(name)).map(BufWriter::new)
    }
}

/// The number in the name of a file of messages.
fn message_file(path: &str) -> Option<u32> {
    let digits = path.strip_prefix("messages-")?.strip_suffix(".json")?;
    let is_number = digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// Hands every row of a file to `each`.
pub(super) fn each(path: &Path, mut each: impl FnMut(&Columns) -> Result<()>) -> Result<()> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut row = Vec::new();
    while !file.fill_buf()?.is_empty() {
        let mut length = [0; 4];
        file.read_exact(&mut length)?;
        row.resize(usize::try_from(u32::from_le_bytes(length))?, 0);
        file.read_exact(&mut row)?;
        each(&Columns::parse(&row)?)?;
    }
    Ok(())
}

/// Writes a row so that [`each`] finds its end without parsing it.
pub(super) fn write(file: &mut BufWriter<File>, row: &str) -> io::Result<()> {
    let length = u32::try_from(row.len()).map_err(io::Error::other)?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(row.as_bytes())
}

/// An object whose members are tables.
struct Object<'o> {
    tables: &'o mut Tables,
    prefix: &'o str,
    read: &'o Cell<u64>,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object of tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            self.read.set(0);
            if IMPORT_TABLES.contains(&name.as_str()) {
                let file = self.tables.create(&format!("{}{name}", self.prefix));
                let file = file.map_err(|error| A::Error::custom(format!("{name}: {error}")))?;
                let rows = if name == receipts::TABLE {
                    members.next_value_seed(receipts::IntoFile {
                        file,
                        read: self.read,
                        unknown: &mut self.tables.unknown_of_receipts,
                    })?
                } else {
                    members.next_value_seed(Rows::into_file(file, self.read))?
                };
                self.tables.count(&name, rows);
                continue;
            }
            let rows = members.next_value_seed(Rows::nowhere(self.read))?;
            if rows > 0 && !IMPORT_SILENT.contains(&name.as_str()) {
                self.tables.pass_over(&name, rows);
            }
        }
        Ok(())
    }
}

/// The rows of a table.
struct Rows<'r> {
    /// `None` means that they are only counted and need not be rows.
    file: Option<BufWriter<File>>,
    read: &'r Cell<u64>,
}

impl<'r> Rows<'r> {
    const fn into_file(file: BufWriter<File>, read: &'r Cell<u64>) -> Self {
        Self {
            file: Some(file),
            read,
        }
    }

    const fn nowhere(read: &'r Cell<u64>) -> Self {
        Self { file: None, read }
    }
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<u64, D::Error> {
        if self.file.is_some() {
            json.deserialize_seq(self)
        } else {
            json.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = u64;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<u64, A::Error> {
        let mut count = 0;
        match &mut self.file {
            Some(file) => {
                while let Some(row) = rows.next_element::<Box<RawValue>>()? {
                    self.read.set(0);
                    count += 1;
                    write(file, row.get()).map_err(A::Error::custom)?;
                }
                file.flush().map_err(A::Error::custom)?;
            }
            None => {
                while rows.next_element::<IgnoredAny>()?.is_some() {
                    self.read.set(0);
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<u64, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            self.read.set(0);
        }
        Ok(1)
    }

    fn visit_str<E>(self, _: &str) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_bool<E>(self, _: bool) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_i64<E>(self, _: i64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_u64<E>(self, _: u64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_f64<E>(self, _: f64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_unit<E>(self) -> Result<u64, E> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tables_that_are_not_known_are_bounded() {
        let mut tables = Tables::empty(Path::new(""));
        tables.pass_over(&"x".repeat(10_000), 1);
        for number in 0..1000 {
            tables.pass_over(&number.to_string(), 1);
        }
        tables.pass_over("0", 1);
        let unknown = tables.unknown();
        assert_eq!(unknown.len(), MOST_UNKNOWN + 1);
        assert_eq!(unknown[&"x".repeat(LONGEST_NAME)], 1);
        assert_eq!(unknown["0"], 2);
        assert_eq!(unknown.values().sum::<u64>(), 1002);
    }
}
