//! `spindle admin check`: verifies the integrity of the server's data.
//!
//! Only reads, so it may run next to a server. Names and hashes of secrets must not appear in a finding.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use spindle_store::check::Finding;
use spindle_store::{Connection, RusqliteDb, check as database_check, open};

use super::create::Source;
use crate::admin::Session;
use spindle_database::{Location, require_own};

/// The warning where the role of the server cannot make the schema that the comparison needs.
pub const SCHEMA_NOT_COMPARED: &str = "the role may not create a schema in the database, so only the names of columns were \
     compared, not types, indexes, constraints and triggers: GRANT CREATE ON DATABASE";

/// The result of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether there are no findings.
    pub sound: bool,
    /// Number of migrations of the database.
    pub schema: i64,
    /// All problems found.
    pub findings: Vec<Finding>,
    /// What could not be checked, and what another program has added to the schema.
    pub warnings: Vec<String>,
}

/// Checks the database of `source` and the files next to it.
///
/// # Errors
/// There is no database, or it cannot be read.
pub fn check(source: &Source) -> Result<Report> {
    if !source.database.is_file() {
        bail!("there is no database at {}", source.database.display());
    }
    let shown = || source.database.display().to_string();
    require_own(&source.database).with_context(shown)?;
    let connection = open(&source.database).with_context(shown)?;
    let db = RusqliteDb::new(&connection);
    let schema = database_check::schema_version(&db)?;
    let mut findings = database_check::check(&db)?;
    for (name, path) in &source.others {
        if path.exists() {
            findings.extend(other_database(name, path)?);
        }
    }
    let warnings = additions(&db, &findings)?;
    Ok(Report {
        sound: findings.is_empty(),
        schema,
        findings,
        warnings,
    })
}

/// Checks a database on a server. Its integrity and foreign keys are the server's work; what the program keeps in several
/// places is compared.
///
/// # Errors
/// It cannot be read, or has another schema than this program.
pub fn check_server(database: &Location) -> Result<Report> {
    let session = Session::open_to_administer(database.clone())?;
    let schema = database_check::schema_version(session.db())?;
    let findings = database_check::check(session.db())?;
    let mut warnings = additions(session.db(), &findings)?;
    if !database_check::can_compare_schema(session.db())? {
        warnings.push(SCHEMA_NOT_COMPARED.to_owned());
    }
    Ok(Report {
        sound: findings.is_empty(),
        schema,
        findings,
        warnings,
    })
}

/// The additions to the schema of a database without findings: another schema is reported as a whole.
fn additions(db: &dyn Connection, findings: &[Finding]) -> Result<Vec<String>> {
    if !findings.is_empty() {
        return Ok(Vec::new());
    }
    Ok(database_check::additions(db)?)
}

fn other_database(name: &'static str, path: &Path) -> Result<Vec<Finding>> {
    let connection = open(path).with_context(|| path.display().to_string())?;
    let found = database_check::integrity(&RusqliteDb::new(&connection))?;
    Ok(found
        .into_iter()
        .map(|finding| Finding {
            check: name,
            ..finding
        })
        .collect())
}
