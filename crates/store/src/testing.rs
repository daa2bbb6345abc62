//! Databases for the tests of this crate: a file in a temporary folder, or one on a server of PostgreSQL.

use postgres::{Client, NoTls};
use rusqlite::Connection;
use spindle_domain::{ChannelId, RealmId, Role, UserId};
use tempfile::TempDir;

use crate::{
    DbError, NativePg, RusqliteDb, SilentReason, WriteTx, change_silently, channels, conversations,
    open, subscriptions, users,
};

/// The row of organization 1.
const REALM: &str =
    "INSERT INTO realms (id, string_id, uuid, name, date_created) VALUES (1, '', 'u', 'Realm', 0)";

/// The folder is removed when this is dropped.
pub(crate) struct TestDatabase {
    connection: Connection,
    folder: TempDir,
}

impl TestDatabase {
    /// An empty schema.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder.path().join("spindle.db")).unwrap();
        crate::migrate(&mut connection).unwrap();
        Self { connection, folder }
    }

    /// With the row of organization 1.
    pub(crate) fn with_realm() -> Self {
        let database = Self::new();
        database.run(REALM);
        database
    }

    pub(crate) fn db(&self) -> RusqliteDb<'_> {
        RusqliteDb::new(&self.connection)
    }

    /// A transaction for the length of a test; it is undone at the end.
    pub(crate) fn tx(&self) -> WriteTx<'_> {
        WriteTx::begin(&self.connection).unwrap()
    }

    /// Commits what `work` does.
    pub(crate) fn write<T>(&self, work: impl Fn(&WriteTx<'_>) -> T) -> T {
        write(&self.connection, work)
    }

    /// Runs statements that no function of this crate has.
    pub(crate) fn run(&self, statements: &str) {
        self.connection.execute_batch(statements).unwrap();
    }

    pub(crate) fn open_another(&self) -> Connection {
        open(&self.folder.path().join("spindle.db")).unwrap()
    }
}

/// A database on the PostgreSQL server that all tests share. It is removed when this is dropped.
pub(crate) struct TestPostgres(spindle_test_postgres::Database<'static>);

impl TestPostgres {
    /// Without a table. `None` where PostgreSQL is not installed.
    pub(crate) fn empty() -> Option<Self> {
        Some(Self(spindle_test_postgres::shared()?.database()))
    }

    /// With the newest schema and no rows.
    pub(crate) fn new() -> Option<Self> {
        let database = Self::empty()?;
        database.open().migrate().unwrap();
        Some(database)
    }

    /// With the row of organization 1.
    pub(crate) fn with_realm() -> Option<Self> {
        let database = Self::new()?;
        database.psql(REALM);
        Some(database)
    }

    pub(crate) fn url(&self) -> String {
        self.0.url()
    }

    /// A new connection.
    pub(crate) fn open(&self) -> NativePg {
        NativePg::open(&self.url(), NoTls).unwrap()
    }

    /// A new connection of another client, for statements that no function of this crate has.
    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.url(), NoTls).unwrap()
    }

    /// What `psql` prints for statements.
    pub(crate) fn psql(&self, statements: &str) -> String {
        self.0.psql(statements)
    }
}

/// Runs `test` on a new database with the newest schema, where PostgreSQL is installed.
pub(crate) fn with_postgres(test: impl FnOnce(&mut Client)) {
    if let Some(database) = TestPostgres::new() {
        test(&mut database.client());
    }
}

/// Commits what `work` does on this connection.
pub(crate) fn write<T>(connection: &dyn crate::Connection, work: impl Fn(&WriteTx<'_>) -> T) -> T {
    change_silently(connection, SilentReason::NoClients, |tx| {
        Ok::<_, DbError>(work(tx))
    })
    .unwrap()
}

fn add(tx: &WriteTx<'_>, email: &str, bot_type: Option<i64>) -> UserId {
    let new = users::NewUser {
        realm_id: RealmId::ONLY,
        email,
        email_folded: email,
        delivery_email: email,
        delivery_email_folded: email,
        full_name: email,
        full_name_folded: email,
        role: Role::Member,
        bot_type,
        ..users::NewUser::default()
    };
    users::insert(tx, &new).unwrap()
}

/// A member with this address, who is in no group.
pub(crate) fn user(tx: &WriteTx<'_>, email: &str) -> UserId {
    add(tx, email, None)
}

/// A generic bot without an owner.
pub(crate) fn bot(tx: &WriteTx<'_>, email: &str) -> UserId {
    add(tx, email, Some(1))
}

/// As [`user`], as an integer.
pub(crate) fn add_user(tx: &WriteTx<'_>, email: &str) -> i64 {
    user(tx, email).get()
}

/// A channel whose later subscribers read its history.
pub(crate) fn add_channel(tx: &WriteTx<'_>, name: &str, invite_only: bool) -> ChannelId {
    let conversation_id = conversations::insert_channel(tx, RealmId::ONLY).unwrap();
    let new = channels::NewChannel {
        id: None,
        realm_id: RealmId::ONLY,
        conversation_id,
        name,
        name_folded: name,
        description: "",
        rendered_description: "",
        date_created: 0,
        creator_id: None,
        invite_only,
        history_public_to_subscribers: true,
        is_web_public: false,
        is_archived: false,
        message_retention_days: None,
        topics_policy: "inherit",
        folder_id: None,
    };
    channels::insert(tx, &new).unwrap()
}

/// Subscribes a user to a channel; false when they were subscribed already.
pub(crate) fn subscribe(
    tx: &WriteTx<'_>,
    user_id: impl Into<UserId>,
    channel_id: ChannelId,
    color: &str,
) -> bool {
    let user_id = user_id.into();
    let joining = format!("[[{user_id},{channel_id},\"{color}\"]]");
    !subscriptions::join(tx, &joining).unwrap().is_empty()
}
