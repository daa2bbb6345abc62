//! Imports an organization from a data export (docs/protocol/archive.md).
//!
//! Owns what each row of the layout becomes here. Rows keep their ids, since the database is empty and texts name
//! people, channels and messages by them; what has another form here (the organization, conversations, system groups,
//! the server's own bots) gets a new id, and every reference to it is mapped. A row that refers to a missing one is
//! left out and noted, and so is a value that the API would refuse. Texts are rendered here: an archive's HTML is never
//! stored. Nothing that could open an account is taken over: no keys, passwords or tokens.
//!
//! Reading the archive and storing files is the host's work: it hands over rows, table by table
//! in the order of [`IMPORT_TABLES`], then files, and finishes. Everything is one transaction.

mod apps;
mod channels;
mod files;
mod groups;
mod kept;
mod messages;
mod nesting;
mod organization;
mod people;
mod personal;
mod relocation;
mod rendering;
mod row;
mod tables;
#[cfg(test)]
mod tests;
mod texts;

use spindle_domain::{ChannelId, ConversationId, RealmId, Role, UserId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::json;
use spindle_domain::profile_field::{FieldData, FieldType};
use spindle_store::import::ImportTransaction;
use spindle_store::{Connection, DbError, audit, import, realms};

pub use apps::ArchivedApp;
pub use files::{ImportedFile, ImportedPicture};
pub use messages::ReceiptRow;
pub use row::{Columns, ImportError};
pub use tables::{IMPORT_LEAVES_OUT, IMPORT_SILENT, IMPORT_TABLES};

use crate::ActionError;
use relocation::Relocation;
use rendering::Rendering;
use row::Row;

/// The only organization.
const REALM: RealmId = RealmId::ONLY;
const LOST_ROWS: &str = "rows of accounts that are not in the archive were left out";

/// What came of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Rows taken over, by table.
    pub rows: BTreeMap<String, u64>,
    /// What was left out or changed, each with how often.
    pub notes: BTreeMap<String, u64>,
    /// API email of the first active owner.
    pub owner: String,
}

/// An account as other rows look at it.
#[derive(Debug, Clone)]
struct Person {
    full_name: String,
    role: Role,
    /// None for a person.
    bot_type: Option<i64>,
    is_active: bool,
    date_joined: i64,
    /// `translate_emoticons`
    translates_emoticons: bool,
}

/// To whom something is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recipient {
    User(UserId),
    Channel(ChannelId),
    /// Several people, whose subscriptions name the recipient.
    Group,
}

/// An import in progress. Dropped before it is finished, nothing was imported.
pub struct Import<'d> {
    tx: ImportTransaction<'d>,
    now: i64,
    /// Address of the account that becomes an owner.
    wanted_owner: Option<String>,
    outcome: Imported,
    realm: Option<Columns>,
    people: BTreeMap<UserId, Person>,
    bot_owners: Vec<(UserId, UserId)>,
    bots: BTreeMap<UserId, spindle_store::bots::BotRow>,
    /// Bots of the server, by their id elsewhere.
    system_bots: HashMap<UserId, UserId>,
    clients: HashMap<i64, String>,
    /// Conversation by channel, and the name.
    channels: HashMap<ChannelId, (ConversationId, String)>,
    folders: BTreeSet<i64>,
    /// Whether names of people and bots are unique in the organization.
    unique_names: bool,
    /// Names that are taken, by kind of object.
    names: HashMap<&'static str, BTreeSet<String>>,
    recipients: HashMap<i64, Recipient>,
    /// Members by recipient.
    members: HashMap<i64, BTreeSet<UserId>>,
    /// Direct conversations by their people.
    direct: HashMap<String, ConversationId>,
    groups: groups::Groups,
    fields: HashMap<i64, (FieldType, FieldData)>,
    /// Fields that are in the summary of profiles.
    summary_fields: usize,
    /// Bytes of their choices.
    field_data: i64,
    /// Alert words by account.
    alert_words: BTreeMap<UserId, Vec<String>>,
    linkifiers: organization::Linkifiers,
    emoji: HashMap<String, files::Emoji>,
    uploads: HashMap<String, files::Upload>,
    avatars: HashMap<UserId, files::Avatar>,
    avatar_paths: HashMap<String, UserId>,
    relocation: Relocation,
    receipts: messages::Receipts,
    rendering: Rendering,
    /// Bytes kept in memory, and their maximum.
    kept: usize,
    most_kept: usize,
}

