//! Work that no request waits for: claimed in a transaction, so that a repeated or doubled
//! call of the timer does nothing.

use crate::{DbError, WriteTx, params, statement};

/// Claims the job when it is due at `now`, and makes it due again after `interval` seconds.
/// A job that has never run is due, and so is one whose last run is in the future, because the clock
/// was set back. Returns whether the caller has claimed it.
pub fn claim(tx: &WriteTx<'_>, name: &str, now: i64, interval: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO jobs (name, due, last_run) VALUES (?1, ?2:bigint + ?3:bigint, ?2) \
         ON CONFLICT (name) DO UPDATE SET due = ?2 + ?3, last_run = ?2 \
             WHERE jobs.due <= ?2 OR jobs.last_run > ?2 \
         RETURNING 1"
        ),
        &params![name, now, interval],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Notes what the last run did, for the operator.
pub fn finish(tx: &WriteTx<'_>, name: &str, result: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE jobs SET last_result = ?2 WHERE name = ?1"),
        &params![name, result],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[test]
    fn a_job_is_claimed_once_an_interval() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(claim(&tx, "collect", 100, 60), Ok(true));
        assert_eq!(claim(&tx, "collect", 100, 60), Ok(false));
        assert_eq!(claim(&tx, "collect", 159, 60), Ok(false));
        assert_eq!(claim(&tx, "collect", 160, 60), Ok(true));
        assert_eq!(claim(&tx, "collect", 150, 60), Ok(true), "set back");
        assert_eq!(claim(&tx, "collect", 151, 60), Ok(false));
        finish(&tx, "collect", "nothing").unwrap();
    }
}
