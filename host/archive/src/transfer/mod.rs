//! Moves a whole organization from a database file to a PostgreSQL server, or back (docs/adr/0056-an-organization-moves.md).
//!
//! Owns what may be moved where, the order of the steps, the comparison at the end, and the one secret that is a file on one
//! side and a row on the other. `spindle_store::transfer` copies the rows. The source is only read; the target counts as a
//! database of a server when everything was found to be equal.

mod digest;
mod files;
mod source;
mod staging;

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use spindle_domain::RealmId;
use spindle_store::transfer::{
    self, Begun, Fingerprint, PostgresSource, PostgresTarget, Side, SqliteSource, SqliteTarget,
    Tables, Target,
};
use spindle_store::{DbError, check, nodes, realms, unfinished_move};

use digest::Digest;
pub use digest::shown;
pub use files::Files;
use spindle_config::DatabaseUrl;
use spindle_config::claim::claim;
use spindle_config::data_dir::DataDir;
use spindle_database::{LINK_SECRET, Location};
use spindle_system::progress::{Progress, Unit};
use spindle_system::secret::new_token;
use staging::Staging;

/// How this command is described to others that want its directory.
const NAME: &str = "spindle admin move";

/// A finished move.
#[derive(Debug)]
pub struct Outcome {
    /// Whether a move that was interrupted went on.
    pub begun: Begun,
    /// Every table, equal on both sides.
    pub tables: Vec<Copied>,
    /// What to do with the files that users have uploaded.
    pub files: Files,
}

/// A table that was copied.
#[derive(Debug)]
pub struct Copied {
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// A digest of all of them in the order of their keys (SHA-256, in hexadecimal).
    pub digest: String,
}

/// Moves the organization of one database into another, which must be empty, and reports progress.
///
/// # Errors
/// A server runs on one of them, the target is not empty, or they differ at the end: one line that says what to do.
/// After an interruption the same call resumes.
pub fn run(from: &Location, to: &Location, progress: &Progress) -> Result<Outcome> {
    match (from, to) {
        (Location::File(file), Location::Server(url)) => to_server(file, url, progress),
        (Location::Server(url), Location::File(file)) => to_file(url, file, progress),
        (Location::File(_), Location::File(_)) => bail!(
            "both are database files: spindle admin backup and restore bring a server to another directory"
        ),
        (Location::Server(url), Location::Server(_)) => bail!(
            "both are databases of PostgreSQL, which has tools for that (pg_dump, pg_restore): the source is {}, the \
             database_url of the configuration or of SPINDLE_DATABASE_URL",
            Location::Server(url.clone())
        ),
    }
}

/// Refuses a database that is not empty, before an import builds an organization for it.
///
/// # Errors
/// There is an organization or a part of one that does not come from an import, or it cannot be used: one line that
/// says what to do.
pub fn require_free(url: &DatabaseUrl) -> Result<()> {
    let to = Location::Server(url.clone());
    to.check_node()
        .and_then(|()| Location::open_native(url))
        .and_then(|connection| transfer::require_free(&connection))
        .map_err(|error| cannot_use(&to, &error))
}

/// Whether a database has an organization on which servers may start.
pub fn has_organization(url: &DatabaseUrl) -> Result<bool> {
    let database = Location::Server(url.clone());
    let connection = database.connect_to_look();
    let connection = connection.map_err(|error| cannot_use(&database, &error))?;
    Ok(!unfinished_move::is_unfinished(&*connection)?
        && realms::exists(&*connection, RealmId::ONLY)?)
}

/// Moves the organization that an import has built in a file of its own into an empty database of a server. What an import that was
/// killed has left there is removed. Servers may use the database when this returns.
pub fn take_in(file: &Path, url: &DatabaseUrl, progress: &Progress) -> Result<()> {
    let (from, to) = (Location::from(file), Location::Server(url.clone()));
    let source = SqliteSource::begin(file).map_err(|error| cannot_use(&from, &error))?;
    let fingerprint = Fingerprint::of_import(&source)?;
    let connection = Location::open_native(url).map_err(|error| cannot_use(&to, &error))?;
    let begun = PostgresTarget::begin(connection, &fingerprint);
    let (target, _) = begun.map_err(|error| cannot_use(&to, &error))?;
    let copying = Copying::of(&source, &target, progress)?;
    copying
        .run()
        .map_err(|error| error.context(to.to_string()))?;
    Ok(target.seal()?)
}

fn to_server(file: &Path, url: &DatabaseUrl, progress: &Progress) -> Result<Outcome> {
    let data = DataDir::beside(file);
    let _claim = claim(data.path(), NAME)?;
    let (from, to) = (Location::from(file), Location::Server(url.clone()));
    let source = SqliteSource::begin(file).map_err(|error| cannot_use(&from, &error))?;
    source::require_schema(&from, check::schema_version(source.db())?)?;
    let fingerprint = source::fingerprint(&source, &from)?;
    to.check_node().map_err(|error| cannot_use(&to, &error))?;
    let connection = Location::open_native(url).map_err(|error| cannot_use(&to, &error))?;
    let begun = PostgresTarget::begin(connection, &fingerprint);
    let (target, begun) = begun.map_err(|error| cannot_use(&to, &error))?;
    let copying = Copying::of(&source, &target, progress)?;
    let tables = copying
        .run()
        .map_err(|error| error.context(to.to_string()))?;
    if let Some(secret) = data.known_token()? {
        nodes::secret(target.db(), LINK_SECRET, &secret)?;
    }
    target.seal()?;
    Ok(Outcome {
        begun,
        tables,
        files: Files::of_file(&data),
    })
}

