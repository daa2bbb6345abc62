//! From a narrow to a filter over a part of the history (protocol-facts 5.3).
//!
//! When the narrow names a channel whose history the caller may read, all of it is searched,
//! else only what was delivered to the caller. Channels whose content the caller may not see
//! any more are always left out.

use std::collections::HashMap;

use spindle_domain::narrow::{
    ChannelReference, ChannelsKind, MessagePart, MessageScope, MessageState, NarrowFilter,
    NarrowTerm, UserReference, contradicts_itself,
};
use spindle_domain::policy::{ChannelFacts, MessageAccessFacts, may_read_message};
use spindle_domain::{ChannelId, MessageId, RealmId, SYSTEM_REALM};
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::message_windows::{self, Filter, Side, Source};
use spindle_store::messages::{flag, property};
use spindle_store::{Db, conversations, subscriptions, users};

use crate::access::access_channel::{access_channel, facts};
use crate::access::access_message::access_message;
use crate::text::fold;
use crate::{ActionError, Actor};

/// A part of the history as one caller may read it.
pub(super) struct History {
    source: Source,
    pub(super) filter: Filter,
}

impl History {
    /// See [`message_windows::ids`].
    pub(super) fn ids(
        &self,
        db: &dyn Db,
        side: Side,
        bound: i64,
        limit: i64,
    ) -> Result<Vec<i64>, ActionError> {
        let ids = message_windows::ids(db, self.source, &self.filter, side, bound, limit)?;
        Ok(ids)
    }
}

/// Facts about every channel, by id.
pub(super) fn channel_facts(
    db: &dyn Db,
    actor: &Actor,
) -> Result<HashMap<i64, ChannelFacts>, ActionError> {
    let rows = channel_facts::all(db, actor.realm_id.get(), actor.user_id.get())?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, facts(&row, actor.role)))
        .collect())
}

/// Turns a narrow into the history it is about.
pub(super) fn history(
    db: &dyn Db,
    actor: &Actor,
    narrow: &[NarrowTerm],
) -> Result<History, ActionError> {
    if contradicts_itself(narrow) {
        let text = "messages are in a channel or direct, never both";
        return Err(ActionError::BadNarrow(text.into()));
    }
    let mut builder = Builder {
        db,
        actor,
        source: Source::Received,
        filter: Filter {
            user_id: actor.user_id.get(),
            ..Filter::default()
        },
        nothing: false,
    };
    for term in narrow {
        builder.add(&term.filter, term.negated)?;
    }
    builder.finish(narrow.is_empty())
}

struct Builder<'a> {
    db: &'a dyn Db,
    actor: &'a Actor,
    source: Source,
    filter: Filter,
    /// The terms exclude each other.
    nothing: bool,
}

