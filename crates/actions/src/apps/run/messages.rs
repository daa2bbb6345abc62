//! Messages of apps: their texts, where they go, and answers for one person.

use serde::Deserialize;
use spindle_domain::apps::{Button, Effect, Place, Scope, limits};
use spindle_domain::limits::MAX_MESSAGE_LENGTH;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::text::{cut_to, length};
use spindle_domain::{MessageId, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_markup::closing_lines;
use spindle_store::apps::runs;
use spindle_store::messages::MessageRow;
use spindle_store::{Db, keys, queues};

use super::ClaimedRun;
use super::making::{Belongings, Making};
use crate::access::access_message::access_message_in_place;
use crate::messages::{Content, Destination, MessageInput, edit_in, send_in};
use crate::{ActionError, Actor};

/// The client name of messages of apps.
const CLIENT: &str = "App";
/// Another node notes that a queue is polled when a poll begins and ends, which takes up to a minute.
const POLLED_WITHIN_MS: i64 = 90_000;

/// The text of an effect, rendered before the transaction.
pub(super) enum Prepared {
    /// The effect has none.
    None,
    Content(Box<Content>),
    /// It cannot be sent, for this reason.
    Refused(String),
}

impl Prepared {
    pub(super) fn of(
        db: &dyn Db,
        bot: &Actor,
        run: &ClaimedRun,
        effect: &Effect,
        site: &str,
    ) -> Result<Self, ActionError> {
        let (text, buttons, link) = match effect {
            Effect::Send(draft) => (&draft.content, &draft.buttons, place_link(&draft.place)),
            Effect::Reply {
                content, buttons, ..
            } => {
                let link = answered(run.event.what.message_id(), run.event.scope);
                (content, buttons, link.map(near).unwrap_or_default())
            }
            Effect::Edit {
                message_id,
                content,
                buttons,
            } => (content, buttons, near(*message_id)),
            Effect::React { .. }
            | Effect::Store { .. }
            | Effect::Schedule { .. }
            | Effect::Fetch { .. }
            | Effect::Log { .. } => return Ok(Self::None),
        };
        let text = with_link(text, buttons, &link);
        match Content::prepare(db, bot, &text, site) {
            Ok(mut content) => {
                let is_edit = matches!(effect, Effect::Edit { .. });
                if is_edit || !buttons.is_empty() {
                    content.buttons = Some(
                        serde_json::to_string(buttons)
                            .map_err(|error| ActionError::Internal(error.to_string()))?,
                    );
                }
                Ok(Self::Content(Box::new(content)))
            }
            Err(error @ (ActionError::Store(_) | ActionError::Internal(_))) => Err(error),
            Err(error) => Ok(Self::Refused(error.to_string())),
        }
    }

    fn content(&self) -> Result<&Content, ActionError> {
        match self {
            Self::Content(content) => Ok(content),
            Self::Refused(reason) => Err(ActionError::BadRequest(reason.clone())),
            Self::None => Err(ActionError::Internal("an effect without text".to_owned())),
        }
    }
}

/// The message that a reply belongs to.
const fn answered(message_id: Option<MessageId>, scope: Scope) -> Option<MessageId> {
    match (message_id, scope) {
        (Some(id), _) | (None, Scope::Message(id)) => Some(id),
        (None, _) => None,
    }
}

/// What other clients than the web client show in place of buttons: it is the last paragraph, outside of all fences.
fn with_link(text: &str, buttons: &[Button], link: &str) -> String {
    if buttons.is_empty() {
        return text.to_owned();
    }
    let paragraph = format!("\n\n[Answer in the browser]({link})");
    let room = MAX_MESSAGE_LENGTH.saturating_sub(length(&paragraph));
    let mut reserved = 0;
    loop {
        let cut = cut_to(text.trim_end(), room.saturating_sub(reserved));
        let closing: String = (closing_lines(&cut).iter())
            .map(|line| format!("\n{line}"))
            .collect();
        if length(&cut) + length(&closing) <= room {
            return format!("{cut}{closing}{paragraph}");
        }
        // A shorter text may leave other fences open, which need more room.
        reserved = length(&closing).max(2 * reserved);
    }
}

fn near(message_id: MessageId) -> String {
    format!("/#narrow/near/{message_id}")
}

fn place_link(place: &Place) -> String {
    match place {
        Place::Topic { channel, topic } => {
            format!("/#narrow/channel/{channel}/topic/{}", encode(topic))
        }
        Place::Direct { people } => {
            let people: Vec<String> = people.iter().map(ToString::to_string).collect();
            format!("/#narrow/dm/{}", people.join(","))
        }
    }
}

/// A topic in a fragment: percent-encoded, with dots in place of the percent signs.
fn encode(topic: &str) -> String {
    let mut encoded = String::new();
    for byte in topic.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!(".{byte:02X}"));
        }
    }
    encoded
}

