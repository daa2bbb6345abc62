//! What a source must be: of this program's schema, with an organization, and used by no server.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use spindle_store::migrations::MIGRATIONS;
use spindle_store::transfer::{self, Fingerprint, Side};
use spindle_store::{Db, DbError};

use super::cannot_use;
use spindle_database::Location;

/// How long other programs may take to end: twice the time for which one counts that has ended.
const PATIENCE: Duration = Duration::from_secs(4);
const PAUSE: Duration = Duration::from_millis(100);

/// Refuses a database with another schema; it has seen `found` migrations.
pub(super) fn require_schema(from: &Location, found: i64) -> Result<()> {
    let known = MIGRATIONS.len();
    if found == 0 {
        bail!("{from}: there is no organization to move");
    }
    if usize::try_from(found) == Ok(known) {
        return Ok(());
    }
    bail!(
        "{from} has another schema ({found} migrations, this program has {known}): use the program of its version, or \
         start this one's server on it first"
    )
}

/// The fingerprint of the organization.
pub(super) fn fingerprint(source: &dyn Side, from: &Location) -> Result<Fingerprint> {
    Fingerprint::of(source).map_err(|error| match error {
        DbError::NoRow => anyhow::anyhow!("{from}: there is no organization to move"),
        error => cannot_use(from, &error),
    })
}

/// Waits until no other program uses the database, for a few seconds.
pub(super) fn wait_for_nodes(db: &dyn Db) -> Result<(), DbError> {
    let until = Instant::now() + PATIENCE;
    loop {
        let others = transfer::others(db)?;
        if others.is_empty() {
            return Ok(());
        }
        if Instant::now() >= until {
            return Err(DbError::Failed(format!(
                "nodes or other programs use the database ({}): stop all of them first",
                others.join(", ")
            )));
        }
        std::thread::sleep(PAUSE);
    }
}
