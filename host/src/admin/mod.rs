//! Administration from the command line: the operator acts on the database itself, also while a server runs. Changes go
//! through `spindle_actions`, so they are audited and their events reach live queues.

mod account;
mod apps;
mod audit;
mod demo;
mod invite;
mod password_links;
mod people;
mod quota;
mod running_server;
mod zuliprc;

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};
use spindle_actions::users::{CreatedUser, NewAccount};
use spindle_actions::{ActionError, NewRealm};
use spindle_domain::errors::ClientError;
use spindle_domain::identity::ListedProvider;
use spindle_domain::policy::Reason;
use spindle_domain::{RealmId, Role, UserId};
use spindle_store::migrations::MIGRATIONS;
use spindle_store::{Connection, DbError, check, realms, unfinished_move, user_lists, users};

use spindle_database::Location;

pub use account::Account;
pub use apps::{Apps, Granting};
pub use audit::AuditEntry;
pub use demo::Demo;
pub use invite::Invite;
pub use password_links::{LinkOfPerson, WhichPeople};
pub use people::{Importing, PersonOutcome, PersonReport};
pub use running_server::{Needs, enter};
pub use spindle_actions::account::SPECIAL_PERMISSIONS;
pub use zuliprc::zuliprc;

/// The only organization of a server.
const REALM: RealmId = RealmId::ONLY;

const NO_ORGANIZATION: &str = "there is no organization in this database yet; the first start of the server, or `spindle setup`, creates it";

/// How long a command tries a change that conflicts with those of a busy server.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open database with the current schema.
pub struct Session {
    connection: Box<dyn Connection + Send>,
}

impl Session {
    /// Opens the database (a file is created when missing) and migrates it. A server must have claimed
    /// its directory before, a command must have called [`enter`].
    ///
    /// # Errors
    /// The file is not a database, the server refuses, or a newer program wrote it.
    pub fn open(database: impl Into<Location>) -> Result<Self> {
        let database = database.into();
        let connection = database.check_node().and_then(|()| database.migrate());
        let connection = connection.map_err(|error| cannot_use(&database, &error))?;
        Ok(Self { connection })
    }

    /// As [`Self::open`], for a command. A file of the newest version is not compared with its migrations; a database on a
    /// server, which other nodes use, keeps its schema.
    ///
    /// # Errors
    /// As [`Self::open`]; the database of a server has another schema than this program.
    pub fn open_to_administer(database: Location) -> Result<Self> {
        if let Some(path) = database.file() {
            let connection = Location::migrate_if_older(path);
            let connection = connection.map_err(|error| cannot_use(&database, &error))?;
            return Ok(Self { connection });
        }
        let cannot_use = |error| cannot_use(&database, &error);
        let connection = database.connect_to_administer().map_err(cannot_use)?;
        unfinished_move::require_finished(&*connection).map_err(cannot_use)?;
        if !realms::exists(&*connection, REALM).map_err(cannot_use)? {
            bail!("{database}: {NO_ORGANIZATION}");
        }
        let found = check::schema_version(&*connection).map_err(cannot_use)?;
        let known = MIGRATIONS.len();
        if usize::try_from(found) != Ok(known) {
            bail!(
                "{database} has another schema ({found} migrations, this program has {known}): use the program of \
                 its version, or start this one's server first"
            );
        }
        Ok(Self { connection })
    }

    /// Whether the organization exists, which the first start of a server creates.
    pub fn has_realm(&self) -> Result<bool> {
        Ok(realms::by_id(self.db(), REALM)?.is_some())
    }

    /// Sends the restart event to all queues, which outlive a restart.
    pub fn announce_restart(&self) -> Result<()> {
        spindle_actions::organization::announce_restart(self.db(), REALM, now()?).map_err(explain)
    }

    /// Corrects texts and addresses that an older version stored, and logs how many.
    pub fn mend_texts(&self) -> Result<()> {
        let mended =
            spindle_actions::organization::mend_texts(self.db(), REALM, now()?).map_err(explain)?;
        for (column, rows) in mended {
            tracing::warn!(
                column,
                rows,
                "stored texts that are not allowed any more were mended"
            );
        }
        Ok(())
    }

    /// Records whether a push service is configured, for the components.
    pub fn configure_push_service(&self, is_configured: bool) -> Result<()> {
        spindle_actions::push::configure_push_service(self.db(), REALM, now()?, is_configured)
            .map_err(explain)
    }

