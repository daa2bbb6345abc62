//! The schema of a PostgreSQL database: created, or brought up to date.
//!
//! Owns the order of migrations, and the lock by which one program at a time migrates. Every migration is a transaction of its own with
//! its number in `schema_migrations`.

use super::{NativePg, refusal};
use crate::migrations::{MIGRATIONS, POSTGRES_MIGRATIONS};
use crate::{Db as _, DbError, either, sql, unfinished_move};

/// Other programs wait; the number is this lock's among those of the database.
const LOCK: &str = "SELECT pg_advisory_lock(5472)";
const UNLOCK: &str = "SELECT pg_advisory_unlock(5472)";

impl NativePg {
    /// Brings the database to the newest schema.
    ///
    /// # Errors
    /// [`DbError`] when a statement fails (that migration is undone), or when the database comes from a
    /// newer program.
    pub fn migrate(&self) -> Result<(), DbError> {
        self.run_script(LOCK)?;
        let outcome = self.migrate_alone();
        // The lock ends with the connection at the latest.
        let unlocked = self.run_script(UNLOCK);
        outcome.and(unlocked).map_err(refusal::of_migration)
    }

    fn migrate_alone(&self) -> Result<(), DbError> {
        let found = self.version()?;
        let known = MIGRATIONS.len();
        if usize::try_from(found).map_or(true, |found| found > known) {
            return Err(DbError::Newer { found, known });
        }
        for (name, text) in POSTGRES_MIGRATIONS {
            let number = name.get(..4).and_then(|number| number.parse::<i64>().ok());
            let number = number.ok_or_else(|| DbError::Failed(format!("{name} has no number")))?;
            if number > found {
                self.run_script(&format!(
                    "BEGIN; {text}; INSERT INTO schema_migrations (number) VALUES ({number}) \
                     ON CONFLICT DO NOTHING; COMMIT"
                ))
                .inspect_err(|_| {
                    let _ = self.run_script("ROLLBACK");
                })?;
            }
        }
        Ok(())
    }

    /// The number of the last migration; 0 for an empty database.
    ///
    /// # Errors
    /// [`DbError`] when it cannot be read, or the database holds tables of another program or a part of an organization.
    pub fn version(&self) -> Result<i64, DbError> {
        unfinished_move::require_finished(self)?;
        let is_there = sql!(either!(
            "SELECT 1 AS is_there",
            "SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('schema_migrations') \
             AND attname = 'number') AS is_there"
        ));
        if self.query(is_there, &[])?.value()? == Some(true) {
            return crate::check::schema_version(self).map_err(refusal::of_migration);
        }
        // Tables of extensions are not another program's.
        let foreign = sql!(either!(
            "SELECT 1 AS is_foreign",
            "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT EXISTS \
             (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')) AS is_foreign"
        ));
        if self.query(foreign, &[])?.value()? == Some(true) {
            let reason =
                "the database has tables of another program: create a database for this one";
            return Err(DbError::Failed(reason.to_owned()));
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestPostgres;
    use postgres::NoTls;

    #[test]
    fn a_database_is_created_once_by_many_programs() {
        let Some(database) = TestPostgres::empty() else {
            return;
        };
        let starts = [(); 3].map(|()| {
            let url = database.url();
            std::thread::spawn(move || NativePg::open(&url, NoTls)?.migrate())
        });
        for start in starts {
            start.join().unwrap().unwrap();
        }
        let db = database.open();
        assert_eq!(usize::try_from(db.version().unwrap()), Ok(MIGRATIONS.len()));
        db.run_script("INSERT INTO schema_migrations (number) VALUES (9999)")
            .unwrap();
        assert!(matches!(
            db.migrate(),
            Err(DbError::Newer { found: 9999, .. })
        ));
        db.refuse_writes().unwrap();
        let refused = db.run_script("DELETE FROM schema_migrations").unwrap_err();
        assert!(refused.to_string().contains("25006"), "{refused}");
    }

    #[test]
    fn tables_of_others_and_missing_rights_are_explained() {
        let Some(server) = spindle_test_postgres::shared() else {
            return;
        };
        for table in ["parts (id bigint)", "schema_migrations (version text)"] {
            let database = server.database();
            database.psql(&format!("CREATE TABLE {table}"));
            let refused = NativePg::open(&database.url(), NoTls).unwrap().migrate();
            let refused = refused.unwrap_err().reason();
            assert!(refused.contains("tables of another program"), "{refused}");
        }
        let database = server.database();
        database.psql("CREATE ROLE weak LOGIN PASSWORD 'weak'");
        let weak = format!(
            "postgres://weak:weak@127.0.0.1:{}/{}",
            server.port(),
            database.name()
        );
        let refused = NativePg::open(&weak, NoTls).unwrap().migrate();
        let refused = refused.unwrap_err().reason();
        assert!(refused.contains("must own the database"), "{refused}");
    }
}
