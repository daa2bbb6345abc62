//! `spin:postgres@4.2.0` for guests, over [`PgConnection`].
//!
//! A function that waits, for a connection or for the server, blocks its instance, not a thread.
//! When an instance ends, its connections are dropped, and closed if necessary.
#![expect(
    clippy::result_large_err,
    reason = "the interface of Spin declares the error"
)]

use super::handle;
use crate::GuestState;
use spindle_bindings::spin::postgres::postgres::{
    Column, Connection, ConnectionBuilder, Error, Host, HostConnection, HostConnectionBuilder,
    HostConnectionBuilderWithStore, HostConnectionWithStore, ParameterValue, Row, RowSet,
};
use spindle_postgres::PgConnection;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;
use wasmtime::Result;
use wasmtime::component::{Accessor, FutureReader, HasSelf, Resource, StreamReader};

/// Most connections that one instance has open; it serves one request at a time.
const MAX_CONNECTIONS: usize = 8;

/// What the table holds for a connection handle.
type GuestConnection = Arc<Mutex<PgConnection>>;

/// What the table holds for the handle of a connection that is to be made.
#[derive(Clone)]
struct GuestBuilder {
    address: String,
    root: Option<String>,
}

type Rows = (
    Vec<Column>,
    StreamReader<Row>,
    FutureReader<std::result::Result<(), Error>>,
);
type Opened = std::result::Result<PgConnection, Error>;

impl GuestState {
    fn pg_room(&self) -> std::result::Result<(), Error> {
        if self.open_pg_connections >= MAX_CONNECTIONS {
            let reason = "too many connections are open".to_owned();
            return Err(Error::ConnectionFailed(reason));
        }
        Ok(())
    }

    fn keep_pg(
        &mut self,
        opened: Opened,
    ) -> Result<std::result::Result<Resource<Connection>, Error>> {
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        self.open_pg_connections += 1;
        let opened = opened.counting(self.writing.clone(), self.ticket_lookup());
        let connection: GuestConnection = Arc::new(Mutex::new(opened));
        Ok(Ok(handle(&self.table.push(connection)?)))
    }

    async fn open_pg(
        &mut self,
        builder: GuestBuilder,
    ) -> Result<std::result::Result<Resource<Connection>, Error>> {
        if let Err(error) = self.pg_room() {
            return Ok(Err(error));
        }
        let postgres = self.component.postgres.clone();
        let began = Instant::now();
        let opened = postgres.open(&builder.address, builder.root.as_deref());
        let opened = opened.await;
        self.waited += began.elapsed();
        self.keep_pg(opened)
    }

    fn pg(&self, connection: &Resource<Connection>) -> Result<GuestConnection> {
        Ok(Arc::clone(self.table.get(&handle(connection))?))
    }
}

/// As [`GuestState::open_pg`], while other calls of the instance may run.
async fn open_beside(
    accessor: &Accessor<GuestState, HasSelf<GuestState>>,
    builder: GuestBuilder,
) -> Result<std::result::Result<Resource<Connection>, Error>> {
    let postgres = accessor.with(|mut access| {
        let state = access.get();
        state.pg_room().map(|()| state.component.postgres.clone())
    });
    let opened = match postgres {
        Ok(postgres) => {
            let opened = postgres.open(&builder.address, builder.root.as_deref());
            opened.await
        }
        Err(error) => Err(error),
    };
    accessor.with(|mut access| access.get().keep_pg(opened))
}

impl Host for GuestState {}

impl HostConnectionBuilder for GuestState {
    async fn new(&mut self, address: String) -> Result<Resource<ConnectionBuilder>> {
        let root = None;
        Ok(handle(&self.table.push(GuestBuilder { address, root })?))
    }

    async fn set_ca_root(
        &mut self,
        builder: Resource<ConnectionBuilder>,
        certificate: String,
    ) -> Result<std::result::Result<(), Error>> {
        let builder: &mut GuestBuilder = self.table.get_mut(&handle(&builder))?;
        builder.root = Some(certificate);
        Ok(Ok(()))
    }

