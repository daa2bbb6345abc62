//! The names that a text refers to: looked up in one statement, as far as the caller may know the
//! users, groups and channels. Whether users are notified is not decided here.

use std::collections::BTreeSet;

use serde_json::json;
use spindle_domain::policy::may_see_channel;
use spindle_domain::{ChannelId, UserId};
use spindle_markup::{Directory, References, User, UserGroup};
use spindle_store::directory::{self, Named, Names};
use spindle_store::{Db, channel_facts, id_list};

use crate::access::access_channel::facts;
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

/// The accounts and channels that the server names in a text of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) people: BTreeSet<UserId>,
    pub(crate) channels: BTreeSet<ChannelId>,
}

/// Looks up the names in a text; accounts and channels that the caller may not see are left out.
pub(super) fn resolve(
    db: &dyn Db,
    actor: &Actor,
    references: &References,
) -> Result<Vec<Named>, ActionError> {
    only_visible(db, actor, look_up(db, actor, references)?)
}

/// Looks up the names in a text of the server; keeps only objects that the server named itself.
pub(super) fn resolve_only(
    db: &dyn Db,
    bot: &Actor,
    references: &References,
    shown: &Shown,
) -> Result<Vec<Named>, ActionError> {
    let mut named = look_up(db, bot, references)?;
    named.retain(|named| match named {
        Named::User { id, .. } => shown.people.contains(id),
        Named::Group { .. } => false,
        Named::Channel { id, .. } => shown.channels.contains(id),
        Named::Topic { channel_id, .. } => shown.channels.contains(channel_id),
    });
    Ok(named)
}

fn look_up(db: &dyn Db, actor: &Actor, references: &References) -> Result<Vec<Named>, ActionError> {
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
        .map(|(channel, topic)| (channel.as_str(), spindle_markup::fold_topic(topic)))
        .collect();
    let names = Names {
        user_names: &json!(references.user_names).to_string(),
        user_ids: &json!(references.user_ids).to_string(),
        group_names: &json!(references.group_names).to_string(),
        channel_names: &json!(references.channel_names).to_string(),
        topics: &json!(folded).to_string(),
    };
    Ok(directory::resolve(
        db,
        actor.realm_id,
        actor.member(),
        &names,
    )?)
}

/// Drops channels and users that the caller may not see.
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
    let hidden = hidden_channels(db, actor, &named)?;
    named.retain(|named| match named {
        Named::Channel { id, .. } | Named::Topic { channel_id: id, .. } => !hidden.contains(id),
        _ => true,
    });
    Ok(named)
}

/// Channels that are hidden from the caller. Queries only if a channel is neither public nor subscribed.
fn hidden_channels(
    db: &dyn Db,
    actor: &Actor,
    named: &[Named],
) -> Result<BTreeSet<ChannelId>, ActionError> {
    let doubtful = named.iter().filter_map(|named| match named {
        Named::Channel {
            id,
            invite_only,
            is_web_public,
            is_subscribed,
            ..
        } => (!is_open(actor, *invite_only, *is_web_public) && !is_subscribed).then_some(*id),
        _ => None,
    });
    let mut hidden: BTreeSet<ChannelId> = doubtful.collect();
    if !hidden.is_empty() {
        let ids = id_list(hidden.iter().copied());
        for row in channel_facts::by_ids(db, actor.realm_id, actor.member(), &ids)? {
            if may_see_channel(actor.role, &facts(&row, actor.role)).is_allowed() {
                hidden.remove(&row.id);
            }
        }
    }
    Ok(hidden)
}

const fn is_open(actor: &Actor, invite_only: bool, is_web_public: bool) -> bool {
    is_web_public || !invite_only && !actor.role.is_guest()
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
                if is_open(actor, invite_only, is_web_public) || is_subscribed {
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

/// The displayed name of a system group: without the prefix, with a capital.
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
