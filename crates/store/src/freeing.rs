//! Changes that free space or contain damage, which a full disk must not prevent.

use crate::transaction::{BEGINS_FREEING, BEGINS_FREEING_PART};
use crate::{
    BEGIN_PART, BEGIN_WRITE, Connection, Db, DbError, Dialect, Query, Rows, Statement, Value,
};

/// A connection whose changes the native host lets use half of the disk's reserve: for deletions, and for what ends
/// the access of an account.
pub struct Freeing<'c>(pub &'c dyn Connection);

impl Db for Freeing<'_> {
    fn dialect(&self) -> Dialect {
        self.0.dialect()
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.0.query(query, params)
    }
}

impl Connection for Freeing<'_> {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        let statement = match statement.text() {
            BEGIN_WRITE => BEGINS_FREEING,
            BEGIN_PART => BEGINS_FREEING_PART,
            _ => statement,
        };
        self.0.execute(statement, params)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::testing::TestDatabase;
    use crate::{SilentReason, change_silently, jobs};

    /// Notes the statements of a connection.
    struct Noting<'d>(crate::RusqliteDb<'d>, RefCell<Vec<&'static str>>);

    impl Db for Noting<'_> {
        fn dialect(&self) -> Dialect {
            Dialect::Sqlite
        }

        fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
            self.0.query(query, params)
        }
    }

    impl Connection for Noting<'_> {
        fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
            self.1.borrow_mut().push(statement.text());
            self.0.execute(statement, params)
        }
    }

    #[test]
    fn sqlite_accepts_the_text_that_names_the_intent() {
        let database = TestDatabase::with_realm();
        let noting = Noting(database.db(), RefCell::default());
        let claim = |tx: &crate::WriteTx<'_>| jobs::claim(tx, "a", 1, 60);
        let freeing = Freeing(&noting);
        let claimed = change_silently(&freeing, SilentReason::Housekeeping, claim);
        assert_eq!(claimed, Ok(true));
        drop(crate::WriteTx::begin_part(&freeing).unwrap());
        let statements = noting.1.into_inner();
        assert_eq!(statements.first(), Some(&"BEGIN IMMEDIATE TRANSACTION"));
        assert!(statements.contains(&"BEGIN EXCLUSIVE TRANSACTION"));
    }
}
