//! Terms about people: senders, mentions, and who is in a direct conversation.

use spindle_domain::errors::ClientError;
use spindle_domain::narrow::UserReference;
use spindle_domain::{ConversationId, SYSTEM_REALM, UserId};
use spindle_store::{conversations, id_list, users};

use super::{Builder, require, restrict};
use crate::ActionError;
use crate::access::access_user::{access_user, access_user_by_email};
use crate::text::fold_name;

impl Builder<'_> {
    /// An account that the caller may see, or one of the server's own.
    fn person(&self, person: &UserReference) -> Result<UserId, ActionError> {
        let found = match person {
            UserReference::Id(id) => access_user(self.db, self.actor, *id),
            UserReference::Email(email) => access_user_by_email(self.db, self.actor, email),
        };
        let realm_id = SYSTEM_REALM;
        let row = match (found, person) {
            (Ok(row), _) => Some(row),
            (Err(ActionError::Denied(_)), UserReference::Id(id)) => {
                users::by_id(self.db, realm_id, *id)?
            }
            (Err(ActionError::Denied(_)), UserReference::Email(email)) => {
                users::by_email(self.db, realm_id, &fold_name(email))?
            }
            (Err(other), _) => return Err(other),
        };
        row.map(|row| row.id).ok_or_else(|| {
            ClientError::BadNarrow {
                desc: "there is no such user".into(),
            }
            .into()
        })
    }

    /// The ids of these people and the caller, ascending.
    fn with_self(&self, people: &[UserReference]) -> Result<Vec<UserId>, ActionError> {
        let mut ids = vec![self.filter.user_id];
        for person in people {
            ids.push(self.person(person)?);
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    pub(super) fn sender(
        &mut self,
        person: &UserReference,
        negated: bool,
    ) -> Result<(), ActionError> {
        let id = self.person(person)?;
        if negated {
            self.filter.senders_not.push(id);
        } else {
            restrict(&mut self.filter.senders, vec![id]);
            self.scope.push(format!("s{id}"));
        }
        Ok(())
    }

    pub(super) fn mentions(
        &mut self,
        person: &UserReference,
        negated: bool,
    ) -> Result<(), ActionError> {
        let id = self.person(person)?;
        let list = if negated {
            &mut self.filter.mentions_not
        } else {
            &mut self.filter.mentions
        };
        if !list.contains(&id) {
            list.push(id);
        }
        Ok(())
    }

    pub(super) fn direct(
        &mut self,
        people: &[UserReference],
        negated: bool,
    ) -> Result<(), ActionError> {
        let members: Vec<String> = self
            .with_self(people)?
            .iter()
            .map(UserId::to_string)
            .collect();
        let realm_id = self.actor.realm_id;
        let found = conversations::direct(self.db, realm_id, &members.join(","))?;
        self.conversations(found.into_iter().collect(), negated);
        Ok(())
    }

    pub(super) fn direct_including(
        &mut self,
        people: &[UserReference],
        negated: bool,
    ) -> Result<(), ActionError> {
        let members = id_list(self.with_self(people)?);
        let found = conversations::including(self.db, &members)?;
        self.conversations(found, negated);
        Ok(())
    }

    /// In one of these direct conversations, or in none of them.
    pub(super) fn conversations(&mut self, mut ids: Vec<ConversationId>, negated: bool) {
        if negated {
            self.filter.conversations_not.append(&mut ids);
            return;
        }
        require(&mut self.filter.direct, true, &mut self.nothing);
        if let [id] = ids.as_slice() {
            self.scope.push(format!("c{id}"));
        }
        restrict(&mut self.filter.conversations, ids);
    }
}
