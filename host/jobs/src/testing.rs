//! An organization in a temporary folder, for the tests of jobs.

use std::path::PathBuf;

use rusqlite::Connection;
use spindle_actions::account::authenticate;
use spindle_actions::messages::{Destination, MessageInput, send_message};
use spindle_actions::users::{BotDefaults, BotService, NewAccount, NewBot, create_bot};
use spindle_actions::{Actor, NewRealm, create_realm};
use spindle_domain::UserId;
use spindle_domain::narrow::UserReference;
use spindle_store::{RusqliteDb, open};
use tempfile::TempDir;

use spindle_system::clock::Clock;

/// The folder is removed when this is dropped.
pub(crate) struct Organization {
    folder: TempDir,
    connection: Connection,
    owner: Actor,
}

impl Organization {
    pub(crate) fn create() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder.path().join("spindle.db")).unwrap();
        spindle_store::migrate(&mut connection).unwrap();
        let db = RusqliteDb::new(&connection);
        let now = Clock::new().unix_seconds();
        let owner = NewAccount {
            email: "owner@example.org".to_owned(),
            full_name: "Owner".to_owned(),
            ..NewAccount::default()
        };
        let name = "Test".to_owned();
        let owner = create_realm(&db, now, &NewRealm { name, owner }).unwrap();
        let owner = authenticate(&db, &owner.owner.email, &owner.owner.api_key, now)
            .unwrap()
            .actor;
        Self {
            folder,
            connection,
            owner,
        }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("spindle.db")
    }

    pub(crate) fn db(&self) -> RusqliteDb<'_> {
        RusqliteDb::new(&self.connection)
    }

    pub(crate) fn owner(&self) -> &Actor {
        &self.owner
    }

    /// A bot of the owner's whose service is at `url`.
    pub(crate) fn bot(&self, name: &str, url: &str) -> i64 {
        let new = NewBot {
            full_name: name.to_owned(),
            short_name: name.to_owned(),
            domain: "example.org".to_owned(),
            bot_type: 3,
            defaults: BotDefaults::default(),
            service: Some(BotService {
                base_url: url.to_owned(),
                interface: 1,
            }),
            service_name: None,
            config_data: std::collections::BTreeMap::new(),
        };
        let now = Clock::new().unix_seconds();
        create_bot(&self.db(), &self.owner, now, &new)
            .unwrap()
            .user_id
            .into()
    }

    /// The owner writes a direct message to all of these at `now` (UNIX seconds).
    pub(crate) fn write_to(&self, users: &[i64], now: i64) {
        self.write_text_to(users, "hello", now);
    }

    /// As [`Self::write_to`], with this text.
    pub(crate) fn write_text_to(&self, users: &[i64], text: &str, now: i64) {
        let users = users.iter().map(|id| UserReference::Id(UserId(*id)));
        let input = MessageInput {
            destination: Destination::Direct(users.collect()),
            content: text.to_owned(),
            client: "test".to_owned(),
            read_by_sender: None,
            local: None,
            delivery: None,
            realm_url: "http://chat.test".to_owned(),
        };
        send_message(&self.db(), &self.owner, now, &input).unwrap();
    }
}
