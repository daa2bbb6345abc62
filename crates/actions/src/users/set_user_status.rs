//! Sets the parts of a status that are passed (docs/protocol/presence.md#update_status).

use serde_json::json;
use spindle_domain::UserId;
use spindle_domain::limits::MAX_STATUS_TEXT_LENGTH;
use spindle_domain::policy::{Reason, may_set_status_of};
use spindle_domain::text::{Form, is_longer_than};
use spindle_events::kinds::{self, StatusEmoji, UserStatusChange};
use spindle_store::realm_emoji::EmojiRow;
use spindle_store::statuses::{self, StatusChange};
use spindle_store::{Connection, Db, audit, users};

use crate::access::access_user::access_user;
use crate::access::who_sees::who_sees_user;
use crate::organization::custom_emoji;
use crate::organization::emoji_reference::{check_known, complete};
use crate::presence::switch_presence;
use crate::text::{accept, check_future};
use crate::{ActionError, Actor, change};

/// The parameters of the operation; none leaves a part as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusInput {
    /// Deprecated: the opposite of the setting `presence_enabled`.
    pub away: Option<bool>,
    /// Trimmed here; empty clears the text.
    pub status_text: Option<String>,
    /// Empty clears the emoji, whatever the other two hold.
    pub emoji_name: Option<String>,
    /// Code of the emoji; `None` means the name's.
    pub emoji_code: Option<String>,
    /// Namespace of the code; `None` means the name's.
    pub reaction_type: Option<String>,
    /// When the status expires, in UNIX seconds; null removes the end.
    pub scheduled_end_time: Option<Option<i64>>,
}

/// The checked parameters, ready to be written.
struct NewStatus<'a> {
    away: Option<bool>,
    text: Option<&'a str>,
    emoji: Option<StatusEmoji>,
    end: Option<Option<i64>>,
}

/// Sets the status of `user_id` at `now` (UNIX seconds): the caller's own, or, for administrators,
/// another person's (FL 407).
///
/// # Errors
/// [`ActionError::BadRequest`] for the cases of the specification; [`ActionError::Denied`]
/// for bots, for users who cannot be seen, and for the status of others.
pub fn set_user_status(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user_id: UserId,
    input: &StatusInput,
) -> Result<(), ActionError> {
    let text = input.status_text.as_deref();
    let text = text.map(|text| accept(Form::Name, "status_text", text));
    let text = text.transpose()?;
    let text = text.as_deref();
    if text.is_some_and(|text| is_longer_than(text, MAX_STATUS_TEXT_LENGTH)) {
        return Err(ActionError::BadRequest(format!(
            "status_text is longer than {MAX_STATUS_TEXT_LENGTH} characters"
        )));
    }
    let custom = match input.emoji_name.as_deref() {
        None | Some("") => None,
        Some(name) => custom_emoji::find(db, actor.realm_id, name)?,
    };
    let emoji = check_emoji(input, custom.as_ref())?;
    let end = input.scheduled_end_time;
    if let Some(end) = end.flatten() {
        check_future("scheduled_end_time", end, now)?;
    }
    if input.away.is_none() && text.is_none() && emoji.is_none() && end.is_none() {
        return Err(ActionError::bad_request("No new value was passed"));
    }
    let is_self = actor.user_id == user_id;
    may_set_status_of(actor.role, is_self).check()?;
    if actor.is_bot && is_self {
        return Err(Reason::BotsExcluded.into());
    }
    if !is_self {
        let target = access_user(db, actor, user_id)?;
        if target.is_bot || !target.is_active {
            return Err(Reason::NoAccess.into());
        }
    }
    let new = NewStatus {
        away: input.away,
        text,
        emoji,
        end,
    };
    write(db, actor, now, user_id, &new)
}

fn write(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user_id: UserId,
    new: &NewStatus<'_>,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    let NewStatus {
        away, text, emoji, ..
    } = new;
    change::emitting(db, realm_id, now, |tx| {
        let mut events = Vec::new();
        if let Some(away) = *away {
            let value = json!(!away);
            users::set_setting(tx, user_id, "presence_enabled", &value.to_string())?;
            let event = kinds::user_settings_update(user_id, "presence_enabled", value, None);
            events.push(event);
            if let Some(user) = users::by_id(tx, realm_id, user_id)? {
                events.push(switch_presence(tx, realm_id, &user, now, !away)?);
            }
        }
        let end = new_end(tx, user_id, new)?;
        let change = StatusChange {
            status_text: *text,
            scheduled_end_time: end,
            emoji: emoji.as_ref().map(StatusEmoji::parts),
        };
        if change != StatusChange::default() {
            statuses::upsert(tx, user_id, &change, now)?;
        }
        // Only changes of the status of others are in the audit log.
        if actor.user_id != user_id {
            let acting = Some(actor.user_id);
            audit::append(
                tx,
                realm_id,
                now,
                acting,
                Some(user_id),
                "user_status_set",
                "{}",
            )?;
        }
        let change = UserStatusChange {
            away: *away,
            status_text: text.map(str::to_owned),
            emoji: emoji.clone(),
            scheduled_end_time: end,
        };
        // Bots have no status.
        let audience = who_sees_user(tx, realm_id, user_id, false)?;
        let status = kinds::user_status(user_id, change, audience);
        Ok(change::made_after((), events, status))
    })
}