impl Making<'_> {
    pub(super) fn send(
        &self,
        place: &Place,
        prepared: &Prepared,
        belongings: Belongings<'_>,
    ) -> Result<Vec<Event>, ActionError> {
        let destination = match place {
            Place::Topic { channel, topic } => {
                self.check_channel(Some(*channel))?;
                Destination::Channel {
                    channel: ChannelReference::Id(*channel),
                    topic: topic.clone(),
                }
            }
            Place::Direct { people } => direct(people.iter().copied()),
        };
        self.send_to(destination, prepared, belongings)
    }

    /// Answers where the message of the event is.
    pub(super) fn reply(
        &self,
        prepared: &Prepared,
        belongings: Belongings<'_>,
    ) -> Result<Vec<Event>, ActionError> {
        let message = self.answered_message()?;
        let destination = match message.channel_id {
            Some(id) => Destination::Channel {
                channel: ChannelReference::Id(id),
                topic: message.topic,
            },
            None => direct(people(&message)?),
        };
        self.send_to(destination, prepared, belongings)
    }

    fn answered_message(&self) -> Result<MessageRow, ActionError> {
        let answered = answered(self.event.what.message_id(), self.event.scope);
        let id = answered.ok_or_else(|| {
            ActionError::bad_request("the event has no message that could be answered")
        })?;
        let message = access_message_in_place(self.tx, self.bot, id)?.message;
        self.check_channel(message.channel_id)?;
        Ok(message)
    }

    fn send_to(
        &self,
        destination: Destination,
        prepared: &Prepared,
        belongings: Belongings<'_>,
    ) -> Result<Vec<Event>, ActionError> {
        let content = prepared.content()?;
        self.check_belongings(belongings)?;
        let app_id = self.app.row.id;
        if !runs::count_message(self.tx, app_id, self.now, limits::MESSAGES_A_MINUTE)? {
            return Err(ActionError::BadRequest(format!(
                "the app has sent {} messages in this minute",
                limits::MESSAGES_A_MINUTE
            )));
        }
        let input = MessageInput {
            destination,
            content: content.markdown.clone(),
            client: CLIENT.to_owned(),
            read_by_sender: Some(true),
            local: None,
            delivery: None,
            realm_url: self.site.to_owned(),
        };
        let (id, events) = send_in(self.tx, self.bot, self.now, &input, content)?;
        self.store_belongings(id, belongings)?;
        Ok(events)
    }

    /// Answers one person: in their clients that show such answers and are open, else by a direct message.
    pub(super) fn answer(
        &self,
        user_id: UserId,
        prepared: &Prepared,
    ) -> Result<Vec<Event>, ActionError> {
        let message = self.answered_message()?;
        let content = prepared.content()?;
        let unknown = || ActionError::bad_request("there is no such person who reads the message");
        let person = keys::caller_by_id(self.tx, user_id)?
            .filter(|row| row.is_active)
            .map(Actor::from_row)
            .filter(|person| !person.is_bot && person.realm_id == self.bot.realm_id)
            .ok_or_else(unknown)?;
        access_message_in_place(self.tx, &person, message.id).map_err(|error| match error {
            ActionError::Denied(_) => unknown(),
            other => other,
        })?;
        let showing = queues::showing_app_answers(self.tx, user_id, POLLED_WITHIN_MS)?;
        if showing.iter().any(|queue| (self.is_polled)(queue)) {
            let html = &content.rendered.html;
            let audience = Audience::user(user_id);
            let event = kinds::app_answer(message.id, self.bot.user_id, html, audience);
            return Ok(vec![event]);
        }
        let none = Belongings {
            values: &[],
            ticks: &[],
        };
        self.send_to(direct([user_id]), prepared, none)
    }

    /// Replaces text and buttons of a message of the app.
    pub(super) fn edit(
        &self,
        message_id: MessageId,
        prepared: &Prepared,
    ) -> Result<Vec<Event>, ActionError> {
        let content = prepared.content()?;
        let message = access_message_in_place(self.tx, self.bot, message_id)?.message;
        self.check_channel(message.channel_id)?;
        edit_in(self.tx, self.bot, self.now, message_id, content)
    }
}

