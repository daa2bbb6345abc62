//! Changes settings and permissions of the organization (PATCH /realm;
//! docs/protocol/permissions.md, docs/protocol/register.md#realm, docs/protocol/events.md#realm).
//!
//! Either everything that is passed is changed or nothing. Values that are the same as before
//! change nothing and are not emitted.

mod effects;
mod values;
mod ways;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::permission::{PermissionSetting, REALM};
use spindle_domain::policy::{may_change_realm_setting, requires_second_factor};
use spindle_domain::settings::{EventForm, event_form};
use spindle_domain::text::first_chars;
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::group_settings::Owner;
use spindle_store::realms::{self, RealmRow};
use spindle_store::{Connection, Outcome, WriteTx, audit};

pub(crate) use self::values::{check_value, normal_value};
use crate::access::guest_views::GuestViews;
use crate::organization::realm_policies;
use crate::permissions::group_setting::GroupSettings;
use crate::{ActionError, Actor, Settings, change};

/// Characters of a text that the audit log keeps.
const MAX_AUDITED_TEXT: usize = 500;

/// The changes, in the order in which they are checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RealmChange {
    /// Plain settings by name without the prefix `realm_`, each of the type of its setting.
    pub settings: Vec<(&'static str, Value)>,
    /// Permissions of the organization.
    pub permissions: Vec<(&'static PermissionSetting, GroupSettingUpdate)>,
    /// Ways to sign in by name, and whether they are on; the others stay.
    pub ways: BTreeMap<String, bool>,
}

/// Changes settings at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when a setting is for owners; [`ActionError::BadRequest`] for a
/// value that makes no sense; `ClientError::StreamDoesNotExist`; for permissions
/// `ClientError::ExpectationMismatch` and `ClientError::SystemGroupRequired`.
pub fn update_realm(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    change: &RealmChange,
) -> Result<(), ActionError> {
    let settings = change.settings.iter().map(|(name, _)| *name);
    let permissions = change.permissions.iter().map(|(setting, _)| setting.name);
    for name in settings.chain(permissions) {
        may_change_realm_setting(actor.role, name).check()?;
    }
    let settings = values::checked(&change.settings)?;
    check_own_second_factor(actor, &settings)?;
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let realm = realms::by_id(tx, realm_id)?
            .ok_or_else(|| ActionError::Internal("there is no organization".to_owned()))?;
        let changed = write_settings(tx, actor, &realm, &settings)?;
        let guests = change
            .permissions
            .iter()
            .any(|(setting, _)| setting.name == "can_access_all_users_group")
            .then(|| GuestViews::read(tx, realm_id))
            .transpose()?;
        let (permissions, before) = write_permissions(tx, actor, &change.permissions)?;
        let ways = match change.ways.is_empty() {
            true => None,
            false => ways::write(tx, actor, &change.ways)?,
        };
        let mut events = setting_events(&changed);
        let mut together = shared_event(&changed);
        let fields = ways.iter().flat_map(|ways| &ways.fields);
        together.extend(fields.map(|(name, value)| ((*name).to_owned(), value.clone())));
        together.extend(permissions.clone());
        together.extend(realm_policies::changed(tx, realm_id, &permissions)?);
        if !together.is_empty() {
            let audience = Audience::realm();
            events.push(kinds::realm_update_dict("default", together, audience));
        }
        if events.is_empty() {
            return Ok(Outcome::Unchanged(()));
        }
        events.extend(effects::of(tx, realm_id, now, &changed, guests)?);
        let old_and_new = |old: &Value, new: &Value| json!({"old": short(old), "new": short(new)});
        let mut settings: Record = changed
            .iter()
            .map(|change| {
                let values = old_and_new(&change.old, &change.value);
                (change.name.to_owned(), values)
            })
            .collect();
        if let Some(ways) = &ways {
            let values = json!({"old": ways.before, "new": ways.after});
            settings.insert("authentication_methods".to_owned(), values);
        }
        let permissions: Record = permissions
            .iter()
            .map(|(name, new)| {
                let old = before.get(name).unwrap_or(&Value::Null);
                (name.clone(), old_and_new(old, new))
            })
            .collect();
        let data = json!({"settings": settings, "permissions": permissions}).to_string();
        let acting = Some(actor.user_id);
        audit::append(
            tx,
            realm_id,
            now,
            acting,
            None,
            "realm_settings_changed",
            &data,
        )?;
        Ok(change::outcome((), events))
    })
}