fn to_file(url: &DatabaseUrl, file: &Path, progress: &Progress) -> Result<Outcome> {
    staging::require_free(file)?;
    let (from, to) = (Location::Server(url.clone()), Location::from(file));
    let cannot_read = |error: DbError| cannot_use(&from, &error);
    from.check_node().map_err(cannot_read)?;
    let connection = Location::open_native(url).map_err(cannot_read)?;
    source::require_schema(&from, connection.version().map_err(cannot_read)?)?;
    source::wait_for_nodes(&connection).map_err(cannot_read)?;
    let source = PostgresSource::begin(connection).map_err(cannot_read)?;
    let fingerprint = source::fingerprint(&source, &from)?;
    let secret = nodes::known_secret(source.db(), LINK_SECRET)?;
    let staging = Staging::claim(file)?;
    let (tables, begun) =
        fill_file(&source, &fingerprint, &staging, progress).with_context(|| to.to_string())?;
    let data = DataDir::beside(file);
    let secret = secret.map_or_else(|| new_token().context("no random numbers"), Ok)?;
    data.set_token(&secret)?;
    progress.step("writing it to the disk", Unit::Pieces, 0);
    staging.settle()?;
    Ok(Outcome {
        begun,
        tables,
        files: Files::of_nodes(&data),
    })
}

fn fill_file(
    source: &PostgresSource,
    fingerprint: &Fingerprint,
    staging: &Staging,
    progress: &Progress,
) -> Result<(Vec<Copied>, Begun)> {
    let tables = Tables::of_newest_schema()?;
    let (target, begun) = SqliteTarget::begin(staging.file(), &tables, fingerprint)?;
    let copied = Copying::of(source, &target, progress)?.run()?;
    target.seal()?;
    target.close()?;
    Ok((copied, begun))
}

fn cannot_use(location: &Location, error: &DbError) -> anyhow::Error {
    anyhow!("{location}: {}", error.reason())
}

/// A copy of all tables.
struct Copying<'c> {
    source: &'c dyn Side,
    target: &'c dyn Target,
    tables: Tables,
    /// Rows of all tables of the source.
    rows: u64,
    progress: &'c Progress,
}

impl<'c> Copying<'c> {
    fn of(source: &'c dyn Side, target: &'c dyn Target, progress: &'c Progress) -> Result<Self> {
        let tables = Tables::of_newest_schema()?;
        let mut rows = 0;
        for table in tables.iter() {
            rows += source.count(table)?;
        }
        Ok(Self {
            source,
            target,
            tables,
            rows,
            progress,
        })
    }

    fn run(&self) -> Result<Vec<Copied>> {
        let (source, target, progress) = (self.source, self.target, self.progress);
        progress.step("copying rows", Unit::Rows, self.rows);
        for table in self.tables.iter() {
            progress.rename(format!("copying {}", table.name()));
            transfer::copy(source, target, table, &mut |count| progress.add(count))?;
        }
        progress.step("making messages searchable", Unit::Rows, self.messages()?);
        target.make_searchable(source, &self.tables, &mut |count| progress.add(count))?;
        let steps = target.postponed()?;
        progress.step("making indexes and keys", Unit::Pieces, steps);
        target.make_postponed(&mut || progress.add(1))?;
        target.continue_after(&source.sequences()?)?;
        let copied = self.compare()?;
        progress.step("checking the database", Unit::Pieces, 0);
        match check::check_filled(target.db())?.first() {
            None => Ok(copied),
            Some(finding) => bail!(
                "the database is not sound: {}: {}; spindle admin check says whether the source is",
                finding.check,
                finding.detail
            ),
        }
    }

    fn messages(&self) -> Result<u64> {
        let messages = self.tables.iter().find(|table| table.name() == "messages");
        Ok(messages.map_or(Ok(0), |table| self.source.count(table))?)
    }

    /// Compares the number of rows and the digest of every table.
    fn compare(&self) -> Result<Vec<Copied>> {
        let progress = self.progress;
        progress.step("comparing rows", Unit::Rows, 2 * self.rows);
        let (mut copied, mut differences) = (Vec::new(), Vec::new());
        for table in self.tables.iter() {
            let name = table.name();
            progress.rename(format!("comparing {name}"));
            let [there, here] = [
                Digest::of(self.source, table, progress),
                Digest::of(self.target, table, progress),
            ];
            let (there, here) = (there?, here?);
            if there != here {
                differences.push(format!("{name} (source: {there}, copy: {here})"));
            }
            copied.push(Copied {
                table: name.to_owned(),
                rows: here.rows,
                digest: here.digest,
            });
        }
        if differences.is_empty() {
            return Ok(copied);
        }
        bail!(
            "the copy differs from the source, so no server starts on it: {}; remove the target and move again",
            differences.join(", ")
        )
    }
}
