//! The host's own connection to a file of SQLite, with the database of an organization.

use crate::testing::Organization;
use spindle_sqlite::{Database, DatabaseOptions, NativeConnection};
use spindle_store::{Connection, DbError, SilentReason, change_silently, jobs, realms};
use tokio::runtime::Handle;

/// Runs `work` with a connection to the database of a new organization, and returns its result and
/// the number of group commits that it took.
async fn with_organization<T: Send + 'static>(
    work: impl FnOnce(&dyn Connection) -> T + Send + 'static,
) -> (T, u64) {
    let organization = Organization::create();
    let database = Database::open(&DatabaseOptions::new(organization.database())).unwrap();
    let commits = database.commits();
    let runtime = Handle::current();
    let working =
        tokio::task::spawn_blocking(move || work(&NativeConnection::new(database, runtime)));
    let result = working.await.unwrap();
    (result, *commits.borrow())
}

fn claim(db: &dyn Connection, now: i64) -> Result<bool, DbError> {
    change_silently(db, SilentReason::Housekeeping, |tx| {
        jobs::claim(tx, "a test", now, 60)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn values_go_in_and_come_back_in_one_group_commit() {
    let (found, commits) = with_organization(|db| {
        let claimed = [claim(db, 1_000), claim(db, 1_001)];
        (claimed, realms::by_id(db, 1.into()).unwrap().unwrap().name)
    })
    .await;
    assert_eq!(found, ([Ok(true), Ok(false)], "Test".to_owned()));
    assert_eq!(commits, 2, "each transaction is a group of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_undone_is_not_there_and_errors_are_sorted() {
    let (outcomes, _) = with_organization(|db| {
        let undone = change_silently(db, SilentReason::Housekeeping, |tx| {
            jobs::claim(tx, "a test", 1_000, 60)?;
            Err::<(), _>(DbError::NoRow)
        });
        let again = claim(db, 1_000);
        // The organization has the name space of the first one.
        let twice = change_silently(db, SilentReason::NoClients, |tx| {
            realms::insert(tx, "", "another", "Test", 1_000)
        });
        (undone, again, twice)
    })
    .await;
    assert_eq!(outcomes.0, Err(DbError::NoRow));
    assert_eq!(outcomes.1, Ok(true));
    assert!(
        matches!(outcomes.2, Err(DbError::NotUnique(_))),
        "{:?}",
        outcomes.2
    );
}