    /// Records whether mail is configured, for the components.
    pub fn configure_mail(&self, is_configured: bool) -> Result<()> {
        spindle_actions::mail::configure_mail(self.db(), REALM, now()?, is_configured)
            .map_err(explain)
    }

    /// Records which identity providers are configured, for the components.
    pub fn configure_identity_providers(&self, providers: &[ListedProvider]) -> Result<()> {
        spindle_actions::identity::configure(self.db(), REALM, now()?, providers).map_err(explain)
    }

    /// Creates the organization with its first owner.
    ///
    /// # Errors
    /// It exists already, or a name or address is refused.
    pub fn create_realm(&self, new: &NewRealm) -> Result<CreatedUser> {
        let created = spindle_actions::create_realm(self.db(), now()?, new).map_err(explain)?;
        Ok(created.owner)
    }

    /// Creates a person, bot or imported stub.
    ///
    /// # Errors
    /// The address is taken, or a value is refused.
    pub fn create(&self, new: &NewAccount) -> Result<CreatedUser> {
        self.require_realm()?;
        let now = now()?;
        patiently(|| spindle_actions::users::create_user(self.db(), None, REALM, now, new))
    }

    /// All accounts, by id.
    pub fn list(&self) -> Result<Vec<Account>> {
        let db = self.db();
        let rows = users::list(db, REALM)?;
        let activity = user_lists::last_activity(db)?;
        let activity: BTreeMap<UserId, i64> = activity
            .into_iter()
            .map(|row| (row.user_id, row.last))
            .collect();
        let accounts = rows.into_iter().map(|row| {
            let mut account = Account::read(db, row)?;
            account.last_active = activity.get(&account.user_id).copied();
            Ok(account)
        });
        accounts.collect()
    }

    /// The first active owner, if there is one.
    pub fn first_owner(&self) -> Result<Option<Account>> {
        let is_owner = |account: &Account| {
            account.role == Role::Owner.name() && account.is_active && !account.is_bot
        };
        Ok(self.list()?.into_iter().find(is_owner))
    }

