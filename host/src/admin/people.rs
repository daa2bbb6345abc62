//! People from a list of the operator's: each is created, or invited, on their own.

use anyhow::Result;
use serde::Serialize;
use spindle_actions::ActionError;
use spindle_actions::users::{
    FoundPerson, LineError, PersonLine, find_person, import_person, make_password_link,
};
use spindle_domain::UserId;
use spindle_store::users::UserRow;
use spindle_store::{DbError, users};

use super::password_links::SECONDS_A_DAY;
use super::{Invite, REALM, Session, explain, now};

/// What is done with the people of a list.
#[derive(Clone, Copy)]
pub enum Importing<'a> {
    /// They are checked; nothing is changed.
    Checking,
    /// Each gets an account, and a link that sets a password and works for so many days.
    Creating { days: i64, site: &'a str },
    /// Each gets an invitation; the role of these terms is not used.
    Inviting(&'a Invite<'a>),
}

/// What has become of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonOutcome {
    /// There is no account, and there could be one.
    New,
    Created,
    Invited,
    /// There is an account or an invitation already.
    Unchanged,
    Refused,
}

/// The report of one person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PersonReport {
    pub outcome: PersonOutcome,
    pub user_id: Option<UserId>,
    /// To be passed on to the person.
    pub link: Option<String>,
    /// The column of the value that is refused.
    pub column: Option<&'static str>,
    /// Why the person is refused, or how an account differs from the list.
    pub note: Option<String>,
}

impl PersonReport {
    fn of(outcome: PersonOutcome) -> Self {
        Self {
            outcome,
            user_id: None,
            link: None,
            column: None,
            note: None,
        }
    }

    /// A person who is refused because of a value.
    pub fn refused(column: Option<&'static str>, why: String) -> Self {
        Self {
            column,
            note: Some(why),
            ..Self::of(PersonOutcome::Refused)
        }
    }
}

impl Session {
    /// Creates, invites or checks one person. What is wrong with the person is in the report.
    ///
    /// # Errors
    /// There is no organization, or the database fails.
    pub fn import_person(&self, how: Importing<'_>, line: &PersonLine) -> Result<PersonReport> {
        self.require_realm()?;
        let done = match how {
            Importing::Checking => self.check_person(line),
            Importing::Creating { days, site } => self.create_person(line, days, site),
            Importing::Inviting(invite) => self.invite_person(line, invite),
        };
        match done {
            Ok(report) => Ok(report),
            Err(LineError::Column(column, why)) => {
                Ok(PersonReport::refused(Some(column.name()), why))
            }
            Err(LineError::Other(error @ (ActionError::Store(_) | ActionError::Internal(_)))) => {
                Err(explain(error))
            }
            Err(LineError::Other(error)) => {
                Ok(PersonReport::refused(None, explain(error).to_string()))
            }
        }
    }

    fn check_person(&self, line: &PersonLine) -> Result<PersonReport, LineError> {
        Ok(match find_person(self.db(), REALM, line)? {
            FoundPerson::Known(user) => known(&user, line),
            FoundPerson::New { .. } => PersonReport::of(PersonOutcome::New),
        })
    }

    fn create_person(
        &self,
        line: &PersonLine,
        days: i64,
        site: &str,
    ) -> Result<PersonReport, LineError> {
        let (db, now) = (self.db(), seconds()?);
        let (user_id, is_new) = import_person(db, REALM, now, line)?;
        if !is_new {
            let user = users::by_id(db, REALM, user_id)?.ok_or(DbError::NoRow)?;
            return Ok(known(&user, line));
        }
        let link = make_password_link(db, None, REALM, now, user_id, days * SECONDS_A_DAY)?;
        Ok(PersonReport {
            user_id: Some(user_id),
            link: Some(link.address(site)),
            ..PersonReport::of(PersonOutcome::Created)
        })
    }

    fn invite_person(
        &self,
        line: &PersonLine,
        invite: &Invite<'_>,
    ) -> Result<PersonReport, LineError> {
        let (channel_ids, group_ids) = match find_person(self.db(), REALM, line)? {
            FoundPerson::Known(user) => return Ok(known(&user, line)),
            FoundPerson::New {
                channel_ids,
                group_ids,
            } => (channel_ids, group_ids),
        };
        let inviter = self.inviter(invite.inviter).map_err(internal)?;
        let terms = invite.terms(line.role, channel_ids, group_ids);
        let done = spindle_actions::invitations::invite_people(
            self.db(),
            &inviter,
            seconds()?,
            invite.links,
            &line.email,
            true,
            &terms,
        );
        match done {
            Ok(done) => Ok(PersonReport {
                link: done.invited.into_iter().next().map(|one| one.link_url),
                ..PersonReport::of(PersonOutcome::Invited)
            }),
            // There is an invitation already: all that is left of an address without an account.
            Err(ActionError::InvitationFailed(left_out)) => Ok(PersonReport {
                note: left_out.into_iter().next().map(|one| one.1),
                ..PersonReport::of(PersonOutcome::Unchanged)
            }),
            Err(error) => Err(error.into()),
        }
    }
}

/// An account that was there before. It stays as it is: people may have changed it since.
fn known(user: &UserRow, line: &PersonLine) -> PersonReport {
    let mut differs = Vec::new();
    if !user.is_active {
        differs.push("the account is deactivated".to_owned());
    }
    if user.role != line.role {
        differs.push(format!("the role is {}", user.role.name()));
    }
    if line
        .full_name
        .as_ref()
        .is_some_and(|name| *name != user.full_name)
    {
        differs.push(format!("the name is {}", user.full_name));
    }
    PersonReport {
        user_id: Some(user.id),
        note: (!differs.is_empty()).then(|| differs.join(", ")),
        ..PersonReport::of(PersonOutcome::Unchanged)
    }
}

fn seconds() -> Result<i64, LineError> {
    now().map_err(internal)
}

fn internal(error: anyhow::Error) -> LineError {
    LineError::Other(ActionError::Internal(format!("{error:#}")))
}