impl Builder<'_> {
    fn add(&mut self, filter: &NarrowFilter, negated: bool) -> Result<(), ActionError> {
        match filter {
            NarrowFilter::Channel(channel) => self.channel(channel, negated)?,
            NarrowFilter::Channels(kind) => self.channels(*kind, negated)?,
            NarrowFilter::Topic(topic) => self.topic(topic, negated),
            NarrowFilter::Sender(person) => {
                let id = self.person(person)?;
                self.senders(id, negated);
            }
            NarrowFilter::Dm(people) => self.direct(people, negated)?,
            NarrowFilter::DmIncluding(people) => self.direct_including(people, negated)?,
            NarrowFilter::Is(state) => self.state(*state, negated)?,
            NarrowFilter::Has(part) => self.part(*part, negated),
            NarrowFilter::In(scope) => self.scope(*scope, negated)?,
            NarrowFilter::Id(id) => self.id(*id, negated),
            NarrowFilter::Near(_) => {}
            NarrowFilter::With(id) => self.with(*id, negated)?,
            NarrowFilter::Mentions(person) => {
                let id = self.person(person)?;
                let list = if negated {
                    &mut self.filter.mentions_not
                } else {
                    &mut self.filter.mentions
                };
                list.push(id);
            }
            NarrowFilter::Search(_) => {
                let text = "this server has no index of words";
                return Err(ActionError::BadNarrow(text.into()));
            }
        }
        Ok(())
    }

    fn finish(mut self, is_everything: bool) -> Result<History, ActionError> {
        let all = channel_facts::all(self.db, self.actor.realm_id.get(), self.filter.user_id)?;
        for row in &all {
            let is_hidden = !self.may_read(row, true);
            // Clients that show everything know nothing of channels they are not in.
            if is_hidden || is_everything && !row.is_subscribed {
                self.filter.channels_not.push(row.id);
            }
        }
        if self.source == Source::Channel && self.filter.topic.is_some() {
            self.source = Source::Topic;
        }
        if self.source == Source::Received {
            self.source = narrowest(&self.filter);
        }
        if self.nothing {
            self.filter.ids = Some(Vec::new());
        }
        Ok(History {
            source: self.source,
            filter: self.filter,
        })
    }

    /// Whether a message of the channel may be read, delivered to the caller or not.
    fn may_read(&self, row: &ChannelFactsRow, is_recipient: bool) -> bool {
        let facts = MessageAccessFacts {
            role: self.actor.role,
            is_recipient,
            channel: Some(facts(row, self.actor.role)),
        };
        may_read_message(&facts).is_allowed()
    }

    fn channel(&mut self, channel: &ChannelReference, negated: bool) -> Result<(), ActionError> {
        let row =
            access_channel(self.db, self.actor, channel, "").map_err(|error| match error {
                ActionError::StreamDoesNotExist(_) => {
                    ActionError::BadNarrow("there is no such channel".into())
                }
                other => other,
            })?;
        if negated {
            self.filter.channels_not.push(row.id);
            return Ok(());
        }
        self.nothing |= self.filter.channel_id.is_some_and(|other| other != row.id);
        self.filter.channel_id = Some(row.id);
        if self.may_read(&row, false) {
            self.source = Source::Channel;
        }
        Ok(())
    }

    fn channels(&mut self, kind: ChannelsKind, negated: bool) -> Result<(), ActionError> {
        let all = channel_facts::all(self.db, self.actor.realm_id.get(), self.filter.user_id)?;
        let is_kind = |row: &&ChannelFactsRow| match kind {
            ChannelsKind::Public => !row.invite_only,
            ChannelsKind::WebPublic => row.is_web_public,
        };
        let mut ids: Vec<i64> = all.iter().filter(is_kind).map(|row| row.id).collect();
        if negated {
            self.filter.channels_not.append(&mut ids);
            return Ok(());
        }
        ids.retain(|id| {
            let row = all.iter().find(|row| row.id == *id);
            row.is_some_and(|row| self.may_read(row, false))
        });
        if self.source == Source::Received {
            self.source = Source::Channels;
        }
        restrict(&mut self.filter.channels, ids);
        Ok(())
    }

    fn topic(&mut self, topic: &str, negated: bool) {
        let shown = topic.trim() == crate::EMPTY_TOPIC_DISPLAY_NAME;
        let folded = if shown { String::new() } else { fold(topic) };
        if negated {
            self.filter.topics_not.push(folded);
        } else {
            let other = self.filter.topic.replace(folded.clone());
            self.nothing |= other.is_some_and(|other| other != folded);
        }
    }

    fn person(&self, person: &UserReference) -> Result<i64, ActionError> {
        let in_realm = |realm_id: RealmId| match person {
            UserReference::Id(id) => users::by_id(self.db, realm_id.get(), id.get()),
            UserReference::Email(email) => users::by_email(self.db, realm_id.get(), &fold(email)),
        };
        let row = match in_realm(self.actor.realm_id)? {
            Some(row) => Some(row),
            None => in_realm(SYSTEM_REALM)?,
        };
        row.map(|row| row.id)
            .ok_or_else(|| ActionError::BadNarrow("there is no such user".into()))
    }

    fn people(&self, people: &[UserReference]) -> Result<Vec<i64>, ActionError> {
        people.iter().map(|person| self.person(person)).collect()
    }

    fn senders(&mut self, id: i64, negated: bool) {
        if negated {
            self.filter.senders_not.push(id);
        } else {
            restrict(&mut self.filter.senders, vec![id]);
        }
    }

    fn direct(&mut self, people: &[UserReference], negated: bool) -> Result<(), ActionError> {
        let mut members = self.people(people)?;
        members.push(self.filter.user_id);
        members.sort_unstable();
        members.dedup();
        let key: Vec<String> = members.iter().map(i64::to_string).collect();
        let realm_id = self.actor.realm_id.get();
        let found = conversations::direct(self.db, realm_id, &key.join(","))?;
        self.conversations(found.into_iter().collect(), negated);
        Ok(())
    }

    fn direct_including(
        &mut self,
        people: &[UserReference],
        negated: bool,
    ) -> Result<(), ActionError> {
        let mut members = self.people(people)?;
        members.push(self.filter.user_id);
        members.sort_unstable();
        members.dedup();
        let members = spindle_store::id_list(members);
        let found = conversations::including(self.db, &members)?;
        self.conversations(found, negated);
        Ok(())
    }

    fn conversations(&mut self, mut ids: Vec<i64>, negated: bool) {
        if negated {
            self.filter.conversations_not.append(&mut ids);
        } else {
            restrict(&mut self.filter.conversations, ids);
        }
    }

    fn state(&mut self, state: MessageState, negated: bool) -> Result<(), ActionError> {
        match state {
            MessageState::Dm => {
                self.nothing |= self.filter.direct == Some(negated);
                self.filter.direct = Some(!negated);
            }
            MessageState::Starred => self.flag(flag::STARRED, negated),
            MessageState::Unread => self.flag(flag::READ, !negated),
            MessageState::Alerted => self.flag(flag::HAS_ALERT_WORD, negated),
            MessageState::Mentioned if negated => self.filter.flags_none |= flag::ANY_MENTION,
            MessageState::Mentioned => self.filter.flags_any |= flag::ANY_MENTION,
            MessageState::Resolved => {
                self.nothing |= self.filter.resolved == Some(negated);
                self.filter.resolved = Some(!negated);
            }
            // Nobody can follow a topic yet.
            MessageState::Followed => self.nothing |= !negated,
            MessageState::Muted => self.muted(negated)?,
        }
        Ok(())
    }

    fn flag(&mut self, bit: i64, negated: bool) {
        if negated {
            self.filter.flags_none |= bit;
        } else {
            self.filter.flags_all |= bit;
        }
    }

    /// Messages of muted channels, or all others.
    fn muted(&mut self, negated: bool) -> Result<(), ActionError> {
        let mut muted = subscriptions::muted(self.db, self.filter.user_id)?;
        if negated {
            self.filter.channels_not.append(&mut muted);
        } else {
            restrict(&mut self.filter.channels, muted);
        }
        Ok(())
    }

    fn part(&mut self, part: MessagePart, negated: bool) {
        let bit = match part {
            MessagePart::Link => property::HAS_LINK,
            MessagePart::Image => property::HAS_IMAGE,
            MessagePart::Attachment => property::HAS_ATTACHMENT,
            // Nobody can react to a message yet.
            MessagePart::Reaction => {
                self.nothing |= !negated;
                return;
            }
        };
        if negated {
            self.filter.properties_none |= bit;
        } else {
            self.filter.properties_all |= bit;
        }
    }

    fn scope(&mut self, scope: MessageScope, negated: bool) -> Result<(), ActionError> {
        match scope {
            MessageScope::Home => self.muted(!negated),
            MessageScope::All => {
                self.nothing |= negated;
                Ok(())
            }
        }
    }

    fn id(&mut self, id: MessageId, negated: bool) {
        if negated {
            self.filter.ids_not.push(id.get());
        } else {
            restrict(&mut self.filter.ids, vec![id.get()]);
        }
    }

    /// The conversation that a message is in takes the place of other terms about it.
    fn with(&mut self, id: MessageId, negated: bool) -> Result<(), ActionError> {
        if negated {
            return Err(ActionError::BadNarrow("with cannot be negated".into()));
        }
        let row = match access_message(self.db, self.actor, id) {
            Ok(row) => row,
            // Without the message the other terms stand alone.
            Err(ActionError::Denied(_)) => return Ok(()),
            Err(other) => return Err(other),
        };
        let Some(channel_id) = row.channel_id else {
            self.filter.conversations = Some(vec![row.conversation_id]);
            return Ok(());
        };
        self.filter.channel_id = None;
        self.filter.topic = None;
        self.channel(&ChannelReference::Id(ChannelId(channel_id)), false)?;
        self.topic(&row.topic, false);
        Ok(())
    }
}

/// The part of what was delivered that holds everything the filter lets through.
fn narrowest(filter: &Filter) -> Source {
    if filter.flags_all & flag::STARRED != 0 {
        Source::Starred
    } else if filter.flags_any != 0 {
        Source::Mentioned
    } else if filter.flags_none & flag::READ != 0 {
        Source::Unread
    } else if filter.direct == Some(true) || filter.conversations.is_some() {
        Source::Direct
    } else {
        Source::Received
    }
}

/// What is allowed by both.
fn restrict(known: &mut Option<Vec<i64>>, allowed: Vec<i64>) {
    match known {
        Some(known) => known.retain(|id| allowed.contains(id)),
        None => *known = Some(allowed),
    }
}