    /// Deactivates an account.
    ///
    /// # Errors
    /// There is no such account, or it is the last owner.
    pub fn deactivate(&self, email: &str) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::users::deactivate_user(db, None, REALM, now, id)
        })
    }

    /// Reactivates an account.
    ///
    /// # Errors
    /// There is no such account.
    pub fn reactivate(&self, email: &str) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::users::reactivate_user(db, None, REALM, now, id)
        })
    }

    /// Changes the role of an account.
    ///
    /// # Errors
    /// There is no such account, or a rule refuses (the last owner stays an owner).
    pub fn set_role(&self, email: &str, role: Role) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::users::set_role(db, None, REALM, now, id, role)
        })
    }

    /// Grants or revokes a special permission, one of [`SPECIAL_PERMISSIONS`].
    ///
    /// # Errors
    /// There is no such account or permission.
    pub fn set_permission(&self, email: &str, permission: &str, granted: bool) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::account::set_permission(db, REALM, now, id, permission, granted)
                .map(|_| ())
        })
    }

    /// Sets the requests a minute of one bot; with `None`, it shares the rate of its owner's bots.
    ///
    /// # Errors
    /// There is no such account, or it is not a bot.
    pub fn set_bot_rate(&self, email: &str, rate: Option<i64>) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::account::set_bot_rate(db, REALM, now, id, rate)
        })
    }

    /// Sets the password of a person.
    ///
    /// # Errors
    /// There is no such account, it is a bot, or the password is too short or too long.
    pub fn set_password(&self, email: &str, password: &str) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::account::set_password(db, REALM, now, id, password)
        })
    }

    /// Takes the second factor of a person away.
    ///
    /// # Errors
    /// There is no such account, or it has none.
    pub fn reset_second_factor(&self, email: &str) -> Result<Account> {
        self.change(email, |db, now, id| {
            spindle_actions::account::reset_second_factor(db, None, REALM, now, id)
        })
    }

    /// Revokes all keys of an account and issues a new one.
    ///
    /// # Errors
    /// There is no such account.
    pub fn rotate_key(&self, email: &str) -> Result<(Account, String)> {
        let account = self.find(email)?;
        let id = account.user_id;
        let now = now()?;
        let key =
            patiently(|| spindle_actions::account::rotate_key(self.db(), None, REALM, now, id))?;
        Ok((account, key))
    }

    /// Issues an additional key; the existing ones stay valid, up to the limit per account.
    ///
    /// # Errors
    /// There is no such account.
    pub fn issue_key(&self, email: &str) -> Result<(Account, String)> {
        let account = self.find(email)?;
        let id = account.user_id;
        let now = now()?;
        let key = patiently(|| spindle_actions::account::issue_key(self.db(), REALM, now, id))?;
        Ok((account, key))
    }

    /// Creates a link with which a person signs in once, within 15 minutes, at the server with the
    /// address `site`; it invalidates earlier links.
    ///
    /// # Errors
    /// There is no such account, it is a bot, or it is deactivated.
    pub fn sign_in_link(&self, email: &str, site: &str) -> Result<(Account, String)> {
        let account = self.find(email)?;
        let id = account.user_id;
        let token = spindle_actions::account::make_sign_in_link(self.db(), REALM, now()?, id);
        let token = token.map_err(explain)?;
        Ok((account, format!("{site}/#sign-in/{token}")))
    }

    /// A sign-in link for the first owner; `None` once they have signed in.
    pub fn first_sign_in_link(&self, site: &str) -> Result<Option<String>> {
        let Some(owner) = self.first_owner()? else {
            return Ok(None);
        };
        let row = users::by_id(self.db(), REALM, owner.user_id)?;
        if row.is_none_or(|row| row.last_login.is_some()) {
            return Ok(None);
        }
        Ok(Some(self.sign_in_link(&owner.email, site)?.1))
    }

    /// The name of the organization, and whether it is active.
    ///
    /// # Errors
    /// There is no organization.
    pub fn organization(&self) -> Result<(String, bool)> {
        let realm = realms::by_id(self.db(), REALM)?;
        let realm = realm.ok_or_else(|| anyhow!(NO_ORGANIZATION))?;
        Ok((realm.name, realm.deactivated))
    }

    /// Deactivates or reactivates the organization.
    ///
    /// # Errors
    /// There is no organization.
    pub fn set_organization_active(&self, active: bool) -> Result<()> {
        self.require_realm()?;
        let (db, now) = (self.db(), now()?);
        if active {
            spindle_actions::organization::reactivate_realm(db, REALM, now).map_err(explain)
        } else {
            spindle_actions::organization::deactivate_realm(db, None, REALM, now).map_err(explain)
        }
    }

    fn change(
        &self,
        email: &str,
        change: impl Fn(&dyn Connection, i64, UserId) -> Result<(), ActionError>,
    ) -> Result<Account> {
        let account = self.find(email)?;
        let now = now()?;
        patiently(|| change(self.db(), now, account.user_id))?;
        self.find(email)
    }

    fn find(&self, email: &str) -> Result<Account> {
        self.require_realm()?;
        let db = self.db();
        let row = users::by_email(db, REALM, &spindle_actions::fold_name(email))?;
        Account::read(
            db,
            row.ok_or_else(|| anyhow!("there is no user with the email {email}"))?,
        )
    }

    fn require_realm(&self) -> Result<()> {
        if self.has_realm()? {
            return Ok(());
        }
        bail!(NO_ORGANIZATION)
    }

    pub(crate) fn db(&self) -> &dyn Connection {
        &*self.connection
    }
}

fn cannot_use(database: &Location, error: &DbError) -> anyhow::Error {
    anyhow!("{database}: {}", error.reason())
}

fn now() -> Result<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(i64::try_from(since.as_secs())?)
}

/// Makes a change of accounts; after a conflict again, for [`PATIENCE`]. The action has tried some times by then: on a
/// database of a server, a change that reads many rows may conflict with much of what a busy server writes.
fn patiently<T>(change: impl Fn() -> Result<T, ActionError>) -> Result<T> {
    let begun = Instant::now();
    loop {
        match change() {
            Err(ActionError::Store(DbError::Conflict(_))) if begun.elapsed() < PATIENCE => {}
            outcome => return outcome.map_err(explain),
        }
    }
}

/// Translates refusals of actions for an operator.
fn explain(error: ActionError) -> anyhow::Error {
    match error {
        ActionError::Denied(Reason::LastOwner)
        | ActionError::Client(ClientError::CannotDeactivateLastUser {
            is_last_owner: true,
        }) => {
            anyhow!("this is the only owner; make another user an owner first")
        }
        ActionError::InvitationFailed(refused) => {
            let refused = refused.iter().map(|one| format!("{}: {}", one.0, one.1));
            anyhow!(
                "no address was invited; {}",
                refused.collect::<Vec<_>>().join("; ")
            )
        }
        other => anyhow::Error::new(other),
    }
}

#[cfg(test)]
mod tests;
