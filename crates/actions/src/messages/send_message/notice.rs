//! Notices: messages of the server's own bots, in the transaction of the change that they are about
//! (`realm_send_channel_events_messages` and others).
//!
//! A notice needs no permission, and its mentions notify no user. The change decides whether one is
//! due; this only writes it. Nothing is committed here.

use spindle_domain::text::{cut_topic, normalise_topic};
use spindle_domain::{ChannelId, MessageId, RealmId, SystemBot, UserId, realm_setting};
use spindle_events::Event;
use spindle_store::{
    DbError, WriteTx, channel_facts, conversations, id_list, keys, user_lists, users,
};

use super::direct::display_recipient;
use super::{Destination, MessageInput, Recipient, RecipientChannel, deliver};
use crate::account::manage_account::Change;
use crate::messages::content::{Block, Content, Sight};
use crate::messages::name_lookup::Shown;
use crate::{ActionError, Actor};

/// Name of the client of every notice.
const CLIENT: &str = "Internal";

/// The conversation that a notice is posted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoticeRecipient<'a> {
    /// A channel, whatever its permissions, archived or not.
    Channel {
        channel_id: ChannelId,
        /// Cut to its limit; left out where the channel has no topics.
        topic: &'a str,
    },
    /// An account of the organization.
    Person(UserId),
}

/// A message of the server.
#[derive(Debug, Clone)]
pub(crate) struct Notice<'a> {
    /// The bot that sends it.
    pub(crate) bot: SystemBot,
    /// Where it is posted.
    pub(crate) recipient: NoticeRecipient<'a>,
    /// What it says; mentions are shown and notify no user.
    pub(crate) wording: Wording<'a>,
    /// Recipients who have no need to read it.
    pub(crate) read_by: ReadBy,
}

impl<'a> Notice<'a> {
    /// From the notification bot to an account.
    pub(crate) const fn to_person(user_id: UserId, wording: Wording<'a>) -> Self {
        Self {
            bot: SystemBot::Notification,
            recipient: NoticeRecipient::Person(user_id),
            wording,
            read_by: ReadBy::Senders,
        }
    }
}

/// Recipients to whom a message comes as read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ReadBy {
    /// Its sender, as the client and the settings say.
    #[default]
    Senders,
    /// All of them.
    Everyone,
    /// The person who has caused it.
    Person(UserId),
    /// The person who has resolved a topic or opened it again, and users whose setting asks for it.
    Resolver(UserId),
}

/// The text of a notice, in blocks of the server and of people. In a block of the server, names resolve only to objects
/// it named by id, so a name chosen by a user cannot inject a mention. In a person's block, names resolve with that
/// person's visibility.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wording<'a> {
    parts: Vec<(String, Option<&'a Actor>)>,
    shown: Shown,
}

impl<'a> Wording<'a> {
    /// A text of the server that names no one.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        let mut wording = Self::default();
        wording.add(text);
        wording
    }

    /// Registers an account; returns its mention for a block of the server.
    pub(crate) fn person(&mut self, full_name: &str, user_id: UserId) -> String {
        self.shown.people.insert(user_id);
        mention(full_name, user_id)
    }

    /// Registers a channel, so that a block of the server can link to it by name.
    pub(crate) fn channel(&mut self, channel_id: ChannelId) {
        self.shown.channels.insert(channel_id);
    }

    /// Adds Markdown of the server.
    pub(crate) fn add(&mut self, text: impl Into<String>) {
        self.parts.push((text.into(), None));
    }

    /// Adds Markdown whose names are resolved with the visibility of `sight`.
    pub(crate) fn repeat(&mut self, text: impl Into<String>, sight: &'a Actor) {
        self.parts.push((text.into(), Some(sight)));
    }

    /// Quotes a text with the visibility of its writer; with none if the writer is unknown.
    pub(crate) fn quote(&mut self, text: &str, writer: Option<&'a Actor>) {
        self.parts.push((quoted(text), writer));
    }

    fn blocks(&self) -> Vec<Block<'_>> {
        let blocks = self.parts.iter().map(|(markdown, writer)| Block {
            markdown: markdown.clone(),
            sight: writer.map_or(Sight::Only(&self.shown), Sight::Of),
        });
        blocks.collect()
    }
}

