//! Takes in an organization from a data export (docs/protocol/archive.md).
//!
//! Owns what each row of the layout becomes here. Rows keep their ids, since the database is
//! empty and texts name people, channels and messages by them; what has another form here
//! (the organization, conversations, system groups, the server's own bots) is numbered anew and
//! every reference to it mapped. A row that refers to a missing
//! one is left out and noted. Nothing that could open an account is taken over: no keys, passwords or
//! tokens.
//!
//! Reading the archive and storing files is the host's work: it hands over rows, table by table
//! in the order of [`IMPORT_TABLES`], then files, and finishes. Everything is one transaction.

mod channels;
mod files;
mod groups;
mod messages;
mod organization;
mod people;
mod personal;
mod relocation;
mod row;
#[cfg(test)]
mod tests;

use spindle_domain::{ChannelId, ConversationId, RealmId, UserId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};
use spindle_store::import::Filling;
use spindle_store::{Connection, DbError, audit, import, realms};

pub use files::{ImportedFile, ImportedPicture};
pub use messages::ReceiptRow;
pub use row::ImportError;

use crate::ActionError;
use relocation::Relocation;
use row::Row;

/// The only organization.
const REALM: RealmId = RealmId::ONLY;
const LOST_ROWS: &str = "rows of accounts that are not in the archive were left out";

/// Tables that are read, in the order in which they have to be handed over. Those that do not
/// begin with `zerver_` are the lists of files.
pub const IMPORT_TABLES: &[&str] = &[
    "zerver_realm",
    "zerver_userprofile",
    "zerver_userprofile_mirrordummy",
    "zerver_userprofile_crossrealm",
    "zerver_client",
    "zerver_channelfolder",
    "zerver_stream",
    "zerver_recipient",
    "zerver_subscription",
    "zerver_usergroup",
    "zerver_namedusergroup",
    "zerver_groupgroupmembership",
    "zerver_usergroupmembership",
    "zerver_defaultstream",
    "zerver_realmuserdefault",
    "zerver_customprofilefield",
    "zerver_customprofilefieldvalue",
    "zerver_realmfilter",
    "zerver_realmdomain",
    "zerver_realmplayground",
    "zerver_realmemoji",
    "zerver_usertopic",
    "zerver_muteduser",
    "zerver_alertword",
    "zerver_userstatus",
    "zerver_userpresence",
    "zerver_savedsnippet",
    "zerver_navigationview",
    "zerver_scheduledmessage",
    "zerver_service",
    "zerver_botstoragedata",
    "zerver_realmauditlog",
    "zerver_attachment",
    "avatars",
    "zerver_message",
    "zerver_usermessage",
    "zerver_reaction",
];

/// Tables of what texts name.
const NAMED_BY_TEXTS: &[&str] = &[
    "zerver_userprofile_mirrordummy",
    "zerver_stream",
    "zerver_namedusergroup",
    "zerver_realmemoji",
];

/// Tables that are passed over without a word: what they are about does not exist here.
pub const IMPORT_SILENT: &[&str] = &[
    "zerver_huddle",
    "zerver_realmauthenticationmethod",
    "zerver_botconfigdata",
    "zerver_useractivity",
    "zerver_useractivityinterval",
    "zerver_realmexport",
    "import_source",
];

