//! Whether the databases are readable and intact and have the schema of this program.

use std::path::Path;

use spindle_store::migrations::{self, MIGRATIONS};
use spindle_store::{DbError, RusqliteDb, check as checks, open_to_read, realms};

use super::{Finding, Scene};
use crate::backup::SCHEMA_NOT_COMPARED;
use spindle_config::DatabaseUrl;
use spindle_database::Location;

const NAME: &str = "database";

/// Checks the server's database, then the databases next to it.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if let Some(url) = &scene.config.database_url {
        return vec![remote(url)];
    }
    if !scene.database.is_file() {
        let found = format!("there is no database at {}", scene.database.display());
        let advice = "name the directory of the server (--data-dir, --config); the first start of a server creates it";
        return vec![Finding::error(NAME, found, advice)];
    }
    if scene
        .database
        .metadata()
        .is_ok_and(|found| found.len() == 0)
    {
        return vec![Finding::error(
            NAME,
            format!("{} is empty", scene.database.display()),
            "if there was an organization, restore the last backup: the next start creates a new one",
        )];
    }
    let mut findings = match main(scene) {
        Ok(finding) => vec![finding],
        Err(error) => vec![unreadable(scene.database, &error)],
    };
    for path in [scene.data.queues(), scene.data.key_value()] {
        if !path.is_file() && path.symlink_metadata().is_ok() {
            findings.push(Finding::error(
                NAME,
                format!("{} is not a regular file", path.display()),
                "stop the server and remove it: the next start creates it",
            ));
        } else if path.is_file() {
            match damages(&path) {
                Ok(damages) => findings.extend(damaged(&path, &damages)),
                Err(error) => findings.push(unreadable(&path, &error)),
            }
        }
    }
    findings
}

/// The database of a server.
fn remote(url: &DatabaseUrl) -> Finding {
    match Location::examine(url) {
        Err(error) => Finding::error(
            NAME,
            format!("{url}: {}", error.reason()),
            "spindle config check, when that is done; the server does not start before",
        ),
        Ok(0) => Finding::error(
            NAME,
            format!("{url} is empty"),
            "start the server: its first start creates an organization",
        ),
        Ok(schema) if usize::try_from(schema) != Ok(MIGRATIONS.len()) => Finding::warning(
            NAME,
            format!(
                "the schema of {url} is {schema}, and that of this program is {}",
                MIGRATIONS.len()
            ),
            "make a backup; the next start of this version migrates it",
        ),
        Ok(schema) => match schema_difference(url) {
            Ok(Ok(None)) => Finding::ok(NAME, format!("{url} answers, schema {schema}")),
            Ok(Ok(Some(difference))) => Finding::error(
                NAME,
                format!("{url}: {difference}"),
                "something else than this program has changed it: restore the last backup (spindle admin check says more)",
            ),
            Ok(Err(warning)) => Finding::warning(
                NAME,
                format!("{url} answers, schema {schema}; {warning}"),
                "let the role create schemas, then run this again",
            ),
            Err(error) => Finding::error(
                NAME,
                format!("{url}: {}", error.reason()),
                "spindle admin check says more",
            ),
        },
    }
}

/// The first difference of a schema; a warning where it cannot be compared.
fn schema_difference(url: &DatabaseUrl) -> Result<Result<Option<String>, &'static str>, DbError> {
    let db = Location::Server(url.clone()).connect()?;
    let differences = checks::differences(&*db)?;
    if let Some(difference) = differences.into_iter().next() {
        return Ok(Ok(Some(difference.detail)));
    }
    let is_compared = checks::can_compare_schema(&*db)?;
    Ok(is_compared.then_some(None).ok_or(SCHEMA_NOT_COMPARED))
}

fn main(scene: &Scene<'_>) -> Result<Finding, DbError> {
    let connection = open_to_read(scene.database)?;
    migrations::recognise(&connection)?;
    let db = RusqliteDb::new(&connection);
    let schema = checks::schema_version(&db)?;
    let damages = damages(scene.database)?;
    if let Some(finding) = damaged(scene.database, &damages) {
        return Ok(finding);
    }
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if schema > known {
        return Ok(Finding::error(
            NAME,
            format!(
                "its schema is {schema}, and this program knows {known}: a newer version wrote it"
            ),
            "use the program of the version that wrote it, or restore a backup from before",
        ));
    }
    if schema < known {
        return Ok(Finding::warning(
            NAME,
            format!("its schema is {schema}, and that of this program is {known}"),
            "make a backup; the next start of this version migrates it",
        ));
    }
    if let Some(difference) = checks::differences(&db)?.first() {
        return Ok(Finding::error(
            NAME,
            format!("{}: {}", scene.database.display(), difference.detail),
            "something else than this program has changed it: restore the last backup (spindle admin check says more)",
        ));
    }
    let additions = checks::additions(&db)?;
    let realm = realms::by_id(&db, 1.into())?;
    Ok(match realm {
        None => Finding::error(
            NAME,
            "there is no organization in it",
            "start the server: its first start creates one",
        ),
        Some(realm) if realm.deactivated => Finding::warning(
            NAME,
            format!(
                "the organization {:?} is deactivated: no user can sign in",
                realm.name
            ),
            "spindle admin organization reactivate, when that was not meant",
        ),
        Some(_) if additions.is_empty() => Finding::ok(NAME, format!("whole, schema {schema}")),
        Some(_) => Finding::ok(
            NAME,
            format!("whole, schema {schema}; {}", additions.join("; ")),
        ),
    })
}

fn damages(path: &Path) -> Result<Vec<String>, DbError> {
    let connection = open_to_read(path)?;
    checks::quick(&RusqliteDb::new(&connection))
}

fn damaged(path: &Path, damages: &[String]) -> Option<Finding> {
    let first = damages.first()?;
    Some(Finding::error(
        NAME,
        format!("{} is damaged: {first}", path.display()),
        "stop the server, look at the disk, and restore the last backup (spindle admin check says more)",
    ))
}

fn unreadable(path: &Path, error: &DbError) -> Finding {
    Finding::error(
        NAME,
        format!("{}: {error}", path.display()),
        "run this as the account that the server runs as; if it is no database, restore the last backup",
    )
}
