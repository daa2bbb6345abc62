//! The record of an account for users who begin to see it, and the placeholder for guests who may not see
//! it.

use spindle_domain::text::HIDDEN_DOMAIN;
use spindle_domain::{RealmId, UserId};
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::user_objects::{self, Viewer};
use spindle_store::{Db, DbError, users};

use crate::ActionError;
use crate::json_record::parse_record;

/// The event that brings an account into view; `with_address`: the audience sees the address.
pub(crate) fn person_added(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    with_address: bool,
    audience: Audience,
) -> Result<Event, ActionError> {
    let viewer = Viewer {
        realm_id,
        user_id: None,
        visibility_levels: if with_address { "[1,2,3,4,5]" } else { "[]" },
        client_gravatar: false,
        profile_data: true,
        sees_all_users: true,
        avatar_optional: false,
    };
    let text = user_objects::member(db, &viewer, user_id)?.ok_or(DbError::NoRow)?;
    let source = users::avatar_source(db, user_id)?;
    let is_computable = with_address && source.as_deref() == Some("G");
    Ok(kinds::realm_user_add(
        parse_record(&text)?,
        is_computable,
        audience,
    ))
}

/// The placeholder of an account for guests who may not see it.
pub(crate) fn unknown_person(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
) -> Result<Record, ActionError> {
    parse_record(&user_objects::unknown(
        db,
        realm_id,
        user_id,
        HIDDEN_DOMAIN,
    )?)
}
