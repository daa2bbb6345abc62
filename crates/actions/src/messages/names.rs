//! The names that a text refers to: looked up in one statement, as far as the caller may know the
//! users, groups and channels. Whether users are notified is not decided here.

use serde_json::json;
use spindle_markup::{Directory, References, User, UserGroup};
use spindle_store::Db;
use spindle_store::directory::{self, Named, Names};

use crate::access::access_user::visible_among;
use crate::{ActionError, Actor};

/// The names in a text that the caller may know; for texts that notify no user.
pub(crate) fn directory_of(
    db: &dyn Db,
    actor: &Actor,
    markdown: &str,
) -> Result<Directory, ActionError> {
    let references = spindle_markup::references(markdown);
    Ok(fill(actor, &resolve(db, actor, &references)?))
}

/// Looks up the names in a text; accounts that the caller may not see are left out.
pub(super) fn resolve(
    db: &dyn Db,
    actor: &Actor,
    references: &References,
) -> Result<Vec<Named>, ActionError> {
    let nothing = references.user_names.is_empty()
        && references.user_ids.is_empty()
        && references.group_names.is_empty()
        && references.channel_names.is_empty();
    if nothing {
        return Ok(Vec::new());
    }
    let folded: Vec<(&str, String)> = references
        .topics
        .iter()
        .map(|(channel, topic)| (channel.as_str(), spindle_markup::fold_name(topic)))
        .collect();
    let names = Names {
        user_names: &json!(references.user_names).to_string(),
        user_ids: &json!(references.user_ids).to_string(),
        group_names: &json!(references.group_names).to_string(),
        channel_names: &json!(references.channel_names).to_string(),
        topics: &json!(folded).to_string(),
    };
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    let named = directory::resolve(db, realm_id, user_id, &names)?;
    only_visible(db, actor, named)
}

/// Leaves out users whom a guest may not see.
fn only_visible(
    db: &dyn Db,
    actor: &Actor,
    mut named: Vec<Named>,
) -> Result<Vec<Named>, ActionError> {
    let account = |named: &Named| match named {
        Named::User { id, is_bot, .. } => Some((*id, *is_bot)),
        _ => None,
    };
    let accounts: Vec<_> = named.iter().filter_map(account).collect();
    let visible = visible_among(db, actor, &accounts)?;
    named.retain(|named| account(named).is_none_or(|(id, _)| visible.contains(&id)));
    Ok(named)
}

/// Channels are linked whether or not the sender is subscribed; the newest message of a topic is
/// linked only for subscribers, or when the channel is public and the sender no guest.
pub(super) fn fill(actor: &Actor, named: &[Named]) -> Directory {
    let mut directory = Directory::new();
    let mut readable = Vec::new();
    for name in named {
        match name.clone() {
            Named::User {
                id,
                full_name,
                is_active,
                ..
            } => directory.add_user(User {
                id: id.into(),
                full_name,
                is_active,
            }),
            Named::Group {
                id,
                name,
                is_active,
                is_system_group,
                ..
            } => directory.add_group(UserGroup {
                id: id.into(),
                display_name: is_system_group.then(|| display_name(&name)).flatten(),
                name,
                is_active,
            }),
            Named::Channel {
                id,
                name,
                invite_only,
                is_web_public,
                is_subscribed,
                ..
            } => {
                directory.add_channel(id.into(), name);
                let is_open = is_web_public || !invite_only && !actor.role.is_guest();
                if is_open || is_subscribed {
                    readable.push(id);
                }
            }
            Named::Topic {
                channel_id,
                topic,
                message_id,
            } if readable.contains(&channel_id) => {
                directory.add_newest_message(channel_id.into(), &topic, message_id.into());
            }
            Named::Topic { .. } => {}
        }
    }
    directory
}

/// What is shown for a system group: its name without the prefix, with a capital.
pub(crate) fn display_name(name: &str) -> Option<String> {
    let bare = name.strip_prefix("role:")?;
    let shown = match bare {
        "fullmembers" => "Full members".to_owned(),
        "internet" => "Everyone on the internet".to_owned(),
        _ => {
            let mut letters = bare.chars();
            let first = letters.next()?;
            first.to_uppercase().chain(letters).collect()
        }
    };
    Some(shown)
}
