//! Changes settings of many people in one request (docs/protocol/settings.md#update_settings with
//! `target_users`, FL 444; administrators only).

use serde::Deserialize;
use serde_json::json;
use spindle_domain::policy::{Reason, may_change_settings_of_others};
use spindle_domain::settings::{USER, by_name};
use spindle_domain::{GroupId, UserId};
use spindle_store::{Connection, id_list, user_settings};

use super::SettingValues;
use super::apply::apply;
use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// The users whose settings change: the people listed, and those in the groups, however nested.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetUsers {
    /// People.
    #[serde(default)]
    pub user_ids: Vec<UserId>,
    /// Groups.
    #[serde(default)]
    pub group_ids: Vec<GroupId>,
    /// Leaves a setting alone where its owner has changed it themselves.
    pub skip_if_already_edited: bool,
}

/// Sets `values` for all `targets` at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] for a caller who is no administrator, and for a target that is no
/// person of the organization or no group; [`ActionError::BadRequest`] when no target is named, and
/// for settings that are their owner's alone. Nothing is changed then.
pub fn update_settings_of_others(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    targets: &TargetUsers,
    values: &SettingValues,
) -> Result<(), ActionError> {
    may_change_settings_of_others(actor.role).check()?;
    if targets.user_ids.is_empty() && targets.group_ids.is_empty() {
        return Err(ActionError::bad_request("target_users is empty"));
    }
    let is_protected =
        |name: &&'static str| by_name(USER, name).is_some_and(|setting| setting.is_protected);
    if let Some(name) = values.iter().map(|(name, _)| *name).find(is_protected) {
        return Err(ActionError::BadRequest(format!(
            "{name} is changed by everybody for themselves"
        )));
    }
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let user_ids = id_list(targets.user_ids.iter().copied());
        let group_ids = id_list(targets.group_ids.iter().copied());
        let realm_id = change.realm_id;
        if !user_settings::all_exist(change.tx, realm_id, &user_ids, &group_ids)? {
            return Err(Reason::NoAccess.into());
        }
        let edited = if targets.skip_if_already_edited {
            user_settings::edited(change.tx, realm_id)?
        } else {
            Vec::new()
        };
        for mut user in user_settings::people_among(change.tx, realm_id, &user_ids, &group_ids)? {
            let mut changed = Vec::new();
            for (name, value) in values {
                let is_edited = edited
                    .iter()
                    .any(|edited| edited.user_id == user.id && edited.name == *name);
                if !is_edited && apply(change, &mut user, name, value)? {
                    changed.push(*name);
                }
            }
            if !changed.is_empty() {
                let data = json!({"settings": changed});
                change.audit(Some(user.id), "user_settings_changed", &data)?;
            }
        }
        Ok(())
    })
}
