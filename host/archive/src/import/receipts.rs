//! Rows of `zerver_usermessage`, of which there are more than of all other tables together: parsed
//! once, as they stream by, and kept in a file of three numbers each.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use anyhow::Result;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess,
    Visitor,
};
use spindle_actions::import::ReceiptRow;
use spindle_domain::UserId;
use spindle_domain::text::first_chars;

pub(super) const TABLE: &str = "zerver_usermessage";
pub(super) const LONGEST_NAME: usize = 100;
/// Bytes of a row in its file.
const LENGTH: usize = 24;
/// Rows that are handed over together.
const AT_ONCE: usize = 4096;
/// Unknown columns whose names are kept, at most.
const MOST_UNKNOWN: usize = 20;

/// Hands all rows of a file to `each`, some thousands at a time.
pub(super) fn each(path: &Path, mut each: impl FnMut(&[ReceiptRow]) -> Result<()>) -> Result<()> {
    let file = File::open(path)?;
    let mut left = file.metadata()?.len() / LENGTH as u64;
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut rows = Vec::with_capacity(AT_ONCE);
    while left > 0 {
        rows.clear();
        while left > 0 && rows.len() < AT_ONCE {
            rows.push(read(&mut file)?);
            left -= 1;
        }
        each(&rows)?;
    }
    Ok(())
}

fn read(file: &mut BufReader<File>) -> Result<ReceiptRow> {
    let mut number = || -> Result<i64> {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes)?;
        Ok(i64::from_le_bytes(bytes))
    };
    let (user_id, message_id, flags) = (number()?, number()?, number()?);
    Ok(ReceiptRow {
        user_id: (user_id != 0).then_some(UserId(user_id)),
        message_id: message_id.into(),
        flags,
    })
}

/// Appends a row.
pub(super) fn write(file: &mut BufWriter<File>, row: &ReceiptRow) -> std::io::Result<()> {
    let user_id = row.user_id.map_or(0, UserId::get);
    for number in [user_id, row.message_id.get(), row.flags] {
        file.write_all(&number.to_le_bytes())?;
    }
    Ok(())
}

/// A list of rows on its way into a file.
pub(super) struct IntoFile<'r> {
    pub(super) file: BufWriter<File>,
    /// Bytes of the current row.
    pub(super) read: &'r Cell<u64>,
    /// Columns that are not known.
    pub(super) unknown: &'r mut BTreeSet<String>,
}

impl<'de> DeserializeSeed<'de> for IntoFile<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<u64, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for IntoFile<'_> {
    type Value = u64;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while let Some(row) = rows.next_element_seed(OneRow(self.unknown))? {
            self.read.set(0);
            count += 1;
            write(&mut self.file, &row).map_err(A::Error::custom)?;
        }
        self.file.flush().map_err(A::Error::custom)?;
        Ok(count)
    }
}

struct OneRow<'r>(&'r mut BTreeSet<String>);

impl<'de> DeserializeSeed<'de> for OneRow<'_> {
    type Value = ReceiptRow;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<ReceiptRow, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneRow<'_> {
    type Value = ReceiptRow;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut columns: A) -> Result<ReceiptRow, A::Error> {
        let (mut user_id, mut message_id, mut flags) = (None, None, None);
        while let Some(column) = columns.next_key::<Column>()? {
            match column {
                Column::User => user_id = columns.next_value::<Option<i64>>()?,
                Column::Message => message_id = columns.next_value::<Option<i64>>()?,
                Column::Flags => flags = columns.next_value::<Option<i64>>()?,
                Column::Id => {
                    columns.next_value::<IgnoredAny>()?;
                }
                Column::Unknown(name) => {
                    columns.next_value::<IgnoredAny>()?;
                    if self.0.len() < MOST_UNKNOWN {
                        self.0.insert(name);
                    }
                }
            }
        }
        if user_id == Some(0) {
            return Err(A::Error::custom("the column user_profile is not an id"));
        }
        Ok(ReceiptRow {
            user_id: user_id.map(UserId),
            message_id: message_id
                .ok_or_else(|| A::Error::custom("the column message is missing"))?
                .into(),
            flags: flags.unwrap_or_default(),
        })
    }
}

/// The name of a column.
enum Column {
    Id,
    User,
    Message,
    Flags,
    Unknown(String),
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_identifier(Name)
    }
}

struct Name;

impl Visitor<'_> for Name {
    type Value = Column;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("the name of a column")
    }

    fn visit_str<E>(self, name: &str) -> Result<Column, E> {
        Ok(match name {
            "id" => Column::Id,
            "user_profile" => Column::User,
            "message" => Column::Message,
            "flags_mask" => Column::Flags,
            other => Column::Unknown(first_chars(other, LONGEST_NAME).to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a list becomes, the columns that are not known, or why it is refused.
    fn taken(json: &str) -> Result<(Vec<ReceiptRow>, BTreeSet<String>), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let (read, mut unknown) = (Cell::new(0), BTreeSet::new());
        let into_file = IntoFile {
            file: BufWriter::new(File::create_new(&path).unwrap()),
            read: &read,
            unknown: &mut unknown,
        };
        let mut json = serde_json::Deserializer::from_reader(json.as_bytes());
        let count = into_file
            .deserialize(&mut json)
            .map_err(|error| error.to_string())?;
        let mut rows = Vec::new();
        each(&path, |some| {
            rows.extend_from_slice(some);
            Ok(())
        })
        .unwrap();
        assert_eq!(rows.len() as u64, count);
        Ok((rows, unknown))
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let row = |user_id, message_id, flags| ReceiptRow {
            user_id,
            message_id,
            flags,
        };
        let (rows, unknown) = taken(
            r#"[{"id": 1, "user_profile": 7, "message": 9007199254740993, "flags_mask": -1},
                {"message": 3, "user_profile": null, "flags_mask": null, "new": [{"a": 1}]}]"#,
        )
        .unwrap();
        assert_eq!(
            rows,
            [
                row(Some(7.into()), 9_007_199_254_740_993.into(), -1),
                row(None, 3.into(), 0)
            ]
        );
        assert_eq!(unknown.into_iter().collect::<Vec<_>>(), ["new"]);
        let many: Vec<String> = (1..=10_000)
            .map(|id| format!(r#"{{"user_profile": 1, "message": {id}}}"#))
            .collect();
        let (rows, _) = taken(&format!("[{}]", many.join(","))).unwrap();
        assert_eq!(rows.len(), 10_000);
        assert_eq!(rows.last(), Some(&row(Some(1.into()), 10_000.into(), 0)));
    }

    #[test]
    fn rows_that_make_no_sense_are_refused() {
        for (json, reason) in [
            (r#"[{"user_profile": 7}]"#, "message is missing"),
            (r#"[{"user_profile": 0, "message": 1}]"#, "not an id"),
            (r#"[{"user_profile": "x", "message": 1}]"#, "invalid type"),
            (r#"[{"user_profile": 1, "message": 1.5}]"#, "invalid type"),
            (r#"[{"user_profile": 1, "message": 1e300}]"#, "invalid"),
            (r#"[7]"#, "a row"),
            (r#"{"user_profile": 1}"#, "a list of rows"),
        ] {
            let error = taken(json).unwrap_err();
            assert!(error.contains(reason), "{json}: {error}");
        }
    }
}