    async fn build(
        &mut self,
        builder: Resource<ConnectionBuilder>,
    ) -> Result<std::result::Result<Resource<Connection>, Error>> {
        let builder = self.table.get::<GuestBuilder>(&handle(&builder))?.clone();
        self.open_pg(builder).await
    }

    async fn drop(&mut self, builder: Resource<ConnectionBuilder>) -> Result<()> {
        self.table.delete::<GuestBuilder>(handle(&builder))?;
        Ok(())
    }
}

impl HostConnectionBuilderWithStore<GuestState> for HasSelf<GuestState> {
    async fn build_async(
        accessor: &Accessor<GuestState, Self>,
        builder: Resource<ConnectionBuilder>,
    ) -> Result<std::result::Result<Resource<Connection>, Error>> {
        let builder: GuestBuilder = accessor.with(|mut access| {
            let found = access.get().table.get(&handle(&builder)).cloned();
            wasmtime::error::Ok(found?)
        })?;
        open_beside(accessor, builder).await
    }
}

impl HostConnection for GuestState {
    async fn open(
        &mut self,
        address: String,
    ) -> Result<std::result::Result<Resource<Connection>, Error>> {
        let root = None;
        self.open_pg(GuestBuilder { address, root }).await
    }

    async fn query(
        &mut self,
        connection: Resource<Connection>,
        statement: String,
        parameters: Vec<ParameterValue>,
    ) -> Result<std::result::Result<RowSet, Error>> {
        let connection = self.pg(&connection)?;
        let began = Instant::now();
        let mut connection = connection.lock().await;
        let answer = connection.query(&statement, parameters).await;
        self.waited += began.elapsed();
        Ok(answer)
    }

    async fn execute(
        &mut self,
        connection: Resource<Connection>,
        statement: String,
        parameters: Vec<ParameterValue>,
    ) -> Result<std::result::Result<u64, Error>> {
        let connection = self.pg(&connection)?;
        let began = Instant::now();
        let mut connection = connection.lock().await;
        let answer = connection.execute(&statement, parameters).await;
        self.waited += began.elapsed();
        Ok(answer)
    }

    async fn drop(&mut self, connection: Resource<Connection>) -> Result<()> {
        self.table.delete::<GuestConnection>(handle(&connection))?;
        self.open_pg_connections = self.open_pg_connections.saturating_sub(1);
        Ok(())
    }
}

impl HostConnectionWithStore<GuestState> for HasSelf<GuestState> {
    async fn open_async(
        accessor: &Accessor<GuestState, Self>,
        address: String,
    ) -> Result<std::result::Result<Resource<Connection>, Error>> {
        let root = None;
        open_beside(accessor, GuestBuilder { address, root }).await
    }

    async fn query_async(
        accessor: &Accessor<GuestState, Self>,
        connection: Resource<Connection>,
        statement: String,
        parameters: Vec<ParameterValue>,
    ) -> Result<std::result::Result<Rows, Error>> {
        let connection = accessor.with(|mut access| access.get().pg(&connection))?;
        let mut connection = connection.lock().await;
        let RowSet { columns, rows } = match connection.query(&statement, parameters).await {
            Ok(rows) => rows,
            Err(error) => return Ok(Err(error)),
        };
        // All rows are buffered, so that reading them cannot fail.
        accessor.with(|mut access| {
            let rows = StreamReader::new(&mut access, rows)?;
            let end = FutureReader::new(&mut access, async {
                wasmtime::error::Ok(Ok::<(), Error>(()))
            })?;
            Ok(Ok((columns, rows, end)))
        })
    }

    async fn execute_async(
        accessor: &Accessor<GuestState, Self>,
        connection: Resource<Connection>,
        statement: String,
        parameters: Vec<ParameterValue>,
    ) -> Result<std::result::Result<u64, Error>> {
        let connection = accessor.with(|mut access| access.get().pg(&connection))?;
        let mut connection = connection.lock().await;
        Ok(connection.execute(&statement, parameters).await)
    }
}
