//! Databases on PostgreSQL, for servers that a test starts when the environment asks for that.

use super::Options;

/// Names a database on a server of PostgreSQL.
pub const DATABASE_URL: &str = "SPINDLE_DATABASE_URL";

/// `postgres`: each server that a test starts gets a database on PostgreSQL.
const TEST_DATABASE: &str = "SPINDLE_TEST_DATABASE";

/// Whether servers that tests start have their database on PostgreSQL. For tests of what that has not, with the reason.
#[must_use]
pub fn is_on_postgres(reason: &str) -> bool {
    let is_asked = std::env::var(TEST_DATABASE).is_ok_and(|kind| kind == "postgres");
    if is_asked {
        eprintln!("skipped on PostgreSQL: {reason}");
    }
    is_asked
}

/// An empty database on PostgreSQL, when the environment asks for that.
#[must_use]
pub fn new_database() -> Option<spindle_test_postgres::Database<'static>> {
    remote(&Options::default())
}

/// A database on PostgreSQL for a new server, when the environment asks for that and the test names none.
pub(super) fn remote(options: &Options) -> Option<spindle_test_postgres::Database<'static>> {
    let is_asked = std::env::var(TEST_DATABASE).is_ok_and(|kind| kind == "postgres");
    let mut names = options.environment.iter().map(|(name, _)| name);
    if !is_asked || names.any(|name| name == DATABASE_URL) {
        return None;
    }
    let server = spindle_test_postgres::shared().expect("PostgreSQL (scripts/install-postgres)");
    Some(server.database())
}

/// The database on PostgreSQL that options name.
pub(crate) fn url_in(options: &Options) -> Option<&str> {
    let mut variables = options.environment.iter();
    let url = variables.find(|(name, _)| name == DATABASE_URL);
    url.map(|(_, url)| url.as_str())
}
