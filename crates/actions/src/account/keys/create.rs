//! Makes a key with a name (docs/protocol/sessions.md#create_api_key).

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::limits::{MAX_KEY_NAME_LENGTH, MAX_SESSION_CLIENT_LENGTH};
use spindle_domain::policy::{Scope, may_create_api_key};
use spindle_domain::text::{Form, first_chars};
use spindle_domain::{ApiKeyId, permission};
use spindle_store::group_settings::{self, Owner};
use spindle_store::keys::{self, NamedKey};
use spindle_store::{Connection, SilentReason, audit, second_factors};

use crate::access::permissions::holds;
use crate::account::origin::SignInOrigin;
use crate::account::secrets;
use crate::text::{accept, check_future, check_length};
use crate::{ActionError, Actor, change, quota};

/// The parameters of the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewKey<'a> {
    pub name: &'a str,
    pub scope: Scope,
    /// UNIX seconds; `None`: never.
    pub ends: Option<i64>,
}

/// A key that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeKey {
    pub id: ApiKeyId,
    /// It cannot be read again.
    pub api_key: String,
}

/// Makes a key of the caller's at `now` (UNIX seconds). It may do what its scope says, and never more than the account.
///
/// # Errors
/// [`ActionError::Denied`] without `can_create_api_keys_group`; [`ActionError::BadRequest`] for a name that is blank or
/// too long, a scope that no named key has, an end that is not in the future, and one key too many.
pub fn create_api_key(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    new: &NewKey<'_>,
    origin: SignInOrigin<'_>,
) -> Result<MadeKey, ActionError> {
    let held = group_settings::held_by(db, Owner::Realm(actor.realm_id), actor.member())?;
    let may = permission!(REALM, "can_create_api_keys_group");
    may_create_api_key(holds(may, &held, actor.role)).check()?;
    let name = accept(Form::Name, "name", new.name)?;
    let name = check_length("name", &name, MAX_KEY_NAME_LENGTH)?;
    if !Scope::OF_NAMED_KEYS.contains(&new.scope) {
        return Err(ActionError::bad_request(
            "scope must be one of read, send, everything, administer",
        ));
    }
    if let Some(ends) = new.ends {
        check_future("ends", ends, now)?;
    }
    let api_key = secrets::new_api_key()?;
    let hash = secrets::hash_api_key(&api_key);
    let key = NamedKey {
        hash: &hash,
        name,
        scope: new.scope,
        ends: new.ends,
        label: first_chars(origin.client, MAX_SESSION_CLIENT_LENGTH),
    };
    let id = change::silently(db, SilentReason::Credentials, |tx| {
        let id = keys::insert_named(tx, actor.user_id, now, &key)?;
        if actor.has_second_factor {
            second_factors::prove_key(tx, &hash)?;
        }
        quota::check(tx, Quota::NamedKeys, actor.user_id)?;
        let data = origin.data([
            ("key_id", json!(id)),
            ("name", json!(name)),
            ("scope", json!(new.scope.name())),
            ("ends", json!(new.ends)),
        ]);
        let (data, own) = (data.to_string(), Some(actor.user_id));
        let kind = "user_api_key_created";
        audit::append(tx, actor.realm_id, now, own, own, kind, &data)?;
        Ok(id)
    })?;
    Ok(MadeKey { id, api_key })
}