impl<'d> Import<'d> {
    /// Begins an import into a migrated database without an organization, at `now` (UNIX
    /// seconds). `owner`: an address whose account becomes an active owner; there is such an
    /// account in the archive, or a new one is made.
    ///
    /// # Errors
    /// [`ImportError::Refused`] when there is an organization already, or the address is none.
    pub fn begin(
        db: &'d dyn Connection,
        now: i64,
        owner: Option<&str>,
    ) -> Result<Self, ImportError> {
        if let Some(owner) = owner {
            crate::text::email_address(owner)
                .map_err(|error| ImportError::Refused(format!("{owner}: {error}")))?;
        }
        let tx = ImportTransaction::begin(db)?;
        if realms::by_id(&tx, REALM)?.is_some() {
            let text = "there is an organization in this database already";
            return Err(ImportError::Refused(text.to_owned()));
        }
        Ok(Self {
            tx,
            now,
            wanted_owner: owner.map(|owner| owner.trim().to_owned()),
            outcome: Imported::default(),
            realm: None,
            people: BTreeMap::new(),
            bot_owners: Vec::new(),
            bots: BTreeMap::new(),
            system_bots: HashMap::new(),
            clients: HashMap::new(),
            channels: HashMap::new(),
            folders: BTreeSet::new(),
            unique_names: false,
            names: HashMap::new(),
            recipients: HashMap::new(),
            members: HashMap::new(),
            direct: HashMap::new(),
            groups: groups::Groups::default(),
            fields: HashMap::new(),
            summary_fields: 0,
            field_data: 0,
            alert_words: BTreeMap::new(),
            linkifiers: organization::Linkifiers::default(),
            emoji: HashMap::new(),
            uploads: HashMap::new(),
            avatars: HashMap::new(),
            avatar_paths: HashMap::new(),
            relocation: Relocation::default(),
            receipts: messages::Receipts::default(),
            rendering: Rendering::default(),
            kept: 0,
            most_kept: kept::MOST_KEPT,
        })
    }

    /// Takes one row of one of [`IMPORT_TABLES`].
    ///
    /// # Errors
    /// [`ImportError::Row`] for a row that makes no sense; [`ImportError::Store`].
    pub fn row(&mut self, table: &'static str, columns: &Columns) -> Result<(), ImportError> {
        // Columns are looked through once for each table: all its rows have the same.
        let asked = (!self.outcome.rows.contains_key(table)).then(RefCell::default);
        let columns = self.mended(table, columns);
        let row = Row::new(&columns, asked.as_ref());
        let key = columns.key();
        self.take(table, &row)
            .map_err(|error| error.at(table, key))?;
        if let Some(asked) = asked {
            let asked: BTreeSet<String> = asked.into_inner();
            for name in columns.names().filter(|name| !asked.contains(*name)) {
                self.note(format!("column {table}.{name} is not known here"));
            }
        }
        *self.outcome.rows.entry(table.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Notes that something was left out or changed.
    pub fn note(&mut self, text: impl Into<String>) {
        self.note_times(text, 1);
    }

    /// Notes that something was left out or changed `times` times.
    pub fn note_times(&mut self, text: impl Into<String>, times: u64) {
        kept::note(&mut self.outcome.notes, &text.into(), times);
    }

    /// Commits everything.
    ///
    /// # Errors
    /// [`ImportError::Store`]; nothing was imported then.
    pub fn finish(mut self) -> Result<Imported, ImportError> {
        self.missing_files();
        import::set_first_messages(&self.tx)?;
        let owner = spindle_store::users::list(&self.tx, REALM)?
            .into_iter()
            .find(|user| user.role == Role::Owner && user.is_active && !user.is_bot)
            .ok_or(DbError::NoRow)?;
        self.outcome.owner = owner.email;
        let data = json!({"people": self.people.len(), "channels": self.channels.len()});
        let (tx, data) = (self.tx, data.to_string());
        audit::append(&tx, REALM, self.now, None, None, "realm_imported", &data)?;
        tx.finish()?;
        Ok(self.outcome)
    }

    /// The account of this id, as far as there is one here.
    fn known(&self, id: Option<UserId>) -> Option<UserId> {
        id.filter(|id| self.people.contains_key(id))
    }

    /// The sender or receiver of a message: an account, or a bot of the server.
    fn known_or_system(&self, id: UserId) -> Option<UserId> {
        let system = self.system_bots.get(&id).copied();
        system.or_else(|| self.known(Some(id)))
    }

    /// The account that a row belongs to; none, and a note, when there is no such account.
    fn owner_of(
        &mut self,
        row: &Row<'_>,
        column: &'static str,
    ) -> Result<Option<UserId>, ImportError> {
        let known = self.known(row.reference(column)?);
        if known.is_none() {
            self.note(LOST_ROWS);
        }
        Ok(known)
    }
}

impl From<ActionError> for ImportError {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::Store(error) => Self::Store(error),
            other => Self::text(other.to_string()),
        }
    }
}
