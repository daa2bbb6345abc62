//! A migrated database in a temporary folder with an organization and its owner, and small
//! helpers to look at what an action left behind.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use rusqlite::Connection;
use serde_json::Value;
use spindle_actions::account::authenticate;
use spindle_actions::users::{CreatedUser, NewAccount, create_user};
use spindle_actions::{Actor, NewRealm, create_realm};
use spindle_domain::{RealmId, Role};
use spindle_store::{
    Connection as _, Db, DbError, Query, Rows, RusqliteDb, SilentReason, Statement,
    change_silently, realms,
};
use tempfile::TempDir;

/// When the organization was created, UNIX seconds.
pub const START: i64 = 1_700_000_000;
/// The only organization.
pub const REALM: RealmId = RealmId::ONLY;

/// The folder is removed when this is dropped.
pub struct World {
    connection: Connection,
    pub owner: CreatedUser,
    _folder: TempDir,
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = spindle_store::open(&folder.path().join("spindle.db")).unwrap();
        spindle_store::migrate(&mut connection).unwrap();
        let new = NewRealm {
            name: "Test".into(),
            owner: NewAccount {
                email: "owner@x.org".into(),
                full_name: "Olga Owner".into(),
                password: Some("correct horse".into()),
                ..NewAccount::default()
            },
        };
        let owner = create_realm(&RusqliteDb::new(&connection), START, &new)
            .unwrap()
            .owner;
        Self {
            connection,
            owner,
            _folder: folder,
        }
    }

    pub fn db(&self) -> RusqliteDb<'_> {
        RusqliteDb::new(&self.connection)
    }

    /// Creates a person and logs them in, so that later requests write nothing by themselves.
    pub fn person(&self, name: &str, role: Role) -> Actor {
        self.actor(&self.create(name, role))
    }

    pub fn create(&self, name: &str, role: Role) -> CreatedUser {
        let new = NewAccount {
            email: format!("{}@x.org", name.to_lowercase()),
            full_name: format!("{name} Person"),
            role: Some(role),
            ..NewAccount::default()
        };
        create_user(&self.db(), None, REALM, START, &new).unwrap()
    }

    pub fn bot(&self, name: &str) -> Actor {
        let new = NewAccount {
            email: format!("{}-bot@x.org", name.to_lowercase()),
            full_name: format!("{name} Bot"),
            is_bot: true,
            bot_owner_id: Some(self.owner.user_id),
            ..NewAccount::default()
        };
        self.actor(&create_user(&self.db(), None, REALM, START, &new).unwrap())
    }

    pub fn actor(&self, user: &CreatedUser) -> Actor {
        authenticate(&self.db(), &user.email, &user.api_key, START + 1)
            .unwrap()
            .actor
    }

    pub fn owner(&self) -> Actor {
        self.actor(&self.owner)
    }

    /// Position of the log, to be given to [`World::events_since`].
    pub fn position(&self) -> i64 {
        spindle_store::event_log::position(&self.db()).unwrap()
    }

    /// The events after a position: body with `type`, and audience.
    pub fn events_since(&self, seq: i64) -> Vec<(Value, Value)> {
        let mut statement = self
            .connection
            .prepare("SELECT type, body, audience FROM event_log WHERE seq > ?1 ORDER BY seq")
            .unwrap();
        let rows = statement
            .query_map([seq], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, String>(2)?,
                ))
            })
            .unwrap();
        rows.map(|row| {
            let (kind, body, audience) = row.unwrap();
            let mut body: Value = serde_json::from_str(&body).unwrap();
            body["type"] = kind.into();
            (body, serde_json::from_str(&audience).unwrap())
        })
        .collect()
    }

    /// `type/op` of the events after a position.
    pub fn kinds_since(&self, seq: i64) -> Vec<String> {
        self.events_since(seq)
            .into_iter()
            .map(|(body, _)| {
                let op = body.get("op").and_then(Value::as_str).unwrap_or_default();
                format!("{}/{op}", body["type"].as_str().unwrap())
            })
            .collect()
    }

    /// Gives a setting of the organization this value, as JSON text, without an event.
    pub fn set_realm_setting(&self, name: &str, value: &str) {
        change_silently(&self.db(), SilentReason::Housekeeping, |tx| {
            realms::set_setting(tx, REALM, name, value)
        })
        .unwrap();
    }

    /// Runs a statement that no action has.
    pub fn run(&self, sql: &str, params: impl rusqlite::Params) {
        self.connection.execute(sql, params).unwrap();
    }

    /// The first row of a statement.
    pub fn row<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> T {
        self.connection.query_row(sql, params, read).unwrap()
    }

    /// The first column of the first row.
    pub fn integer(&self, sql: &str) -> i64 {
        self.connection
            .query_row(sql, [], |row| row.get(0))
            .unwrap()
    }

    /// A digest of everything that is stored, to show that a refused action changed nothing.
    /// As [`Self::fingerprint`], without the audit log.
    pub fn fingerprint_of_state(&self) -> Vec<String> {
        let lines = self.fingerprint().into_iter();
        let is_state = |line: &String| {
            !line.starts_with("audit_log: ") && !line.starts_with("sqlite_sequence: ")
        };
        lines.filter(is_state).collect()
    }

    pub fn fingerprint(&self) -> Vec<String> {
        let tables: Vec<String> = self
            .connection
            .prepare(
                // The full-text index cannot be read as a table; what it keeps can.
                "SELECT name FROM sqlite_master WHERE type = 'table' \
                 AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name",
            )
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut lines = Vec::new();
        for table in tables {
            let mut statement = self
                .connection
                .prepare(&format!("SELECT * FROM {table}"))
                .unwrap();
            let width = statement.column_count();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let values: Vec<String> = (0..width)
                    .map(|index| format!("{:?}", row.get_ref(index).unwrap()))
                    .collect();
                lines.push(format!("{table}: {}", values.join("|")));
            }
        }
        lines
    }
}

/// Counts the statements that go through it.
pub struct Counting<'a> {
    pub inner: RusqliteDb<'a>,
    pub count: std::cell::Cell<usize>,
}

impl<'a> Counting<'a> {
    pub fn new(inner: RusqliteDb<'a>) -> Self {
        Self {
            inner,
            count: std::cell::Cell::new(0),
        }
    }
}

impl Db for Counting<'_> {
    fn dialect(&self) -> spindle_store::Dialect {
        self.inner.dialect()
    }

    fn query(&self, query: Query, params: &[spindle_store::Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl spindle_store::Connection for Counting<'_> {
    fn execute(
        &self,
        statement: Statement,
        params: &[spindle_store::Value],
    ) -> Result<Rows, DbError> {
        self.count.set(self.count.get() + 1);
        self.inner.execute(statement, params)
    }
}
