//! Creates people from a list of the operator's: one person at a time, with their channels and groups.
//!
//! Account, channels and groups are one transaction, so a list that was interrupted can be imported again from its
//! beginning: every person is there completely, or not at all.

use std::collections::BTreeSet;

use spindle_domain::{ChannelId, GroupId, RealmId, Role, UserId};
use spindle_store::channels::{self, NamedChannel};
use spindle_store::groups::{self, GroupRow};
use spindle_store::users::UserRow;
use spindle_store::{Connection, Db, DbError, default_channels, users};

use crate::account::manage_account::Change;
use crate::invitations::entrance::Beginning;
use crate::organization::domains::{admission, not_admitted};
use crate::text::{check_name_is_free, email_address, fold_name};
use crate::users::arrival::Arrival;
use crate::users::create_user::{NewAccount, Prepared, write_account};
use crate::{ActionError, text};

/// A person of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonLine {
    pub email: String,
    /// Not needed for an invitation.
    pub full_name: Option<String>,
    pub role: Role,
    /// Names of channels besides the default ones.
    pub channels: Vec<String>,
    /// Names of groups.
    pub groups: Vec<String>,
}

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonColumn {
    Email,
    FullName,
    Role,
    Channels,
    Groups,
}

impl PersonColumn {
    pub const ALL: [Self; 5] = [
        Self::Email,
        Self::FullName,
        Self::Role,
        Self::Channels,
        Self::Groups,
    ];

    /// Its heading.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::FullName => "full_name",
            Self::Role => "role",
            Self::Channels => "channels",
            Self::Groups => "groups",
        }
    }
}

/// Why a person cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// What is wrong with a value, for people.
    #[error("{1}")]
    Column(PersonColumn, String),
    #[error(transparent)]
    Other(#[from] ActionError),
}

impl From<DbError> for LineError {
    fn from(error: DbError) -> Self {
        Self::Other(error.into())
    }
}

/// What a list finds of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPerson {
    /// There is an account with this address.
    Known(Box<UserRow>),
    /// There is none, and one can be created, with these channels (the default ones not included) and groups.
    New {
        channel_ids: Vec<ChannelId>,
        group_ids: Vec<GroupId>,
    },
}

/// Checks a person without changing anything.
///
/// # Errors
/// [`LineError::Column`] for a value that is not valid.
pub fn find_person(
    db: &dyn Db,
    realm_id: RealmId,
    line: &PersonLine,
) -> Result<FoundPerson, LineError> {
    let email = of_column(PersonColumn::Email, email_address(&line.email))?;
    if let Some(user) = users::by_email(db, realm_id, &fold_name(&email))? {
        if user.is_bot {
            let text = "This is the address of a bot".to_owned();
            return Err(LineError::Column(PersonColumn::Email, text));
        }
        return Ok(FoundPerson::Known(Box::new(user)));
    }
    if let Err(cause) = admission(db, realm_id)?.check(&email) {
        let text = not_admitted(cause).to_owned();
        return Err(LineError::Column(PersonColumn::Email, text));
    }
    if let Some(name) = &line.full_name {
        let name = of_column(PersonColumn::FullName, text::full_name(name))?;
        let free = check_name_is_free(db, realm_id, &name, None);
        of_column(PersonColumn::FullName, free)?;
    }
    Ok(FoundPerson::New {
        channel_ids: channel_ids(db, realm_id, &line.channels)?,
        group_ids: group_ids(db, realm_id, &line.groups)?,
    })
}

/// Creates a person at `now` (UNIX seconds) unless there is an account with the address. Returns the id, and whether
/// the account was created.
///
/// # Errors
/// As [`find_person`]; [`LineError::Column`] without a name.
pub fn import_person(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    line: &PersonLine,
) -> Result<(UserId, bool), LineError> {
    if let FoundPerson::Known(user) = find_person(db, realm_id, line)? {
        return Ok((user.id, false));
    }
    let account = Prepared::new(&NewAccount {
        email: line.email.clone(),
        full_name: line.full_name.clone().unwrap_or_default(),
        role: Some(line.role),
        ..NewAccount::default()
    });
    // Address and role are sound, so it is the name.
    let account = of_column(PersonColumn::FullName, account)?;
    let created = Change::emitting(db, None, realm_id, now, |change| {
        let found = match find_person(change.tx, realm_id, line) {
            Ok(found) => found,
            Err(LineError::Other(error)) => return Err(error),
            Err(LineError::Column(_, text)) => return Err(ActionError::BadRequest(text)),
        };
        let FoundPerson::New {
            channel_ids,
            group_ids,
        } = found
        else {
            return Err(ActionError::bad_request("This e-mail address is taken"));
        };
        let mut joined: BTreeSet<ChannelId> = channel_ids.into_iter().collect();
        if !line.role.is_guest() {
            joined.extend(defaults(change.tx, realm_id)?);
        }
        let beginning = Beginning {
            channel_ids: joined.into_iter().collect(),
            group_ids,
            welcome_text: None,
        };
        Ok(write_account(change, &account, &Arrival::Joined(beginning))?.0)
    })?;
    Ok((created, true))
}

fn defaults(db: &dyn Db, realm_id: RealmId) -> Result<Vec<ChannelId>, ActionError> {
    serde_json::from_str(&default_channels::ids(db, realm_id)?)
        .map_err(|error| ActionError::Internal(error.to_string()))
}

fn of_column<T>(column: PersonColumn, value: Result<T, ActionError>) -> Result<T, LineError> {
    value.map_err(|error| match error {
        ActionError::BadRequest(text) => LineError::Column(column, text),
        other => LineError::Other(other),
    })
}

fn channel_ids(
    db: &dyn Db,
    realm_id: RealmId,
    names: &[String],
) -> Result<Vec<ChannelId>, LineError> {
    let folded: Vec<String> = names.iter().map(|name| fold_name(name)).collect();
    let rows = channels::named(db, realm_id, &json_texts(&folded))?;
    let find = |(name, folded): (&String, &String)| {
        let is_it = |row: &&NamedChannel| row.name_folded == *folded;
        match rows.iter().find(is_it) {
            Some(row) if row.is_archived => Err(format!("The channel {name:?} is archived")),
            Some(row) => Ok(row.id),
            None => Err(format!("There is no channel {name:?}")),
        }
    };
    let ids: Result<Vec<ChannelId>, String> = names.iter().zip(&folded).map(find).collect();
    ids.map_err(|text| LineError::Column(PersonColumn::Channels, text))
}

fn group_ids(db: &dyn Db, realm_id: RealmId, names: &[String]) -> Result<Vec<GroupId>, LineError> {
    let rows = groups::of_names(db, realm_id, &json_texts(names))?;
    let find = |name: &String| {
        let is_it = |row: &&GroupRow| row.name == *name;
        match rows.iter().find(is_it) {
            Some(row) if row.is_system_group => Err(format!(
                "The members of the group {name:?} follow from their roles"
            )),
            Some(row) if row.deactivated => Err(format!("The group {name:?} is deactivated")),
            Some(row) => Ok(row.id),
            None => Err(format!("There is no group {name:?}")),
        }
    };
    let ids: Result<Vec<GroupId>, String> = names.iter().map(find).collect();
    ids.map_err(|text| LineError::Column(PersonColumn::Groups, text))
}

fn json_texts(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}
