//! What a deactivation takes along when an administrator says so: the profile and messages of
//! the account (protocol-facts 5.6, `actions` of DELETE /users/{user_id}, FL 459).

use serde::Deserialize;
use serde_json::json;
use spindle_events::kinds::{self, UserChange};
use spindle_store::sender_messages::{self, Places};
use spindle_store::users::{self, UserRow};

use crate::account::manage_account::Change;
use crate::messages::{Erased, erase};
use crate::text::fold;
use crate::users::set_avatar::write_avatar;
use crate::{ActionError, Actor};

/// The name of an account without a profile.
const NO_NAME: &str = "Deleted user";

/// What else is to be done for a deactivated account, and for each of its bots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DeactivationActions {
    /// Take away name and picture.
    pub delete_profile: bool,
    /// Delete the messages in public channels.
    pub delete_public_channel_messages: bool,
    /// Delete the messages in private channels.
    pub delete_private_channel_messages: bool,
    /// Delete the direct messages.
    pub delete_direct_messages: bool,
}

/// The step that does what was asked for, in the name of `actor`. The account may still be
/// active, so that everybody hears who sees it now.
pub(super) fn erase_traces(
    change: &mut Change<'_, '_>,
    actor: &Actor,
    user: &UserRow,
    actions: DeactivationActions,
) -> Result<(), ActionError> {
    if actions.delete_profile {
        erase_profile(change, user)?;
    }
    let places = Places {
        public_channels: actions.delete_public_channel_messages,
        private_channels: actions.delete_private_channel_messages,
        direct: actions.delete_direct_messages,
    };
    if places != Places::default() {
        erase_messages(change, actor, user, places)?;
    }
    Ok(())
}

/// Names may be unique in the organization; this one is nobody's.
fn erase_profile(change: &mut Change<'_, '_>, user: &UserRow) -> Result<(), ActionError> {
    if user.full_name != NO_NAME {
        users::set_full_name(&change.tx, user.id, NO_NAME, &fold(NO_NAME))?;
        let audience = change.who_sees(user)?;
        let update = UserChange::FullName(NO_NAME.to_owned());
        let event = kinds::realm_user_update(user.id, update, audience);
        change.events.push(event);
    }
    if users::avatar_source(&change.tx, user.id)?.as_deref() != Some("J") {
        write_avatar(change, user, "J", None)?;
    }
    change.audit(Some(user.id), "user_profile_deleted", &json!({}))
}

fn erase_messages(
    change: &mut Change<'_, '_>,
    actor: &Actor,
    user: &UserRow,
    places: Places,
) -> Result<(), ActionError> {
    let mut number = 0;
    for sent in sender_messages::by_place(&change.tx, user.id, places)? {
        number += sent.message_ids.len();
        let erased = Erased {
            message_ids: &sent.message_ids,
            place: sent.channel_id.map(|id| (id, sent.topic.as_str())),
        };
        change.events.extend(erase(&change.tx, actor, &erased)?);
    }
    let data = json!({"messages": number});
    change.audit(Some(user.id), "user_messages_deleted", &data)
}
