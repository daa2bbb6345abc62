//! Statements that are made from the schema, and COPY: for the copy of a whole database (`transfer`).
//!
//! Owns how many rows come out and go in, one at a time. Independent of the tables.

use std::io::Cursor;
use std::pin::{Pin, pin};

use futures::{SinkExt as _, TryStreamExt as _};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{FromSqlOwned, ToSql, Type};
use tokio_postgres::{CopyInSink, Error, Row};

use super::{Link, NativePg, Sent, failed, received};
use crate::{DbError, Value};

/// Bytes of text that are sent at a time.
const TEXT_AT_ONCE: usize = 64 << 10;

impl NativePg {
    /// Runs `work` between BEGIN and COMMIT; an error undoes it.
    pub(crate) fn in_transaction<T>(
        &self,
        work: impl FnOnce() -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        self.run_script("BEGIN")?;
        let done = work().and_then(|value| self.run_script("COMMIT").map(|()| value));
        if done.is_err() {
            // The first error matters.
            let _ = self.run_script("ROLLBACK");
        }
        done
    }

    /// The rows of a statement, each as `read` understands it.
    pub(crate) fn rows<T>(
        &self,
        text: &str,
        params: &[&(dyn ToSql + Sync)],
        read: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, DbError> {
        let rows = self
            .link
            .wait(|client| async move { client.query(text, params).await })?;
        let rows = rows.map_err(failed)?;
        let read = rows.iter().map(read).collect::<Result<_, _>>();
        read.map_err(failed)
    }

    /// The first value of the only row of a statement.
    pub(crate) fn first<T: FromSqlOwned>(&self, text: &str) -> Result<T, DbError> {
        let rows = self.rows(text, &[], |row| row.try_get(0))?;
        rows.into_iter().next().ok_or(DbError::NoRow)
    }

    /// Passes the rows of a statement to `visit`, one at a time.
    pub(crate) fn each_row(
        &self,
        text: &str,
        params: &[i64],
        visit: &mut dyn FnMut(&[Value]) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let rows = self
            .link
            .wait(|client| async move { client.query_raw(text, params.iter().copied()).await })?;
        let mut rows = pin!(rows.map_err(failed)?);
        while let Some(row) = self.link.wait(|_| rows.try_next())?.map_err(failed)? {
            visit(&received(&row)?)?;
        }
        Ok(())
    }

    /// Begins a `COPY ... FROM STDIN BINARY` into columns of these types.
    pub(crate) fn copy_rows(&self, text: &str, types: &[Type]) -> Result<CopyRows<'_>, DbError> {
        let sink = self
            .link
            .wait(|client| async move { client.copy_in(text).await })?;
        let writer = BinaryCopyInWriter::new(sink.map_err(failed)?, types);
        Ok(CopyRows {
            link: &self.link,
            writer: Box::pin(writer),
        })
    }

    /// Begins a `COPY ... FROM STDIN`, which gets lines of text.
    pub(crate) fn copy_text(&self, text: &str) -> Result<CopyText<'_>, DbError> {
        let sink = self
            .link
            .wait(|client| async move { client.copy_in(text).await })?;
        Ok(CopyText {
            link: &self.link,
            sink: Box::pin(sink.map_err(failed)?),
            waiting: Vec::new(),
        })
    }
}

/// Rows on their way into a table. Without [`Self::finish`] none of them gets there.
pub(crate) struct CopyRows<'c> {
    link: &'c Link,
    writer: Pin<Box<BinaryCopyInWriter>>,
}

impl CopyRows<'_> {
    /// Sends a row, of as many values as there are types.
    pub(crate) fn write(&mut self, row: &[Value]) -> Result<(), DbError> {
        let writer = self.writer.as_mut();
        let written = self.link.wait(|_| writer.write_raw(row.iter().map(Sent)))?;
        written.map_err(failed)
    }

    pub(crate) fn finish(mut self) -> Result<(), DbError> {
        let writer = self.writer.as_mut();
        let finished = self.link.wait(|_| writer.finish())?;
        finished.map(|_| ()).map_err(failed)
    }
}

/// Lines of text on their way into a table. Without [`Self::finish`] none of them gets there.
pub(crate) struct CopyText<'c> {
    link: &'c Link,
    sink: Pin<Box<CopyInSink<Cursor<Vec<u8>>>>>,
    waiting: Vec<u8>,
}

impl CopyText<'_> {
    /// Sends a line, with its end.
    pub(crate) fn write(&mut self, line: &str) -> Result<(), DbError> {
        self.waiting.extend_from_slice(line.as_bytes());
        match self.waiting.len() < TEXT_AT_ONCE {
            true => Ok(()),
            false => self.send(),
        }
    }

    fn send(&mut self) -> Result<(), DbError> {
        let text = Cursor::new(std::mem::take(&mut self.waiting));
        let sink = &mut self.sink;
        let sent = self.link.wait(|_| sink.send(text))?;
        sent.map_err(failed)
    }

    pub(crate) fn finish(mut self) -> Result<(), DbError> {
        self.send()?;
        let sink = self.sink.as_mut();
        let finished = self.link.wait(|_| sink.finish())?;
        finished.map(|_| ()).map_err(failed)
    }
}