/// How the end changes: a status that is set without an end has none, even where the one before had
/// one.
///
/// # Errors
/// [`ActionError::BadRequest`] for the end of an empty status.
fn new_end(
    db: &dyn Db,
    user_id: UserId,
    new: &NewStatus<'_>,
) -> Result<Option<Option<i64>>, ActionError> {
    if new.text.is_none() && new.emoji.is_none() && new.end.is_none() {
        return Ok(None);
    }
    let old = statuses::by_user(db, user_id)?;
    let text = new
        .text
        .or(old.as_ref().map(|old| old.status_text.as_str()));
    let emoji = new.emoji.as_ref().map(|emoji| emoji.emoji_name.as_str());
    let emoji = emoji.or(old.as_ref().map(|old| old.emoji_name.as_str()));
    let is_empty = text.is_none_or(str::is_empty) && emoji.is_none_or(str::is_empty);
    if is_empty && new.end.flatten().is_some() {
        let text = "scheduled_end_time needs a status that can end";
        return Err(ActionError::bad_request(text));
    }
    let had_end = old.is_some_and(|old| old.scheduled_end_time.is_some());
    Ok(new.end.or(had_end.then_some(None)))
}

/// The emoji that the parameters name, in the order of checks of
/// docs/protocol/presence.md#update_status; `custom` is the active custom emoji of that name.
fn check_emoji(
    input: &StatusInput,
    custom: Option<&EmojiRow>,
) -> Result<Option<StatusEmoji>, ActionError> {
    let (code, kind) = (input.emoji_code.as_deref(), input.reaction_type.as_deref());
    let Some(name) = input.emoji_name.as_deref() else {
        if code.is_some() || kind.is_some() {
            let text = "emoji_name is needed with emoji_code and reaction_type";
            return Err(ActionError::bad_request(text));
        }
        return Ok(None);
    };
    if name.is_empty() {
        return Ok(Some(StatusEmoji::cleared()));
    }
    let custom_code = custom.map(|emoji| emoji.id.to_string());
    let emoji = complete(name, code, kind, custom_code.as_deref())?;
    check_known(&emoji, custom_code.as_deref())?;
    Ok(Some(StatusEmoji {
        emoji_name: emoji.name,
        emoji_code: emoji.code,
        reaction_type: emoji.kind,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::organization::emoji_reference::EXTRA_EMOJI_TYPES;

    fn input(name: Option<&str>, code: Option<&str>, kind: Option<&str>) -> StatusInput {
        StatusInput {
            emoji_name: name.map(str::to_owned),
            emoji_code: code.map(str::to_owned),
            reaction_type: kind.map(str::to_owned),
            ..StatusInput::default()
        }
    }

    #[test]
    fn emoji_that_are_accepted() {
        let accepted = |input: StatusInput| {
            let emoji = check_emoji(&input, None).unwrap().unwrap();
            (emoji.emoji_name, emoji.emoji_code, emoji.reaction_type)
        };
        let three = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        let unicode = Some("unicode_emoji");
        assert_eq!(
            accepted(input(Some("like"), Some("1f44d"), unicode)),
            three("like", "1f44d", "unicode_emoji")
        );
        assert_eq!(
            accepted(input(Some("tada"), None, None)),
            three("tada", "1f389", "unicode_emoji")
        );
        for kind in EXTRA_EMOJI_TYPES {
            assert_eq!(
                accepted(input(Some("zulip"), Some("zulip"), Some(kind))),
                three("zulip", "zulip", kind)
            );
            assert_eq!(
                accepted(input(Some("zulip"), None, Some(kind))),
                three("zulip", "zulip", kind)
            );
        }
        let cleared = accepted(input(Some(""), Some(""), Some("")));
        assert_eq!(cleared, three("", "", "unicode_emoji"));
        assert_eq!(check_emoji(&input(None, None, None), None).unwrap(), None);
    }

    #[test]
    fn custom_emoji_come_first_and_are_known_by_id_and_name() {
        let custom = EmojiRow {
            id: 7.into(),
            name: "tada".into(),
            author_id: None,
            source_url: String::new(),
        };
        let check = |code, kind| {
            let emoji = check_emoji(&input(Some("tada"), code, kind), Some(&custom));
            emoji.map(|emoji| {
                let emoji = emoji.unwrap();
                (emoji.emoji_code, emoji.reaction_type)
            })
        };
        let realm = ("7".to_owned(), "realm_emoji".to_owned());
        assert_eq!(check(None, None).unwrap(), realm);
        assert_eq!(check(Some("7"), Some("realm_emoji")).unwrap(), realm);
        let unicode = ("1f389".to_owned(), "unicode_emoji".to_owned());
        assert_eq!(
            check(Some("1f389"), Some("unicode_emoji")).unwrap(),
            unicode
        );
        assert!(check(Some("8"), Some("realm_emoji")).is_err());
        assert!(check(Some("07"), Some("realm_emoji")).is_err());
        assert!(check(Some("1f389"), None).is_err());
    }

    #[test]
    fn emoji_that_are_refused() {
        for (name, code, kind) in [
            (None, Some("1f44d"), None),
            (None, None, Some("unicode_emoji")),
            (Some("no_such"), None, None),
            (Some("tada"), Some("1f44d"), Some("unicode_emoji")),
            (Some("tada"), Some("zzz"), Some("unicode_emoji")),
            (Some("tada"), Some("zzz"), None),
            (Some("tada"), Some("7"), Some("realm_emoji")),
            (Some("tada"), Some("tada"), Some("zulip_extra_emoji")),
            (Some("tada"), Some("1f389"), Some("emoticon")),
        ] {
            assert!(
                check_emoji(&input(name, code, kind), None).is_err(),
                "{name:?} {code:?} {kind:?}"
            );
        }
    }
}
