//! Rows of a large result, one at a time.
//!
//! The driver reads on only when a row was taken, and then the server waits: however large the result, a few
//! of its rows are in memory.

use std::ops::ControlFlow;
use std::pin::pin;

use futures::TryStreamExt as _;

use super::{NativePg, Sent, failed, received};
use crate::{DbError, Rows, Value};

impl NativePg {
    /// Hands rows to `each` until it breaks off.
    pub(super) fn hand_over(
        &self,
        text: &'static str,
        params: &[Value],
        each: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<Rows, DbError> {
        let statement = self.prepared(text)?;
        let (of, with) = (&statement, params.iter().map(Sent));
        let rows = self
            .link
            .wait(|client| async move { client.query_raw(of, with).await })?;
        let mut rows = pin!(rows.map_err(failed)?);
        while let Some(row) = self.link.wait(|_| rows.try_next())?.map_err(failed)? {
            if each(&received(&row)?).is_break() {
                break;
            }
        }
        Ok(Rows::default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::testing::TestPostgres;
    use crate::{Connection as _, Db as _, Query, ReadTx, either, params, sql};

    const NUMBERS: Query = sql!(either!(
        "SELECT ?1 AS number, '' AS filler",
        "SELECT number, repeat('x', 1000) AS filler FROM generate_series(1, ?1:bigint) AS n (number)"
    ));

    /// The largest resident memory of this process so far, in bytes.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.unwrap().trim().trim_end_matches(" kB");
        number.parse::<u64>().unwrap() * 1024
    }

    /// A data export reads for minutes, at the pace of its compression.
    #[test]
    fn rows_that_are_taken_slowly_exceed_no_limit_of_waits() {
        let Some(database) = TestPostgres::empty() else {
            return;
        };
        let db = database.open();
        let limit = Duration::from_millis(500);
        db.limit_waits(limit);
        // More than sockets hold.
        let (count, mut taken, begin) = (20_000_i64, 0, Instant::now());
        let taking = db.stream(NUMBERS, &params![count], &mut |_| {
            if taken % 5000 == 0 {
                std::thread::sleep(limit);
            }
            taken += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((taking, taken), (Ok(()), count));
        assert!(begin.elapsed() > 3 * limit);
    }

    #[test]
    fn a_large_result_is_never_in_memory_as_a_whole() {
        let Some(database) = TestPostgres::empty() else {
            return;
        };
        let db = database.open();
        let count = 200_000;
        let snapshot = ReadTx::begin(&db).unwrap();
        let (before, mut last, mut most) = (resident(), 0, 0);
        db.stream(NUMBERS, &params![count], &mut |row| {
            last += 1;
            assert_eq!(row[0], Value::Integer(last));
            if last % 10_000 == 0 {
                most = most.max(resident());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(last, count);
        // Its text alone is 200 MB, and other tests of this program run at the same time.
        let grown = most.saturating_sub(before);
        assert!(grown < 100 << 20, "{grown} bytes more");
        // After an early stop and after an error, the connection runs the next statement.
        let mut seen = 0;
        db.stream(NUMBERS, &params![count], &mut |_| {
            seen += 1;
            match seen {
                3 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })
        .unwrap();
        assert_eq!(seen, 3);
        assert_eq!(snapshot.query(NUMBERS, &params![2]).unwrap().rows.len(), 2);
        drop(snapshot);
        let none = db.stream(NUMBERS, &params!["x"], &mut |_| ControlFlow::Break(()));
        assert!(none.is_err());
        assert_eq!(db.query(NUMBERS, &params![1]).unwrap().rows.len(), 1);
    }
}
