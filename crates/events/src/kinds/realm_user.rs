//! `realm_user`: users were added, changed or removed from the audience's view.
//!
//! An event of op `update` contains one kind of change, since clients read an absent key as "unchanged"
//! (docs/protocol/traps.md#one-change). Queues with `user_list_incomplete` do not know users whom a
//! guest may not see; other queues receive a placeholder without a name.

use serde_json::{Value, json};
use spindle_domain::UserId;

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

#[derive(Debug, Clone, PartialEq)]
pub enum UserChange {
    FullName(String),
    Avatar {
        avatar_url: String,
        avatar_url_medium: String,
        /// `G` gravatar, `U` uploaded, `J` generated.
        avatar_source: String,
        avatar_version: i64,
        /// As in [`realm_user_add`].
        avatar_computable: bool,
    },
    Timezone {
        email: String,
        timezone: String,
    },
    BotOwner(UserId),
    Role(i64),
    /// `None` means hidden from this audience.
    DeliveryEmail(Option<String>),
    /// `{id, value}` and for rendered types `rendered_value`.
    CustomProfileField(Record),
    /// API email.
    NewEmail(String),
    IsActive(bool),
    IsImportedStub(bool),
    /// ISO 8601.
    DateJoined(String),
}

/// The audience gains access to a user. `person` is the user object of
/// docs/protocol/users.md#user-object as this audience may see it, with `avatar_url` filled in;
/// `avatar_computable`: it is a gravatar of an address that the audience may see.
#[must_use]
pub fn realm_user_add(person: Record, avatar_computable: bool, audience: Audience) -> Event {
    let body = record([
        ("op", json!("add")),
        ("person", person.into()),
        (FACTS, json!({"avatar_computable": avatar_computable})),
    ]);
    Event::new("realm_user", body, audience)
}

/// One property of a user has changed.
#[must_use]
pub fn realm_user_update(user_id: UserId, change: UserChange, audience: Audience) -> Event {
    let mut computable = false;
    let fields = match change {
        UserChange::FullName(name) => json!({"full_name": name}),
        UserChange::Avatar {
            avatar_url,
            avatar_url_medium,
            avatar_source,
            avatar_version,
            avatar_computable,
        } => {
            computable = avatar_computable;
            json!({
                "avatar_url": avatar_url,
                "avatar_url_medium": avatar_url_medium,
                "avatar_source": avatar_source,
                "avatar_version": avatar_version,
            })
        }
        UserChange::Timezone { email, timezone } => json!({"email": email, "timezone": timezone}),
        UserChange::BotOwner(owner) => json!({"bot_owner_id": owner}),
        UserChange::Role(role) => json!({"role": role}),
        UserChange::DeliveryEmail(email) => json!({"delivery_email": email}),
        UserChange::CustomProfileField(field) => json!({"custom_profile_field": field}),
        UserChange::NewEmail(email) => json!({"new_email": email}),
        UserChange::IsActive(active) => json!({"is_active": active}),
        UserChange::IsImportedStub(stub) => json!({"is_imported_stub": stub}),
        UserChange::DateJoined(date) => json!({"date_joined": date}),
    };
    let mut person = record([("user_id", json!(user_id))]);
    if let Value::Object(fields) = fields {
        person.extend(fields);
    }
    let body = record([
        ("op", json!("update")),
        ("person", person.into()),
        (FACTS, json!({"avatar_computable": computable})),
    ]);
    Event::new("realm_user", body, audience)
}

/// A user exists whom the audience may not see. `stand_in` is an anonymous user object; queues with
/// `user_list_incomplete` receive nothing.
#[must_use]
pub fn realm_user_add_unknown(stand_in: Record, audience: Audience) -> Event {
    let body = record([
        ("op", json!("add")),
        ("person", stand_in.into()),
        (FACTS, json!({"is_unknown": true})),
    ]);
    Event::new("realm_user", body, audience)
}

/// The audience loses access to the user (deactivation is an update of `is_active` instead). Queues
/// without `user_list_incomplete` receive `stand_in` as a replacement of the user.
#[must_use]
pub fn realm_user_remove(
    user_id: UserId,
    full_name: &str,
    stand_in: Record,
    audience: Audience,
) -> Event {
    let body = record([
        ("op", json!("remove")),
        (
            "person",
            json!({"user_id": user_id, "full_name": full_name}),
        ),
        (FACTS, json!({"stand_in": stand_in})),
    ]);
    Event::new("realm_user", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "realm_user",
    traits: Traits::CLIENT_GRAVATAR.union(Traits::USER_LIST_INCOMPLETE),
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::USER_LIST_INCOMPLETE) {
        if source.fact_is_true("is_unknown") {
            return Vec::new();
        }
    } else if let Some(stand_in) = source.facts.remove("stand_in") {
        let add = record([("op", json!("add")), ("person", stand_in)]);
        return vec![source.body, add];
    }
    if source.has(Traits::CLIENT_GRAVATAR)
        && source.fact_is_true("avatar_computable")
        && let Some(Value::Object(person)) = source.body.get_mut("person")
    {
        for field in ["avatar_url", "avatar_url_medium"] {
            if let Some(url) = person.get_mut(field) {
                *url = Value::Null;
            }
        }
    }
    vec![source.body]
}
