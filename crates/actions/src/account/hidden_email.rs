//! Addresses that the server makes for accounts. No person can choose an address of their domain, and
//! no mail can be sent there.

use spindle_domain::text::HIDDEN_DOMAIN;
use spindle_domain::{RealmId, UserId};
use spindle_store::{Db, users};

use crate::ActionError;

/// The value of `email_address_visibility` that lets all users see the address.
pub(crate) const EVERYBODY: i64 = 1;

/// What an address that the server generated replaces.
#[derive(Clone, Copy)]
pub(crate) enum StandIn {
    /// The API email of an account whose address is hidden.
    Hidden,
    /// The address of an account whose own one belongs to the server.
    Replaced,
}

impl StandIn {
    /// The address that an account has as a rule, and always in a database in which no other account can hold it.
    pub(crate) fn usual(self, user_id: UserId) -> String {
        self.numbered(user_id, "")
    }

    /// The usual address, or with a number where an account of an old database holds it.
    pub(crate) fn free(
        self,
        db: &dyn Db,
        realm_id: RealmId,
        user_id: UserId,
    ) -> Result<String, ActionError> {
        let mut email = self.usual(user_id);
        let mut number = 1_u64;
        loop {
            let holder = users::by_email(db, realm_id, &email)?;
            if holder.is_none_or(|holder| holder.id == user_id) {
                return Ok(email);
            }
            number = number.saturating_add(1);
            email = self.numbered(user_id, &format!("-{number}"));
        }
    }

    fn numbered(self, user_id: UserId, number: &str) -> String {
        let kind = match self {
            Self::Hidden => "",
            Self::Replaced => "-taken",
        };
        format!("user{user_id}{kind}{number}@{HIDDEN_DOMAIN}")
    }
}
