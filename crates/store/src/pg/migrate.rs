//! The schema of a PostgreSQL database: created, or brought up to date.
//!
//! Owns the order, and that one program at a time does it. Every migration is a transaction of its own with
//! its number in `schema_migrations`.

use super::NativePg;
use crate::migrations::{MIGRATIONS, POSTGRES_MIGRATIONS};
use crate::{Db as _, DbError, either, sql};

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
        outcome.and(unlocked)
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
    fn version(&self) -> Result<i64, DbError> {
        let is_there = sql!(either!(
            "SELECT 1 AS is_there",
            "SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there"
        ));
        if self.query(is_there, &[])?.value()? != Some(true) {
            return Ok(0);
        }
        crate::check::schema_version(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postgres::NoTls;

    #[test]
    fn a_database_is_created_once_by_many_programs() {
        let Some(server) = spindle_postgres::shared() else {
            return;
        };
        let database = server.database();
        let url = database.url();
        let starts = [(); 3].map(|()| {
            let url = url.clone();
            std::thread::spawn(move || NativePg::open(&url, NoTls)?.migrate())
        });
        for start in starts {
            start.join().unwrap().unwrap();
        }
        let db = NativePg::open(&url, NoTls).unwrap();
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
}
