//! Copies the rows of one table, in parts where its key allows that.

use super::notes::Position;
use super::{Part, Side, Table, Target};
use crate::{DbError, Value};

/// Rows of a part: few enough to be copied twice after a kill, enough that a commit costs little.
pub(super) const ROWS: u64 = 20_000;

/// Copies a table, or the missing rows of it; `done` gets the number of rows that are there.
///
/// # Errors
/// [`DbError`] when a database cannot be read or written to, or the target refuses a row. What was copied in earlier
/// parts stays, and the same call resumes after it.
pub fn copy(
    source: &dyn Side,
    target: &dyn Target,
    table: &Table,
    done: &mut dyn FnMut(u64),
) -> Result<(), DbError> {
    copy_in_parts(source, target, table, ROWS, done).map_err(|error| within(table, error))
}

pub(super) fn copy_in_parts(
    source: &dyn Side,
    target: &dyn Target,
    table: &Table,
    rows: u64,
    done: &mut dyn FnMut(u64),
) -> Result<(), DbError> {
    let note = target.note(&table.note())?;
    let mut position = Position::read(note.as_deref())?;
    if position != Position::Start {
        done(target.count(table)?);
    }
    let most = table.has_parts().then_some(rows);
    while position != Position::Done {
        let mut next = Position::Done;
        target.fill(table, &mut |visit| {
            let part = Part {
                after: position.after(),
                most,
            };
            let (mut count, mut last) = (0, Vec::new());
            source.each(table, part, &mut |row| {
                visit(row)?;
                count += 1;
                last.clear();
                let key = table.key_places().iter();
                last.extend(key.filter_map(|place| integer(row, *place)));
                done(1);
                Ok(())
            })?;
            next = Position::after_part(count, most, last);
            next.text()
        })?;
        position = next;
    }
    Ok(())
}

pub(super) fn integer(row: &[Value], place: usize) -> Option<i64> {
    match row.get(place) {
        Some(Value::Integer(value)) => Some(*value),
        _ => None,
    }
}

/// Says which table an error is about.
fn within(table: &Table, error: DbError) -> DbError {
    let about = |text: String| format!("table {}: {text}", table.name());
    match error {
        DbError::TryAgain(text) => DbError::TryAgain(about(text)),
        DbError::Unreachable(text) => DbError::Unreachable(about(text)),
        DbError::Full(text) => DbError::Full(about(text)),
        other => DbError::Failed(about(other.reason())),
    }
}
