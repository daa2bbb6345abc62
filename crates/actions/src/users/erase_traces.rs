//! What a deactivation deletes when an administrator asks for it: the profile and the messages of the
//! account (docs/protocol/users.md#deactivate_user, `actions`, FL 459).
//!
//! The profile is deleted in the transaction of the deactivation. There may be many messages: that transaction
//! schedules their deletion, which runs in parts (docs/adr/0029-changes-in-parts.md).

use serde::Deserialize;
use serde_json::json;
use spindle_domain::RealmId;
use spindle_events::kinds::{self, UserChange};
use spindle_store::Connection;
use spindle_store::message_erasures::{self, ConversationKinds};
use spindle_store::users::{self, UserRow};

use crate::account::manage_account::Change;
use crate::messages::erase_next;
use crate::text::fold_name;
use crate::users::set_avatar::write_avatar;
use crate::{ActionError, Actor};

/// Parts of the deletion of messages that one request runs. A job runs the rest.
const PARTS: usize = 15;

/// The name of an account without a profile.
const NO_NAME: &str = "Deleted user";

/// Data that is deleted with a deactivated account, and with each of its bots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DeactivationActions {
    /// Remove name and picture.
    pub delete_profile: bool,
    /// Delete the messages in public channels.
    pub delete_public_channel_messages: bool,
    /// Delete the messages in private channels.
    pub delete_private_channel_messages: bool,
    /// Delete the direct messages.
    pub delete_direct_messages: bool,
}

impl DeactivationActions {
    const fn kinds(self) -> ConversationKinds {
        ConversationKinds {
            public_channels: self.delete_public_channel_messages,
            private_channels: self.delete_private_channel_messages,
            direct: self.delete_direct_messages,
        }
    }
}

/// The step that does what was asked for, in the name of `actor`. The account may still be
/// active, so that the audience is all who see it now.
pub(super) fn erase_traces(
    change: &mut Change<'_, '_>,
    actor: &Actor,
    user: &UserRow,
    actions: DeactivationActions,
) -> Result<(), ActionError> {
    if actions.delete_profile {
        erase_profile(change, user)?;
    }
    let kinds = actions.kinds();
    if kinds != ConversationKinds::default() {
        let acting_id = actor.user_id;
        message_erasures::insert(change.tx, change.realm_id, user.id, acting_id, kinds)?;
    }
    Ok(())
}

/// Deletes messages of accounts that were deactivated with these actions, as many as one request
/// should.
pub(super) fn erase_messages(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    actions: DeactivationActions,
) -> Result<(), ActionError> {
    let mut parts = if actions.kinds() == ConversationKinds::default() {
        0
    } else {
        PARTS
    };
    while parts > 0 && erase_next(db, realm_id, now)? {
        parts -= 1;
    }
    Ok(())
}

/// Names may be unique in the organization; this one is not checked.
fn erase_profile(change: &mut Change<'_, '_>, user: &UserRow) -> Result<(), ActionError> {
    if user.full_name != NO_NAME {
        users::set_full_name(change.tx, user.id, NO_NAME, &fold_name(NO_NAME))?;
        let audience = change.who_sees(user)?;
        let update = UserChange::FullName(NO_NAME.to_owned());
        let event = kinds::realm_user_update(user.id, update, audience);
        change.events.push(event);
    }
    if users::avatar_source(change.tx, user.id)?.as_deref() != Some("J") {
        write_avatar(change, user, "J", None)?;
    }
    change.audit(Some(user.id), "user_profile_deleted", &json!({}))
}
