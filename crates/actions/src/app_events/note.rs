//! Notes events: messages, reactions, clicks and votes of people.

use serde_json::Value;
use spindle_domain::apps::{Happening, Person, Place, ReceivedMessage, Scope, limits};
use spindle_domain::widget::WidgetKind;
use spindle_domain::{AppId, ChannelId, MessageId, UserId};
use spindle_store::apps::{self, commands, events, logs};
use spindle_store::messages::MessageRow;
use spindle_store::{WriteTx, id_list, submessages};

use super::Installed;
use crate::access::access_message::access_message_in_place;
use crate::{ActionError, Actor};

/// An account as apps see it.
pub(crate) fn person(actor: &Actor) -> Person {
    Person {
        id: actor.user_id,
        name: actor.full_name.clone(),
        is_guest: actor.role.is_guest(),
        is_administrator: actor.role.is_admin(),
    }
}

/// Adds a line to the log of an app.
pub(crate) fn write_log(
    tx: &WriteTx<'_>,
    app_id: AppId,
    now: i64,
    text: &str,
) -> Result<(), ActionError> {
    let cut: String = text
        .chars()
        .filter(|letter| *letter != '\0')
        .take(limits::LOG_CHARACTERS)
        .collect();
    Ok(logs::append(tx, app_id, now, &cut, limits::LOG_LINES)?)
}

/// Notes an event for an app that has the right to its kind; false if it was not noted. An app that has too many waiting, or
/// too many of one person, gets a line in its log instead.
pub(crate) fn note(
    tx: &WriteTx<'_>,
    app: &Installed,
    now: i64,
    scope: Scope,
    message_id: Option<MessageId>,
    what: &Happening,
) -> Result<bool, ActionError> {
    let kind = what.kind();
    if kind.is_some_and(|kind| !app.rights.events.contains(&kind)) {
        return Ok(false);
    }
    let kind = kind.map_or("effect_failed", spindle_domain::apps::EventKind::name);
    let body =
        serde_json::to_string(what).map_err(|error| ActionError::Internal(error.to_string()))?;
    let new = events::NewAppEvent {
        app_id: app.row.id,
        scope: &scope.to_string(),
        kind,
        body: &body,
        message_id,
        person_id: what.person_id(),
        created: now,
    };
    let (most, of_person) = (limits::WAITING_EVENTS, limits::WAITING_EVENTS_OF_PERSON);
    let is_noted = events::insert(tx, &new, most, of_person)?;
    if !is_noted {
        let whose = match events::count(tx, app.row.id)? >= most {
            true => "events",
            false => "events of one person",
        };
        let text = format!("Too many {whose} are waiting: a {kind} was dropped");
        write_log(tx, app.row.id, now, &text)?;
    }
    Ok(is_noted)
}

/// Who receives a new message, for the apps among them.
pub(crate) enum SentTo<'a> {
    Topic {
        channel_id: ChannelId,
        topic: &'a str,
    },
    /// All accounts of the conversation.
    Direct(&'a [UserId]),
}

/// Notes a new message of a person for the apps that it is for: those of the active `bots` that it mentions, or that are in
/// its direct conversation, and the one whose command it is.
pub(crate) fn note_message(
    tx: &WriteTx<'_>,
    sender: &Actor,
    now: i64,
    message_id: MessageId,
    content: &str,
    sent_to: &SentTo<'_>,
    bots: &[UserId],
) -> Result<(), ActionError> {
    let mut found = match bots {
        [] => Vec::new(),
        bots => apps::active_of(tx, &id_list(bots.iter().copied()))?,
    };
    let command = command(content);
    let commanded = match command {
        Some((name, _)) => commands::app_of(tx, name)?,
        None => None,
    };
    let commanded_id = commanded.as_ref().map(|row| row.id);
    if let (Some(row), SentTo::Topic { .. }) = (commanded, sent_to)
        && found.iter().all(|one| one.id != row.id)
    {
        found.push(row);
    }
    for row in found {
        let app = Installed::of(row)?;
        let (channel_id, scope) = match sent_to {
            SentTo::Topic { channel_id, .. } => (Some(*channel_id), Scope::Channel(*channel_id)),
            SentTo::Direct(_) => (None, Scope::Person(sender.user_id)),
        };
        if !app.acts_in(channel_id) || !may_read(tx, &app, message_id)? {
            continue;
        }
        let message = ReceivedMessage {
            id: message_id,
            sender: person(sender),
            place: place(sent_to, app.bot_id()),
            content: content.to_owned(),
        };
        let what = match command {
            Some((name, text))
                if commanded_id == Some(app.row.id)
                    && app.rights.commands.iter().any(|own| own == name) =>
            {
                Happening::Command {
                    name: name.to_owned(),
                    text: text.to_owned(),
                    message,
                }
            }
            _ if bots.contains(&app.bot_id()) => Happening::Message { message },
            _ => continue,
        };
        note(tx, &app, now, scope, Some(message_id), &what)?;
    }
    Ok(())
}

/// Whether the account of the app reads the message.
fn may_read(tx: &WriteTx<'_>, app: &Installed, message_id: MessageId) -> Result<bool, ActionError> {
    let Some(bot) = app.bot(tx)? else {
        return Ok(false);
    };
    match access_message_in_place(tx, &bot, message_id) {
        Ok(_) => Ok(true),
        Err(error @ (ActionError::Store(_) | ActionError::Internal(_))) => Err(error),
        Err(_) => Ok(false),
    }
}

