//! A digest of the rows of a table, the same for equal rows in both databases.

use std::fmt;

use sha2::{Digest as _, Sha256};
use spindle_store::Value;
use spindle_store::transfer::{Part, Side, Table};

use spindle_system::progress::Progress;

/// Hexadecimal digits that people compare.
const SHOWN: usize = 16;

/// The compared properties of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) rows: u64,
    /// Hexadecimal.
    pub(super) digest: String,
}

impl Digest {
    /// The digest of the rows of a table, in the order of their key.
    pub(super) fn of<S: Side + ?Sized>(
        side: &S,
        table: &Table,
        progress: &Progress,
    ) -> anyhow::Result<Self> {
        let (mut hash, mut rows, mut bytes) = (Sha256::new(), 0, Vec::new());
        side.each(table, Part::default(), &mut |row| {
            bytes.clear();
            row.iter().for_each(|value| append(&mut bytes, value));
            hash.update(&bytes);
            rows += 1;
            progress.add(1);
            Ok(())
        })?;
        let digest = hash.finalize();
        Ok(Self {
            rows,
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

/// The kind of a value, the length of one that has none of its own, and its bytes: no two rows have the same bytes.
fn append(bytes: &mut Vec<u8>, value: &Value) {
    let mut counted = |kind: u8, content: &[u8]| {
        bytes.push(kind);
        bytes.extend((content.len() as u64).to_be_bytes());
        bytes.extend(content);
    };
    match value {
        Value::Null => bytes.push(0),
        Value::Integer(value) => counted(1, &value.to_be_bytes()),
        Value::Real(value) => counted(2, &value.to_be_bytes()),
        Value::Text(value) => counted(3, value.as_bytes()),
        Value::Blob(value) => counted(4, value),
    }
}

/// The beginning of a digest, which is enough for people.
pub fn shown(digest: &str) -> &str {
    digest.get(..SHOWN).unwrap_or(digest)
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} rows, {}", self.rows, shown(&self.digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(row: &[Value]) -> Vec<u8> {
        let mut bytes = Vec::new();
        row.iter().for_each(|value| append(&mut bytes, value));
        bytes
    }

    #[test]
    fn different_rows_have_different_bytes() {
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = [
            vec![Value::Null, Value::Integer(0)],
            vec![Value::Integer(0), Value::Null],
            vec![text(""), text("ab")],
            vec![text("a"), text("b")],
            vec![text("ab"), text("")],
            vec![Value::Blob(b"a".to_vec()), text("b")],
            vec![Value::Real(0.0), Value::Null],
        ];
        let different: std::collections::BTreeSet<_> = rows.iter().map(|row| bytes(row)).collect();
        assert_eq!(different.len(), rows.len());
    }
}