/// What is never taken over, each with the reason.
pub const IMPORT_LEAVES_OUT: &[(&str, &str)] = &[
    (
        "passwords, API keys and tokens",
        "an archive must not open accounts; issue new ones",
    ),
    (
        "special permissions, the quota, whether the organization is deactivated",
        "the operator of each server decides on them",
    ),
    (
        "ways to sign in, statistics of use, earlier exports",
        "they belong to the other server; this one has its own",
    ),
    (
        "drafts, polls, reminders, invitations, devices for notifications",
        "the layout of archives has no place for them; a backup holds them",
    ),
];

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
    role: i64,
    /// None for a person.
    bot_type: Option<i64>,
    is_active: bool,
    date_joined: i64,
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
    tx: Filling<'d>,
    now: i64,
    /// Address of the account that is to be an owner.
    wanted_owner: Option<String>,
    outcome: Imported,
    realm: Option<Map<String, Value>>,
    people: BTreeMap<UserId, Person>,
    bot_owners: Vec<(UserId, UserId)>,
    bots: BTreeMap<UserId, spindle_store::bots::BotRow>,
    /// Bots of the server, by their id elsewhere.
    system_bots: HashMap<UserId, UserId>,
    clients: HashMap<i64, String>,
    /// Conversation by channel, and the name.
    channels: HashMap<ChannelId, (ConversationId, String)>,
    folders: BTreeSet<i64>,
    recipients: HashMap<i64, Recipient>,
    /// Members by recipient.
    members: HashMap<i64, BTreeSet<UserId>>,
    /// Direct conversations by their people.
    direct: HashMap<String, ConversationId>,
    groups: groups::Groups,
    fields: HashMap<i64, i64>,
    emoji: HashMap<String, files::Emoji>,
    uploads: HashMap<String, files::Upload>,
    avatars: HashMap<UserId, files::Avatar>,
    avatar_paths: HashMap<String, UserId>,
    relocation: Relocation,
    receipts: messages::Receipts,
    directory: Option<spindle_markup::Directory>,
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
            crate::text::check_email(owner)
                .map_err(|error| ImportError::Refused(format!("{owner}: {error}")))?;
        }
        let tx = Filling::begin(db)?;
        if realms::by_id(&tx, REALM)?.is_some() {
            let text = "there is an organization in this database already";
            return Err(ImportError::Refused(text.to_owned()));
        }
        Ok(Self {
            tx,
            now,
            wanted_owner: owner.map(str::to_owned),
            outcome: Imported::default(),
            realm: None,
            people: BTreeMap::new(),
            bot_owners: Vec::new(),
            bots: BTreeMap::new(),
            system_bots: HashMap::new(),
            clients: HashMap::new(),
            channels: HashMap::new(),
            folders: BTreeSet::new(),
            recipients: HashMap::new(),
            members: HashMap::new(),
            direct: HashMap::new(),
            groups: groups::Groups::default(),
            fields: HashMap::new(),
            emoji: HashMap::new(),
            uploads: HashMap::new(),
            avatars: HashMap::new(),
            avatar_paths: HashMap::new(),
            relocation: Relocation::default(),
            receipts: messages::Receipts::default(),
            directory: None,
        })
    }

    /// Takes one row of one of [`IMPORT_TABLES`].
    ///
    /// # Errors
    /// [`ImportError::Row`] for a row that makes no sense; [`ImportError::Store`].
    pub fn row(
        &mut self,
        table: &'static str,
        columns: &Map<String, Value>,
    ) -> Result<(), ImportError> {
        // Columns are looked through once for each table: all its rows have the same.
        let asked = (!self.outcome.rows.contains_key(table)).then(RefCell::default);
        let row = Row::new(columns, asked.as_ref());
        let key = columns.get("id").and_then(Value::as_i64);
        self.take(table, &row)
            .map_err(|error| error.at(table, key))?;
        if let Some(asked) = asked {
            let asked: BTreeSet<String> = asked.into_inner();
            for name in columns.keys().filter(|name| !asked.contains(*name)) {
                self.note(format!("column {table}.{name} is not known here"));
            }
        }
        *self.outcome.rows.entry(table.to_owned()).or_default() += 1;
        Ok(())
    }

    fn take(&mut self, table: &str, row: &Row<'_>) -> Result<(), ImportError> {
        match table {
            "zerver_realm" => self.realm(row),
            "zerver_userprofile" => self.account(row, false),
            "zerver_userprofile_mirrordummy" => self.account(row, true),
            "zerver_userprofile_crossrealm" => self.system_bot(row),
            "zerver_client" => self.client(row),
            "zerver_channelfolder" => self.folder(row),
            "zerver_stream" => self.channel(row),
            "zerver_recipient" => self.recipient(row),
            "zerver_subscription" => self.subscription(row),
            "zerver_usergroup" => self.group_id(row),
            "zerver_namedusergroup" => self.named_group(row),
            "zerver_groupgroupmembership" => self.subgroup(row),
            "zerver_usergroupmembership" => self.group_member(row),
            "zerver_defaultstream" => self.default_channel(row),
            "zerver_realmuserdefault" => self.user_defaults(row),
            "zerver_customprofilefield" => self.profile_field(row),
            "zerver_customprofilefieldvalue" => self.profile_value(row),
            "zerver_realmfilter" => self.linkifier(row),
            "zerver_realmdomain" => self.domain(row),
            "zerver_realmplayground" => self.playground(row),
            "zerver_realmemoji" => self.custom_emoji(row),
            "zerver_usertopic" => self.user_topic(row),
            "zerver_muteduser" => self.muted_user(row),
            "zerver_alertword" => self.alert_word(row),
            "zerver_userstatus" => self.status(row),
            "zerver_userpresence" => self.presence(row),
            "zerver_savedsnippet" => self.snippet(row),
            "zerver_navigationview" => self.view(row),
            "zerver_scheduledmessage" => self.scheduled_message(row),
            "zerver_service" => self.service(row),
            "zerver_botstoragedata" => self.bot_storage(row),
            "zerver_realmauditlog" => self.audit_entry(row),
            "zerver_attachment" => self.attachment(row),
            "avatars" => self.avatar_record(row),
            "zerver_message" => self.message(row),
            "zerver_usermessage" => self.receipt(row),
            "zerver_reaction" => self.reaction(row),
            _ => Err(ImportError::text("this table is not read")),
        }
    }

    /// Ends a table; called for each of [`IMPORT_TABLES`], whether it has rows or not.
    ///
    /// # Errors
    /// [`ImportError::Refused`] when what was read cannot be an organization.
    pub fn end_table(&mut self, table: &'static str) -> Result<(), ImportError> {
        // What texts name may have come with this table.
        if NAMED_BY_TEXTS.contains(&table) {
            self.directory = None;
        }
        match table {
            "zerver_realm" if self.realm.is_none() => Err(ImportError::Refused(
                "the archive holds no organization".to_owned(),
            )),
            "zerver_userprofile_mirrordummy" => self.end_of_accounts(),
            "zerver_stream" => self.channel_settings(),
            "zerver_namedusergroup" => self.make_groups(),
            "zerver_usergroupmembership" => self.permissions(),
            "zerver_realmfilter" => self.end_of_linkifiers(),
            "zerver_service" => self.end_of_bots(),
            "zerver_usermessage" => self.end_of_receipts(),
            _ => Ok(()),
        }
        .map_err(|error: ImportError| error.at(table, None))
    }

    /// Notes that something was left out or changed.
    pub fn note(&mut self, text: impl Into<String>) {
        self.note_times(text, 1);
    }

    /// Notes that something was left out or changed `times` times.
    pub fn note_times(&mut self, text: impl Into<String>, times: u64) {
        *self.outcome.notes.entry(text.into()).or_default() += times;
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
            .find(|user| user.role == 100 && user.is_active && !user.is_bot)
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

    /// HTML as the row has it, else made of its Markdown.
    fn html(&mut self, rendered: Option<&str>, markdown: &str) -> String {
        match rendered {
            Some(rendered) => self.relocation.text(rendered).into_owned(),
            None => self.render(markdown).html,
        }
    }

    /// What becomes of a Markdown text, for rows that come without HTML.
    fn render(&mut self, content: &str) -> spindle_markup::Rendered {
        let (people, channels, emoji) = (&self.people, &self.channels, &self.emoji);
        let directory = self.directory.get_or_insert_with(|| {
            let mut directory = spindle_markup::Directory::new();
            for (id, person) in people {
                directory.add_user(spindle_markup::User {
                    id: id.get(),
                    full_name: person.full_name.clone(),
                    is_active: person.is_active,
                });
            }
            for (id, (_, name)) in channels {
                directory.add_channel(id.get(), name.clone());
            }
            for emoji in emoji.values().filter(|emoji| emoji.is_active) {
                directory.add_custom_emoji(emoji.named());
            }
            directory
        });
        let context = spindle_markup::Context::new(directory, "");
        spindle_markup::render(content, &context)
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