fn place(sent_to: &SentTo<'_>, bot_id: UserId) -> Place {
    match sent_to {
        SentTo::Topic { channel_id, topic } => Place::Topic {
            channel: *channel_id,
            topic: (*topic).to_owned(),
        },
        SentTo::Direct(people) => Place::Direct {
            people: people.iter().copied().filter(|id| *id != bot_id).collect(),
        },
    }
}

/// The name of a command and what follows it, if a message begins with one.
fn command(content: &str) -> Option<(&str, &str)> {
    let rest = content.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, text) = rest.split_at(end);
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=30).contains(&name.len()) && name.bytes().all(is_name);
    fits.then(|| (name, text.trim()))
}

/// The active app that has sent a message, if it acts where the message is and still reads it.
fn app_behind(tx: &WriteTx<'_>, message: &MessageRow) -> Result<Option<Installed>, ActionError> {
    if !message.sender_is_bot {
        return Ok(None);
    }
    let row = apps::active_of(tx, &id_list([message.sender_id]))?.pop();
    let app = row.map(Installed::of).transpose()?;
    match app.filter(|app| app.acts_in(message.channel_id)) {
        // Its account may have lost the access that it had.
        Some(app) if may_read(tx, &app, message.id)? => Ok(Some(app)),
        _ => Ok(None),
    }
}

/// Notes that a person has added a reaction to a message or removed it.
pub(crate) fn note_reaction(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    message: &MessageRow,
    emoji: &str,
    is_added: bool,
) -> Result<(), ActionError> {
    if actor.is_bot {
        return Ok(());
    }
    let Some(app) = app_behind(tx, message)? else {
        return Ok(());
    };
    let what = Happening::Reaction {
        message_id: message.id,
        person: person(actor),
        emoji: emoji.to_owned(),
        is_added,
    };
    let scope = Scope::Message(message.id);
    note(tx, &app, now, scope, Some(message.id), &what).map(drop)
}

/// Notes a vote in a poll of an app. `content` is a checked submessage.
pub(crate) fn note_vote(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    message: &MessageRow,
    content: &str,
) -> Result<(), ActionError> {
    if actor.is_bot {
        return Ok(());
    }
    let Some((key, is_added)) = vote(content) else {
        return Ok(());
    };
    let Some(app) = app_behind(tx, message)? else {
        return Ok(());
    };
    let first = submessages::first(tx, message.id)?.unwrap_or_default();
    if WidgetKind::of(&first) != Some(WidgetKind::Poll) {
        return Ok(());
    }
    let what = Happening::Vote {
        message_id: message.id,
        person: person(actor),
        choice: choice(&first, &key),
        is_added,
    };
    let scope = Scope::Message(message.id);
    note(tx, &app, now, scope, Some(message.id), &what).map(drop)
}

/// The key of the option that a submessage votes for, and whether it adds the vote.
fn vote(content: &str) -> Option<(String, bool)> {
    let value: Value = serde_json::from_str(content).ok()?;
    if value.get("type")?.as_str()? != "vote" {
        return None;
    }
    let key = value.get("key")?.as_str()?.to_owned();
    Some((key, value.get("vote")?.as_i64()? > 0))
}

/// The text of an option of the message itself; for an option that a person has added, its key.
fn choice(first: &str, key: &str) -> String {
    let option = || {
        let place: usize = key.strip_prefix("canned,")?.parse().ok()?;
        let poll: Value = serde_json::from_str(first).ok()?;
        let options = poll.get("extra_data")?.get("options")?;
        Some(options.get(place)?.as_str()?.to_owned())
    };
    option().unwrap_or_else(|| key.to_owned())
}

/// Notes a click on a button of a message. False when no app waits for it.
pub(crate) fn note_click(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    message: &MessageRow,
    button: &str,
) -> Result<bool, ActionError> {
    let Some(app) = app_behind(tx, message)? else {
        return Ok(false);
    };
    let what = Happening::Click {
        message_id: message.id,
        person: person(actor),
        button: button.to_owned(),
    };
    let scope = Scope::Message(message.id);
    note(tx, &app, now, scope, Some(message.id), &what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_stands_at_the_beginning() {
        assert_eq!(command("/rota"), Some(("rota", "")));
        assert_eq!(
            command("/on-call  next\nweek "),
            Some(("on-call", "next\nweek"))
        );
        for text in ["rota", " /rota", "/", "/ rota", "/Rota", "/a/b", "/ro_ta"] {
            assert_eq!(command(text), None, "{text}");
        }
        assert_eq!(command(&format!("/{}", "a".repeat(31))), None);
    }

    #[test]
    fn a_vote_names_the_option() {
        let poll = r#"{"widget_type":"poll","extra_data":{"question":"?","options":["Yes","No"]}}"#;
        assert_eq!(choice(poll, "canned,1"), "No");
        assert_eq!(choice(poll, "canned,2"), "canned,2");
        assert_eq!(choice(poll, "7,1"), "7,1");
        let (added, removed) = (
            r#"{"type":"vote","key":"canned,0","vote":1}"#,
            r#"{"type":"vote","key":"canned,0","vote":-1}"#,
        );
        assert_eq!(vote(added), Some(("canned,0".to_owned(), true)));
        assert_eq!(vote(removed), Some(("canned,0".to_owned(), false)));
        assert_eq!(vote(r#"{"type":"question","question":"?"}"#), None);
    }
}
