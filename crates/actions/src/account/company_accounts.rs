//! The company accounts with which a person signs in (docs/protocol/identity.md#get_identities).

use serde::Serialize;
use serde_json::json;
use spindle_domain::identity::Ways;
use spindle_domain::{IdentityId, RealmId, UserId};
use spindle_store::{Connection as Database, Db, SilentReason, audit, identities};
use spindle_store::{identity_providers, sessions, users};

use crate::account::ways;
use crate::{ActionError, Actor, change};

/// The connection of an account with a person of a provider, as it is on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Connection {
    pub id: IdentityId,
    /// Id of the provider.
    pub provider: String,
    /// Name of the provider; its id if it is no longer configured.
    pub display_name: String,
    /// UNIX seconds.
    pub created: i64,
    /// UNIX seconds.
    pub last_used: i64,
}

/// The connections of the caller, by id.
pub fn connections(db: &dyn Db, actor: &Actor) -> Result<Vec<Connection>, ActionError> {
    connections_of(db, actor.realm_id, actor.user_id)
}

/// The connections of an account, by id. Whether the caller may see them is for the caller of this function to check.
pub(crate) fn connections_of(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
) -> Result<Vec<Connection>, ActionError> {
    let providers = identity_providers::list(db, realm_id)?;
    let name_of = |id: &str| {
        let known = providers.iter().find(|provider| provider.id == id);
        known.map_or_else(|| id.to_owned(), |provider| provider.name.clone())
    };
    let rows = identities::list(db, user_id)?.into_iter();
    let connections = rows.map(|row| Connection {
        id: row.id,
        display_name: name_of(&row.provider),
        provider: row.provider,
        created: row.created,
        last_used: row.last_used,
    });
    Ok(connections.collect())
}

/// Ends a connection of the caller at `now` (UNIX seconds). Sessions stay.
///
/// # Errors
/// [`ActionError::NotFound`] without such a connection; [`ActionError::BadRequest`] for the last way to sign in.
pub fn disconnect(
    db: &dyn Database,
    actor: &Actor,
    now: i64,
    id: IdentityId,
) -> Result<(), ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::silently(db, SilentReason::Credentials, |tx| {
        let all = identities::list(tx, user_id)?;
        let found = all.iter().find(|one| one.id == id).ok_or_else(|| {
            ActionError::NotFound("Your account has no such connection".to_owned())
        })?;
        let ways = ways::read(tx, realm_id)?;
        let others = || all.iter().filter(|one| one.id != id);
        if !(has_password(tx, actor, &ways)?
            || others().any(|one| ways.has_provider(&one.provider)))
        {
            return Err(ActionError::bad_request(
                "This is the last way in which you can sign in; set a password first",
            ));
        }
        identities::delete(tx, user_id, id)?;
        let data = json!({"provider": found.provider}).to_string();
        let own = Some(user_id);
        let kind = "user_identity_disconnected";
        audit::append(tx, realm_id, now, own, own, kind, &data)?;
        Ok(())
    })
}

fn has_password(db: &dyn Db, actor: &Actor, ways: &Ways) -> Result<bool, ActionError> {
    Ok(ways.has_password() && users::password_hash(db, Some(actor.user_id))?.is_some())
}

/// The provider at which the caller signs out, too, when this session ends: its id.
pub fn signs_out_at(db: &dyn Db, actor: &Actor) -> Result<Option<String>, ActionError> {
    let Some(session_id) = actor.session_id else {
        return Ok(None);
    };
    let Some(provider) = sessions::provider(db, session_id)? else {
        return Ok(None);
    };
    let configured = identity_providers::list(db, actor.realm_id)?;
    let signs_out = configured
        .iter()
        .any(|one| one.id == provider && one.signs_out);
    Ok(signs_out.then_some(provider))
}
