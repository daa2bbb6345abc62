//! Changes the caller's personal settings of channels they are in.

use serde_json::{Value, json};
use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
use spindle_events::kinds;
use spindle_store::Connection;
use spindle_store::subscriptions::{self, Property};

use crate::access::access_channel::access_channel;
use crate::channels::subscriptions::normalise_color;
use crate::{ActionError, Actor, change};

/// Properties whose value is a boolean, by wire name.
const FLAGS: [(&str, Property); 7] = [
    ("is_muted", Property::IsMuted),
    ("pin_to_top", Property::PinToTop),
    ("desktop_notifications", Property::DesktopNotifications),
    ("email_notifications", Property::EmailNotifications),
    ("push_notifications", Property::PushNotifications),
    ("audible_notifications", Property::AudibleNotifications),
    ("wildcard_mentions_notify", Property::WildcardMentionsNotify),
];

/// One change of POST /users/me/subscriptions/properties.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertyChange {
    pub channel_id: ChannelId,
    /// Wire name: `color`, `is_muted`, `in_home_view` (its opposite), `pin_to_top`, or one of
    /// the five notification settings.
    pub property: String,
    /// A colour as text, anything else as a boolean.
    pub value: Value,
}

/// Makes all changes at `now` (UNIX seconds), or none. See
/// docs/protocol/subscriptions.md#update_subscription_settings.
///
/// # Errors
/// In this order, change by change: [`ActionError::BadRequest`] for an unknown property and
/// for a value that it cannot have; `ClientError::StreamDoesNotExist` for a channel that
/// does not exist or is hidden; [`ActionError::BadRequest`] for one that the caller is not
/// subscribed to.
pub fn set_subscription_properties(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    changes: &[PropertyChange],
) -> Result<(), ActionError> {
    let user_id = actor.user_id;
    change::if_needed(db, actor.realm_id, now, |tx| {
        let mut events = Vec::new();
        for change in changes {
            let (property, stored, shown) = read(change)?;
            let reference = ChannelReference::Id(change.channel_id);
            let channel = access_channel(tx, actor, &reference, "")?;
            let channel_id = channel.id;
            if !subscriptions::set_property(tx, user_id, channel_id, property, stored)? {
                return Err(ActionError::BadRequest(format!(
                    "You are not subscribed to channel {channel_id}"
                )));
            }
            let mut emit = |name: &str, value| {
                let event = kinds::subscription_update(user_id, channel_id, name, value);
                let archived = channel.is_archived.then_some(channel_id);
                events.push(kinds::subscription_in_archived(event, archived));
            };
            match shown {
                // Clients know muting under two names.
                Value::Bool(muted) if property == Property::IsMuted => {
                    emit("is_muted", json!(muted));
                    emit("in_home_view", json!(!muted));
                }
                value => emit(&change.property, value),
            }
        }
        Ok(change::outcome((), events))
    })
}

/// The stored value, and the value that events carry.
fn read(change: &PropertyChange) -> Result<(Property, spindle_store::Value, Value), ActionError> {
    let name = change.property.as_str();
    if name == "color" {
        let color = change.value.as_str().ok_or_else(|| wrong_value(name))?;
        let color = normalise_color(color)?;
        return Ok((Property::Color, color.as_str().into(), json!(color)));
    }
    let is_inverse = name == "in_home_view";
    let property = FLAGS
        .iter()
        .find(|(flag, _)| *flag == name)
        .map(|(_, property)| *property)
        .or(is_inverse.then_some(Property::IsMuted))
        .ok_or_else(|| ActionError::BadRequest(format!("A subscription has no property {name}")))?;
    let value = change.value.as_bool().ok_or_else(|| wrong_value(name))?;
    let value = value != is_inverse;
    Ok((property, value.into(), json!(value)))
}

fn wrong_value(name: &str) -> ActionError {
    ActionError::BadRequest(format!("The property {name} cannot have this value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(property: &str, value: Value) -> PropertyChange {
        PropertyChange {
            channel_id: ChannelId(1),
            property: property.to_owned(),
            value,
        }
    }

    #[test]
    fn values_are_read_strictly() {
        let shown = |property: &str, value| read(&change(property, value)).map(|read| read.2);
        assert_eq!(shown("color", json!("#ABC")).unwrap(), "#aabbcc");
        assert_eq!(shown("pin_to_top", json!(true)).unwrap(), true);
        assert_eq!(shown("in_home_view", json!(true)).unwrap(), false);
        for (property, value) in [
            ("color", json!(true)),
            ("color", json!("red")),
            ("pin_to_top", json!("true")),
            ("is_muted", json!(1)),
            ("push_notifications", Value::Null),
            ("name", json!("x")),
            ("role", json!(20)),
        ] {
            assert!(
                shown(property, value.clone()).is_err(),
                "{property} {value}"
            );
        }
    }
}