fn direct(people: impl IntoIterator<Item = UserId>) -> Destination {
    Destination::Direct(people.into_iter().map(UserReference::Id).collect())
}

/// All participants of the direct conversation.
fn people(message: &MessageRow) -> Result<Vec<UserId>, ActionError> {
    #[derive(Deserialize)]
    struct Participant {
        id: UserId,
    }
    let people: Vec<Participant> = serde_json::from_str(&message.display_recipient)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    Ok(people.into_iter().map(|one| one.id).collect())
}

#[cfg(test)]
mod tests {
    use spindle_domain::ChannelId;

    use super::*;

    #[test]
    fn only_messages_with_buttons_have_a_link_and_it_is_never_cut() {
        let button = Button {
            id: "yes".to_owned(),
            label: "Yes".to_owned(),
        };
        assert_eq!(with_link("Lunch? ", &[], "/x"), "Lunch? ");
        let text = with_link("Lunch? ", std::slice::from_ref(&button), "/x");
        assert_eq!(text, "Lunch?\n\n[Answer in the browser](/x)");
        let long = with_link(&"a".repeat(MAX_MESSAGE_LENGTH), &[button], "/x");
        assert_eq!(length(&long), MAX_MESSAGE_LENGTH);
        assert!(long.ends_with("(/x)"));
    }

    #[test]
    fn the_link_is_outside_of_fences() {
        let button = Button {
            id: "yes".to_owned(),
            label: "Yes".to_owned(),
        };
        let link = |text: &str| with_link(text, std::slice::from_ref(&button), "/x");
        let open = link("```quote\n~~~\nlet x;\n");
        let closed = "```quote\n~~~\nlet x;\n~~~\n```\n\n[Answer in the browser](/x)";
        assert_eq!(open, closed);
        let marker = "`".repeat(MAX_MESSAGE_LENGTH / 2);
        for long in [
            format!("```\n{}\n```", "a".repeat(MAX_MESSAGE_LENGTH)),
            "```quote\n".repeat(MAX_MESSAGE_LENGTH / 9),
            format!("{marker}\na\n{marker}"),
            format!("{marker}quote\n~~~\n{}", "b\n".repeat(2_000)),
            "`".repeat(MAX_MESSAGE_LENGTH),
        ] {
            let text = link(&long);
            assert!(length(&text) <= MAX_MESSAGE_LENGTH);
            let before = text.strip_suffix("\n\n[Answer in the browser](/x)");
            assert_eq!(before.map(|text| closing_lines(text).len()), Some(0));
        }
    }

    #[test]
    fn links_lead_to_the_conversation() {
        let topic = Place::Topic {
            channel: ChannelId(5),
            topic: "a.b/ü".to_owned(),
        };
        assert_eq!(
            place_link(&topic),
            "/#narrow/channel/5/topic/a.2Eb.2F.C3.BC"
        );
        let people = vec![UserId(3), UserId(4)];
        assert_eq!(place_link(&Place::Direct { people }), "/#narrow/dm/3,4");
        assert_eq!(
            answered(None, Scope::Message(MessageId(7))),
            Some(MessageId(7))
        );
        assert_eq!(answered(None, Scope::App), None);
    }
}