/// Who requires a second factor of others has one, and so is not locked out.
fn check_own_second_factor(
    actor: &Actor,
    settings: &[(&'static str, Value)],
) -> Result<(), ActionError> {
    let requires = |(name, value): &(&str, Value)| {
        *name == "second_factor_required_for"
            && requires_second_factor(value.as_str().unwrap_or_default(), actor.role, actor.is_bot)
    };
    if !actor.has_second_factor && settings.iter().any(requires) {
        return Err(ActionError::bad_request(
            "Set up a second factor for your own account before you require it of others",
        ));
    }
    Ok(())
}

/// A plain setting that has changed.
struct Changed {
    name: &'static str,
    old: Value,
    value: Value,
    /// Of the description.
    rendered: Option<String>,
}

fn write_settings(
    tx: &WriteTx<'_>,
    actor: &Actor,
    realm: &RealmRow,
    settings: &[(&'static str, Value)],
) -> Result<Vec<Changed>, ActionError> {
    let current = Settings::of_realm(&realm.settings);
    let mut changed = Vec::new();
    for (name, value) in settings {
        values::check_channel(tx, actor, name, value)?;
        let mut rendered = None;
        let text = value.as_str().unwrap_or_default();
        let old = match *name {
            "name" => Value::from(realm.name.as_str()),
            "description" => Value::from(realm.description.as_str()),
            _ => current.named(name),
        };
        if old == *value {
            continue;
        }
        match *name {
            "name" => realms::set_name(tx, realm.id, text)?,
            "description" => {
                let html = values::render_description(text);
                realms::set_description(tx, realm.id, text, &html)?;
                rendered = Some(html);
            }
            _ => realms::set_setting(tx, realm.id, name, &value.to_string())?,
        }
        changed.push(Changed {
            name,
            old,
            value: value.clone(),
            rendered,
        });
    }
    Ok(changed)
}

/// A value for the audit log: without the end of a long text.
fn short(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(first_chars(text, MAX_AUDITED_TEXT)),
        other => other.clone(),
    }
}

/// The new and the old values of the permissions that have changed, by name.
fn write_permissions(
    tx: &WriteTx<'_>,
    actor: &Actor,
    updates: &[(&'static PermissionSetting, GroupSettingUpdate)],
) -> Result<(Record, Record), ActionError> {
    let (mut changed, mut before) = (Record::new(), Record::new());
    if updates.is_empty() {
        return Ok((changed, before));
    }
    let permissions = GroupSettings::new(tx, actor)?;
    for (setting, update) in updates {
        debug_assert!(REALM.iter().any(|known| known.name == setting.name));
        let owner = Owner::Realm(actor.realm_id);
        let old = permissions.current(owner, setting)?;
        if let Some(value) = permissions.apply_update(owner, setting, update)? {
            changed.insert(setting.name.to_owned(), json!(value));
            before.insert(setting.name.to_owned(), json!(old));
        }
    }
    permissions.check_growth()?;
    Ok((changed, before))
}

/// Events about settings that have an event each.
fn setting_events(changed: &[Changed]) -> Vec<Event> {
    changed
        .iter()
        .filter(|change| event_form(change.name) == EventForm::Update)
        .map(|change| kinds::realm_update(change.name, change.value.clone(), Audience::realm()))
        .collect()
}

/// The settings that share one event, with the deprecated twins that follow from them.
fn shared_event(changed: &[Changed]) -> Record {
    let mut data = Record::new();
    for change in changed {
        if event_form(change.name) != EventForm::UpdateDict {
            continue;
        }
        let twin = match change.name {
            "topics_policy" => Some((
                "mandatory_topics",
                json!(change.value == "disable_empty_topic"),
            )),
            "message_edit_history_visibility_policy" => {
                Some(("allow_edit_history", json!(change.value != "none")))
            }
            "description" => Some(("rendered_description", json!(change.rendered))),
            _ => None,
        };
        data.insert(change.name.to_owned(), change.value.clone());
        data.extend(twin.map(|(name, value)| (name.to_owned(), value)));
    }
    data
}