/// Writes a notice in the organization `realm_id` at `now` (UNIX seconds), within the
/// transaction of the change that it is about. Returns the message and its events, to be
/// committed after the events of the change itself.
///
/// # Errors
/// [`ActionError::Internal`] when the channel or the bot does not exist, or for empty content.
pub(crate) fn send_notice(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    notice: &Notice<'_>,
) -> Result<(MessageId, Vec<Event>), ActionError> {
    let actor = speaker(tx, realm_id, notice.bot)?;
    let input = MessageInput {
        // Where it goes is known already.
        destination: Destination::Direct(Vec::new()),
        content: String::new(),
        client: CLIENT.to_owned(),
        read_by_sender: Some(true),
        local: None,
        delivery: None,
        realm_url: String::new(),
    };
    let content = Content::prepare_notice(tx, &actor, &notice.wording.blocks())?;
    let target = match notice.recipient {
        NoticeRecipient::Channel { channel_id, topic } => channel(tx, &actor, channel_id, topic)?,
        NoticeRecipient::Person(user_id) => person(tx, &actor, user_id)?,
    };
    let target = Recipient {
        read_by: notice.read_by,
        ..target
    };
    deliver::write(tx, &actor, now, &input, &content, &target)
}

impl Change<'_, '_> {
    /// Sends an account a notice, and emits its events with those of the change.
    ///
    /// # Errors
    /// As [`send_notice`].
    pub(crate) fn notify(
        &mut self,
        user_id: UserId,
        wording: Wording<'_>,
    ) -> Result<(), ActionError> {
        let notice = Notice::to_person(user_id, wording);
        let (_, events) = send_notice(self.tx, self.realm_id, self.now, &notice)?;
        self.events.extend(events);
        Ok(())
    }
}

/// Sends the owner of a bot a notice that quotes why something has failed; returns its events. An owner who is not active
/// gets none.
pub(crate) fn notify_owner(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    owner_id: UserId,
    text: String,
    why: &str,
) -> Result<Vec<Event>, ActionError> {
    let owner = users::by_id(tx, realm_id, owner_id)?;
    if !owner.is_some_and(|owner| owner.is_active) {
        return Ok(Vec::new());
    }
    let mut wording = Wording::plain(text);
    wording.quote(why, None);
    let notice = Notice::to_person(owner_id, wording);
    Ok(send_notice(tx, realm_id, now, &notice)?.1)
}

/// A mention that names an account without notifying it. A name with markup is left out, because it would be text if
/// the mention did not resolve.
pub(crate) fn mention(full_name: &str, user_id: UserId) -> String {
    if has_markup(full_name) {
        return format!("@_**|{user_id}**");
    }
    format!("@_**{full_name}|{user_id}**")
}

/// A link to a channel; its name as [`literal`] if it would break the link.
pub(crate) fn channel_link(name: &str) -> String {
    if has_markup(name) {
        return literal(name);
    }
    format!("#**{name}**")
}

/// A link to a topic, or to a message in it; the names as [`literal`] if they would break the link.
pub(crate) fn topic_link(channel: &str, topic: &str, message_id: Option<MessageId>) -> String {
    if has_markup(channel) || has_markup(topic) {
        let shown = if topic.is_empty() {
            crate::EMPTY_TOPIC_DISPLAY_NAME
        } else {
            topic
        };
        return format!("{} > {}", literal(channel), literal(shown));
    }
    match message_id {
        Some(id) => format!("#**{channel}>{topic}@{id}**"),
        None => format!("#**{channel}>{topic}**"),
    }
}

/// Returns true if a name may contain markup, or end the syntax around it.
fn has_markup(name: &str) -> bool {
    name.contains(['>', '*', '`', '[', ']', '$', '&'])
}

