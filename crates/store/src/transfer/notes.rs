//! What a target notes while it is filled, so that a killed copy can resume: in a table of its own, which is removed at
//! the end.

use super::Side;
use crate::{DbError, sql};

/// The table of the notes. Its presence says that the copy is not finished.
pub(super) const CREATE: &str =
    "CREATE TABLE organization_move (name TEXT PRIMARY KEY, value TEXT NOT NULL)";
pub(super) const DROP: &str = "DROP TABLE organization_move";

/// The organization and the state of the source that is copied.
pub(super) const REALM: &str = "realm";
pub(super) const STATE: &str = "state";
/// Of a table or a step of which nothing is left to do.
pub(super) const DONE: &str = "done";
/// How far the words of messages are.
pub(super) const WORDS: &str = "words";

/// How a copy begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// Into an empty database.
    New,
    /// Where one that was killed ended.
    GoesOn,
    /// From the start, since the source has changed after one that was killed.
    Again,
}

/// What a copy is a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Names the organization.
    pub(super) realm: String,
    /// Changes with every change that a server makes.
    pub(super) state: String,
}

/// In the place of the organization: an import makes another one each time.
pub(super) const IMPORT: &str = "an import";

impl Fingerprint {
    /// The number of an organization that an import has just created. If the import was killed, the next one starts
    /// from the beginning.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_import(side: &dyn Side) -> Result<Self, DbError> {
        let Self { realm, .. } = Self::of(side)?;
        Ok(Self {
            realm: IMPORT.to_owned(),
            state: realm,
        })
    }

    /// The number of a used organization: every change takes an id, if only for its event.
    ///
    /// # Errors
    /// [`DbError::NoRow`] when the database holds no organization.
    pub fn of(side: &dyn Side) -> Result<Self, DbError> {
        let realm = sql!("SELECT uuid FROM realms WHERE id <> 0 ORDER BY id LIMIT 1");
        let realm: Option<String> = side.db().query(realm, &[])?.value()?;
        let state = serde_json::to_string(&side.sequences()?);
        Ok(Self {
            realm: realm.ok_or(DbError::NoRow)?,
            state: state.map_err(|error| DbError::Json(error.to_string()))?,
        })
    }
}

/// How far a table or a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Position {
    Start,
    /// Behind the row with this key.
    After(Vec<i64>),
    Done,
}

impl Position {
    /// Reads a note.
    pub(super) fn read(note: Option<&str>) -> Result<Self, DbError> {
        match note {
            None => Ok(Self::Start),
            Some(DONE) => Ok(Self::Done),
            Some(key) => {
                let key = serde_json::from_str(key);
                key.map(Self::After)
                    .map_err(|error| DbError::Json(error.to_string()))
            }
        }
    }

    /// The position after a part of `count` rows, of which the last one has this key.
    pub(super) fn after_part(count: u64, most: Option<u64>, last: Vec<i64>) -> Self {
        match most.is_some_and(|most| count >= most) {
            true => Self::After(last),
            false => Self::Done,
        }
    }

    /// The note of it.
    pub(super) fn text(&self) -> Result<String, DbError> {
        match self {
            Self::After(key) => {
                serde_json::to_string(key).map_err(|error| DbError::Json(error.to_string()))
            }
            _ => Ok(DONE.to_owned()),
        }
    }

    /// The key after which rows are still to be copied; none at the start.
    pub(super) fn after(&self) -> Option<&[i64]> {
        match self {
            Self::After(key) => Some(key),
            _ => None,
        }
    }
}
