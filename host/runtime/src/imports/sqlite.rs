//! `spin:sqlite@3.1.0` for guests, over [`Session`].
//!
//! Offers the synchronous and the asynchronous functions. A synchronous one that waits (BEGIN
//! IMMEDIATE for the writer lock, COMMIT for the disk) blocks its instance, not a thread.

use super::handle;
use crate::GuestState;
use spindle_bindings::spin::sqlite::sqlite::{
    Connection, Error, Host, HostConnection, HostConnectionWithStore, QueryResult, RowResult, Value,
};
use spindle_sqlite::{DatabaseError, Session};
use std::sync::Arc;
use tokio::sync::Mutex;
use wasmtime::Result;
use wasmtime::component::{Accessor, FutureReader, HasSelf, Resource, StreamReader};

/// Most connections that one instance has open.
const MAX_CONNECTIONS: usize = 256;

/// What the table holds for a connection handle.
type GuestConnection = Arc<Mutex<Session>>;

type Rows = (
    Vec<String>,
    StreamReader<RowResult>,
    FutureReader<std::result::Result<(), Error>>,
);

impl GuestState {
    fn open_connection(&mut self, database: &str) -> Result<Result<Resource<Connection>, Error>> {
        let component = Arc::clone(&self.component);
        if !component.allows_database(database) {
            return Ok(Err(Error::AccessDenied));
        }
        let Some(database) = component.databases.get(database) else {
            return Ok(Err(Error::NoSuchDatabase));
        };
        if self.open_connections >= MAX_CONNECTIONS {
            return Ok(Err(Error::Io("too many connections are open".to_owned())));
        }
        self.open_connections += 1;
        let rights = component.sql_rights.clone();
        let session = Session::new(database.clone(), rights, self.ticket_lookup());
        let session = session.counting(self.writing.clone());
        let session: GuestConnection = Arc::new(Mutex::new(session));
        Ok(Ok(handle(&self.table.push(session)?)))
    }

    fn session(&self, connection: &Resource<Connection>) -> Result<GuestConnection> {
        Ok(Arc::clone(self.table.get(&handle(connection))?))
    }
}

impl Host for GuestState {}

impl HostConnection for GuestState {
    async fn open(&mut self, database: String) -> Result<Result<Resource<Connection>, Error>> {
        self.open_connection(&database)
    }

    async fn execute(
        &mut self,
        connection: Resource<Connection>,
        statement: String,
        parameters: Vec<Value>,
    ) -> Result<Result<QueryResult, Error>> {
        let session = self.session(&connection)?;
        let mut session = session.lock().await;
        self.rows.replace(None);
        let outcome = session.execute(&statement, &parameters).await;
        self.rows.replace(session.take_rows());
        Ok(outcome.map_err(DatabaseError::into))
    }

    async fn last_insert_rowid(&mut self, connection: Resource<Connection>) -> Result<i64> {
        let session = self.session(&connection)?;
        let session = session.lock().await;
        Ok(session.last_insert_rowid())
    }

    async fn changes(&mut self, connection: Resource<Connection>) -> Result<u64> {
        let session = self.session(&connection)?;
        let session = session.lock().await;
        Ok(session.changes())
    }

    async fn drop(&mut self, connection: Resource<Connection>) -> Result<()> {
        self.table.delete::<GuestConnection>(handle(&connection))?;
        self.open_connections = self.open_connections.saturating_sub(1);
        Ok(())
    }
}

impl HostConnectionWithStore<GuestState> for HasSelf<GuestState> {
    async fn open_async(
        accessor: &Accessor<GuestState, Self>,
        database: String,
    ) -> Result<Result<Resource<Connection>, Error>> {
        accessor.with(|mut access| access.get().open_connection(&database))
    }

    async fn execute_async(
        accessor: &Accessor<GuestState, Self>,
        connection: Resource<Connection>,
        statement: String,
        parameters: Vec<Value>,
    ) -> Result<Result<Rows, Error>> {
        let session = accessor.with(|mut access| access.get().session(&connection))?;
        let mut session = session.lock().await;
        let outcome = session.execute(&statement, &parameters).await;
        let held = session.take_rows();
        drop(session);
        accessor.with(|mut access| access.get().rows.replace(held));
        let QueryResult { columns, rows } = match outcome {
            Ok(result) => result,
            Err(error) => return Ok(Err(error.into())),
        };
        // All rows are buffered: no connection is held while the guest reads them, and reading
        // them cannot fail.
        accessor.with(|mut access| {
            let rows = StreamReader::new(&mut access, rows)?;
            let end = FutureReader::new(&mut access, async {
                wasmtime::error::Ok(Ok::<(), Error>(()))
            })?;
            Ok(Ok((columns, rows, end)))
        })
    }

    async fn last_insert_rowid_async(
        accessor: &Accessor<GuestState, Self>,
        connection: Resource<Connection>,
    ) -> Result<i64> {
        let session = accessor.with(|mut access| access.get().session(&connection))?;
        let session = session.lock().await;
        Ok(session.last_insert_rowid())
    }

    async fn changes_async(
        accessor: &Accessor<GuestState, Self>,
        connection: Resource<Connection>,
    ) -> Result<u64> {
        let session = accessor.with(|mut access| access.get().session(&connection))?;
        let session = session.lock().await;
        Ok(session.changes())
    }
}
