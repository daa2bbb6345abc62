//! Sections about accounts and groups, as far as the caller may see them.
//!
//! An anonymous visitor receives no list of people: the names of users are not public.

use spindle_domain::text::HIDDEN_DOMAIN;
use spindle_domain::{Role, permission};
use spindle_store::presences::PresenceObjects;
use spindle_store::user_objects::{self, Hidden, UserLists, Viewer};
use spindle_store::{bots, group_records, group_settings, statuses};

use super::Snapshot;
use super::fields::Fields;
use crate::access::permissions::holds;
use crate::access::view::View;
use crate::presence::{PresenceQuery, presences_for};
use crate::users::set_avatar::medium_url;
use crate::{ActionError, Actor};

/// The accounts that the caller may see, and the caller's own with its permissions.
pub(super) fn users(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    put_users(snapshot, fields)?;
    match snapshot.actor {
        Some(actor) => put_own(snapshot, actor, fields),
        None => put_nobody(fields),
    }
}

pub(super) fn bots(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let Some(actor) = snapshot.actor else {
        return Ok("[]".to_owned());
    };
    let (realm_id, owner) = (snapshot.realm_id(), actor.user_id);
    Ok(bots::records(
        snapshot.db,
        realm_id,
        owner,
        actor.role.is_admin(),
    )?)
}

pub(super) fn groups(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    if snapshot.actor.is_none() {
        return Ok("[]".to_owned());
    }
    let capabilities = &snapshot.input.client_capabilities;
    let deactivated = capabilities.include_deactivated_groups;
    Ok(group_records::list(
        snapshot.db,
        snapshot.realm_id(),
        deactivated,
    )?)
}

pub(super) fn user_statuses(snapshot: &Snapshot<'_>) -> Result<String, ActionError> {
    let Some(actor) = snapshot.actor else {
        return Ok("{}".to_owned());
    };
    let view = View::of(snapshot.db, actor)?;
    Ok(statuses::object(snapshot.db, &view.viewer(false, false))?)
}

/// In the modern form for clients that say they know it.
pub(super) fn presence(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let input = snapshot.input;
    let query = PresenceQuery {
        slim: input.slim_presence || input.client_capabilities.simplified_presence_events,
        last_update_id: -1,
        history_limit_days: input.presence_history_limit_days,
    };
    let presences = match snapshot.actor {
        Some(actor) => presences_for(snapshot.db, actor, snapshot.now, query)?,
        None => PresenceObjects::default(),
    };
    fields.raw("presences", &presences.objects);
    fields.put("server_timestamp", &(snapshot.now as f64))?;
    fields.put("presence_last_update_id", &presences.newest.unwrap_or(-1))
}

fn put_users(snapshot: &Snapshot<'_>, fields: &mut Fields) -> Result<(), ActionError> {
    let users = match snapshot.actor {
        Some(actor) => {
            let capabilities = &snapshot.input.client_capabilities;
            let view = View::of(snapshot.db, actor)?;
            let viewer = Viewer {
                avatar_optional: capabilities.user_avatar_url_field_optional,
                ..view.viewer(snapshot.client_gravatar, true)
            };
            let hidden = if capabilities.user_list_incomplete {
                Hidden::Omitted
            } else {
                Hidden::Unknown(HIDDEN_DOMAIN)
            };
            user_objects::objects(snapshot.db, &viewer, hidden)?
        }
        None => UserLists::default(),
    };
    fields.raw("realm_users", &users.active);
    fields.raw("realm_non_active_users", &users.deactivated);
    fields.raw("cross_realm_bots", &user_objects::system_bots(snapshot.db)?);
    Ok(())
}

/// The caller's own account and what they may do.
fn put_own(snapshot: &Snapshot<'_>, actor: &Actor, fields: &mut Fields) -> Result<(), ActionError> {
    let owner = group_settings::Owner::Realm(actor.realm_id);
    let held = group_settings::held_by(snapshot.db, owner, actor.member())?;
    let may = |permission| holds(permission, &held, actor.role);
    let public = may(permission!(REALM, "can_create_public_channel_group"));
    let private = may(permission!(REALM, "can_create_private_channel_group"));
    for (name, value) in [
        ("can_create_streams", public || private),
        ("can_create_public_streams", public),
        ("can_create_private_streams", private),
        (
            "can_create_web_public_streams",
            may(permission!(REALM, "can_create_web_public_channel_group")),
        ),
        (
            "can_invite_others_to_realm",
            may(permission!(REALM, "can_invite_users_group")),
        ),
        ("is_admin", actor.role.is_admin()),
        ("is_owner", actor.role.is_owner()),
        (
            "is_moderator",
            actor.role.is_admin() || actor.role == Role::Moderator,
        ),
        ("is_guest", actor.role.is_guest()),
    ] {
        fields.put(name, &value)?;
    }
    let hides_gravatar = snapshot.client_gravatar && actor.avatar_source == "G";
    let medium = medium_url(&actor.avatar_url);
    fields.put("avatar_source", &actor.avatar_source)?;
    fields.put(
        "avatar_url",
        &(!hides_gravatar).then_some(&actor.avatar_url),
    )?;
    fields.put("avatar_url_medium", &(!hides_gravatar).then_some(medium))?;
    fields.put("user_id", &actor.user_id)?;
    fields.put("email", &actor.email)?;
    fields.put("delivery_email", &actor.delivery_email)?;
    fields.put("full_name", &actor.full_name)
}

/// An anonymous visitor in the same form: a client that decodes an account finds one that
/// may do nothing.
fn put_nobody(fields: &mut Fields) -> Result<(), ActionError> {
    for name in [
        "can_create_streams",
        "can_create_public_streams",
        "can_create_private_streams",
        "can_create_web_public_streams",
        "can_invite_others_to_realm",
        "is_admin",
        "is_owner",
        "is_moderator",
        "is_guest",
    ] {
        fields.put(name, &false)?;
    }
    fields.put("avatar_source", "J")?;
    fields.raw("avatar_url", "null");
    fields.raw("avatar_url_medium", "null");
    fields.put("user_id", &-1)?;
    for name in ["email", "delivery_email", "full_name"] {
        fields.put(name, "")?;
    }
    Ok(())
}
