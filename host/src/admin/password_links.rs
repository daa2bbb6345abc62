//! Links with which people set a password, created by the operator.

use anyhow::Result;
use serde::Serialize;
use spindle_actions::users::make_password_link;
use spindle_domain::UserId;
use spindle_store::users;
use spindle_store::users::UserRow;

use super::{REALM, Session, now, patiently};

pub(super) const SECONDS_A_DAY: i64 = 24 * 3600;

/// Who gets a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichPeople {
    /// All who may sign in.
    All,
    /// Those of them who never have.
    NeverSignedIn,
}

/// The link of one person; the form of `--output json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkOfPerson {
    pub user_id: UserId,
    /// Real address, to which the link may be sent.
    pub email: String,
    pub full_name: String,
    pub link: String,
    /// UNIX seconds.
    pub expires: i64,
}

impl Session {
    /// Makes a link for each of many people, which works for `days`, at the server with the address `site`. Earlier
    /// links of theirs stop working.
    ///
    /// # Errors
    /// There is no organization.
    pub fn password_links(
        &self,
        which: WhichPeople,
        days: i64,
        site: &str,
    ) -> Result<Vec<LinkOfPerson>> {
        self.require_realm()?;
        let people = users::list(self.db(), REALM)?.into_iter().filter(|user| {
            let is_wanted = which == WhichPeople::All || user.last_login.is_none();
            user.is_active && !user.is_bot && is_wanted
        });
        people
            .map(|user| self.password_link(user, days, site))
            .collect()
    }

    pub(super) fn password_link(
        &self,
        user: UserRow,
        days: i64,
        site: &str,
    ) -> Result<LinkOfPerson> {
        let (now, seconds) = (now()?, days * SECONDS_A_DAY);
        let link = patiently(|| make_password_link(self.db(), None, REALM, now, user.id, seconds))?;
        Ok(LinkOfPerson {
            user_id: user.id,
            email: user.delivery_email,
            full_name: user.full_name,
            link: link.address(site),
            expires: link.until,
        })
    }
}