/// A text that people wrote, as a quotation that ends where the text ends.
pub(crate) fn quoted(text: &str) -> String {
    let mut longest = 2;
    for run in text.split(|letter| letter != '`') {
        longest = longest.max(run.len());
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}quote\n{text}\n{fence}")
}

/// A name in which nothing is markup.
pub(crate) fn literal(name: &str) -> String {
    let kept = name.replace('`', "'");
    format!("`{kept}`")
}

/// The bot as an account of this organization.
pub(crate) fn speaker(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    bot: SystemBot,
) -> Result<Actor, ActionError> {
    let row = keys::system_caller(tx, realm_id, bot.email())?
        .ok_or_else(|| ActionError::Internal(format!("there is no {}", bot.full_name())))?;
    let mut actor = Actor::from_row(row);
    actor.realm_id = RealmId(realm_id.into());
    spindle_domain::system_bot::SYSTEM_REALM_STRING_ID.clone_into(&mut actor.realm_string_id);
    Ok(actor)
}

fn channel(
    tx: &WriteTx<'_>,
    actor: &Actor,
    channel_id: ChannelId,
    topic: &str,
) -> Result<Recipient, ActionError> {
    let row = channel_facts::by_id(tx, actor.realm_id, actor.member(), "", channel_id)?
        .ok_or(DbError::NoRow)?;
    let policy = match row.topics_policy.as_str() {
        "inherit" => actor.realm_settings().text(realm_setting!("topics_policy")),
        own => own.to_owned(),
    };
    let topic = if policy == "empty_topic_only" {
        String::new()
    } else {
        normalise_topic(&cut_topic(topic), crate::EMPTY_TOPIC_DISPLAY_NAME)
    };
    Ok(Recipient {
        read_by: ReadBy::Senders,
        conversation_id: row.conversation_id,
        newly_visible: Vec::new(),
        display_recipient: serde_json::Value::from(row.name.as_str()).to_string(),
        channel: Some(RecipientChannel {
            id: row.id,
            is_public: !row.invite_only,
            topic,
            starts_topic: false,
            is_first: row.first_message_id.is_none(),
            is_recently_active: row.is_recently_active,
            topic_participants: Vec::new(),
            further_recipients: Vec::new(),
        }),
    })
}

/// Guests see bots in any case, so no account becomes visible by it.
fn person(tx: &WriteTx<'_>, actor: &Actor, user_id: UserId) -> Result<Recipient, ActionError> {
    let realm_id = actor.realm_id;
    let ids = id_list([actor.user_id, user_id]);
    let people = user_lists::recipients(tx, realm_id, &ids, "[]")?;
    let key = people
        .iter()
        .map(|person| person.id.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let conversation_id = match conversations::direct(tx, realm_id, &key)? {
        Some(id) => id,
        None => conversations::insert_direct(tx, realm_id, &key)?,
    };
    Ok(Recipient {
        read_by: ReadBy::Senders,
        conversation_id,
        channel: None,
        newly_visible: Vec::new(),
        display_recipient: display_recipient(&people),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_markup() {
        assert_eq!(literal("a`b"), "`a'b`");
        assert_eq!(mention("A (b)", 1.into()), "@_**A (b)|1**");
        assert_eq!(mention("[A](b)", 1.into()), "@_**|1**");
        assert_eq!(channel_link("a b"), "#**a b**");
        assert_eq!(channel_link("a** @**all** **"), "`a** @**all** **`");
        assert_eq!(topic_link("a", "b", None), "#**a>b**");
        assert_eq!(topic_link("a", "", Some(5.into())), "#**a>@5**");
        assert_eq!(topic_link("a", "[b](c)", Some(5.into())), "`a` > `[b](c)`");
    }

    #[test]
    fn a_quotation_cannot_be_left() {
        assert_eq!(quoted("a"), "```quote\na\n```");
        assert_eq!(quoted("a\n````\nb"), "`````quote\na\n````\nb\n`````");
    }
}
