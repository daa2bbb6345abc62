//! Messages about a new user: to them, and about them to the others.

use serde_json::json;
use spindle_domain::settings::{REALM, ValueType, by_name};
use spindle_domain::text::is_longer_than;
use spindle_domain::{ChannelId, MessageId, RealmId, SystemBot, UserId, realm_setting};
use spindle_events::Event;
use spindle_store::{Connection, DbError, WriteTx, audit, keys};

use crate::messages::{Notice, NoticeRecipient, ReadBy, Wording, send_notice};
use crate::{ActionError, Actor, RealmSettings, change};

/// Topic of messages about new people.
const SIGN_UPS_TOPIC: &str = "sign-ups";

/// Greets a new user; the text of the organization or of the invitation is a message of its
/// own (`welcome_message_custom_text`, FL 416), in which names are resolved for the new user.
pub(crate) fn welcome(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    own_words: &str,
) -> Result<Vec<Event>, ActionError> {
    let mut events = greet(tx, realm_id, now, user_id, Wording::plain(GREETING))?.1;
    if !own_words.trim().is_empty() {
        let reader = keys::caller_by_id(tx, user_id)?.ok_or(DbError::NoRow)?;
        let reader = Actor::from_row(reader);
        let mut wording = Wording::default();
        wording.repeat(own_words, &reader);
        events.extend(greet(tx, realm_id, now, user_id, wording)?.1);
    }
    Ok(events)
}

const GREETING: &str = "Hello, and welcome! This is a direct message; only you and I can read it.\n\n\
    * Conversations are sorted into **channels**, and within a channel into **topics**. Answer \
    in a topic, or begin a new one when the subject changes.\n\
    * Write `@**` and a name to call somebody, `#**` to point to a channel.\n\
    * Formatting is Markdown: `*emphasis*`, `**bold**`, lists, tables and code.\n\n\
    Try it: write something in a channel that you are subscribed to. :wave:";

fn greet(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    wording: Wording<'_>,
) -> Result<(MessageId, Vec<Event>), ActionError> {
    let notice = Notice {
        bot: SystemBot::Welcome,
        read_by: ReadBy::Senders,
        recipient: NoticeRecipient::Person(user_id),
        wording,
    };
    let (message_id, events) = send_notice(tx, realm_id, now, &notice)?;
    Ok((message_id, events))
}

/// Announces a new user in the channel that the organization has set for it
/// (`realm_signup_announcements_stream_id`); without one, nowhere.
pub(crate) fn announce_sign_up(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    full_name: &str,
    settings: &RealmSettings,
) -> Result<Vec<Event>, ActionError> {
    let channel_id = settings.integer(realm_setting!("signup_announcements_stream_id"));
    if channel_id <= 0 {
        return Ok(Vec::new());
    }
    let mut wording = Wording::default();
    let who = wording.person(full_name, user_id);
    wording.add(format!("{who} has joined the organization."));
    let notice = Notice {
        bot: SystemBot::Notification,
        read_by: ReadBy::Senders,
        recipient: NoticeRecipient::Channel {
            channel_id: ChannelId(channel_id),
            topic: SIGN_UPS_TOPIC,
        },
        wording,
    };
    Ok(send_notice(tx, realm_id, now, &notice)?.1)
}

/// Shows the caller how a custom welcome message looks, at `now` (UNIX seconds); returns the id
/// of the message. See docs/protocol/organization.md#test_welcome_message (FL 416).
///
/// # Errors
/// [`ActionError::BadRequest`] when it is blank or longer than the setting may be.
pub fn test_welcome_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    text: &str,
) -> Result<MessageId, ActionError> {
    let setting = by_name(REALM, "welcome_message_custom_text");
    let is_too_long = match setting.map(|setting| setting.kind) {
        Some(ValueType::Text(limit)) => is_longer_than(text, limit),
        _ => false,
    };
    if text.trim().is_empty() || is_too_long {
        return Err(ActionError::bad_request(
            "A welcome message is neither blank nor longer than the setting may be",
        ));
    }
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::emitting(db, realm_id, now, |tx| {
        let mut wording = Wording::default();
        wording.repeat(text, actor);
        let (message_id, events) = greet(tx, realm_id, now, user_id, wording)?;
        let data = json!({"message_id": message_id}).to_string();
        let kind = "welcome_message_tested";
        audit::append(tx, realm_id, now, Some(user_id), Some(user_id), kind, &data)?;
        change::made_in_steps(message_id, events)
    })
}
