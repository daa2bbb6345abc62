//! Terms about channels and topics, and what of them the caller may read.

use spindle_domain::ChannelId;
use spindle_domain::errors::ClientError;
use spindle_domain::narrow::{ChannelReference, ChannelsKind};
use spindle_domain::policy::{MessageAccessFacts, may_read_message};
use spindle_store::Db;
use spindle_store::channel_facts::{self, ChannelFactsRow};
use spindle_store::messages::MessageRow;

use super::{Builder, restrict};
use crate::access::access_channel::{access_channel, facts};
use crate::text::fold;
use crate::{ActionError, Actor};

/// Whether the caller may read a message, given its channel if it is in one.
pub(crate) fn may_read_row(
    actor: &Actor,
    row: &MessageRow,
    channel: Option<&ChannelFactsRow>,
) -> bool {
    if row.channel_id.is_some() && channel.is_none() {
        return false;
    }
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient: row.flags.is_some(),
        channel: channel.map(|row| facts(row, actor.role)),
    };
    may_read_message(&facts).is_allowed()
}

/// Channels whose earlier deliveries the caller may no longer read.
pub(crate) fn unreadable_channels(
    db: &dyn Db,
    actor: &Actor,
) -> Result<Vec<ChannelId>, ActionError> {
    let is_guest = actor.role.is_guest();
    let left = channel_facts::not_open(db, actor.realm_id, actor.member(), is_guest)?;
    let unreadable = left.iter().filter(|row| !may_read(actor, row, true));
    Ok(unreadable.map(|row| row.id).collect())
}

/// Whether a message of the channel may be read, delivered to the caller or not.
fn may_read(actor: &Actor, row: &ChannelFactsRow, is_recipient: bool) -> bool {
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient,
        channel: Some(facts(row, actor.role)),
    };
    may_read_message(&facts).is_allowed()
}

impl Builder<'_> {
    pub(super) fn may_read(&self, row: &ChannelFactsRow, is_recipient: bool) -> bool {
        may_read(self.actor, row, is_recipient)
    }

    pub(super) fn channel(
        &mut self,
        channel: &ChannelReference,
        negated: bool,
    ) -> Result<(), ActionError> {
        let row = self.find_channel(channel)?;
        if negated {
            self.filter.channels_not.push(row.id);
            return Ok(());
        }
        self.nothing |= self.filter.channel_id.is_some_and(|other| other != row.id);
        self.nothing |= !self.may_read(&row, true);
        self.filter.channel_id = Some(row.id);
        self.filter.is_received = !self.may_read(&row, false);
        self.is_readable = true;
        self.scope.push(format!("c{}", row.conversation_id));
        Ok(())
    }

    /// A name that consists of digits may also be an id that was sent as text.
    fn find_channel(&self, channel: &ChannelReference) -> Result<ChannelFactsRow, ActionError> {
        let mut found = access_channel(self.db, self.actor, channel, "");
        if let (
            Err(ActionError::Client(ClientError::StreamDoesNotExist { .. })),
            ChannelReference::Name(name),
        ) = (&found, channel)
            && let Ok(id) = name.parse()
        {
            let by_id = ChannelReference::Id(ChannelId(id));
            found = access_channel(self.db, self.actor, &by_id, "");
        }
        found.map_err(|error| match error {
            ActionError::Client(ClientError::StreamDoesNotExist { .. }) => ClientError::BadNarrow {
                desc: "there is no such channel".into(),
            }
            .into(),
            other => other,
        })
    }

    pub(super) fn channels(
        &mut self,
        kind: ChannelsKind,
        negated: bool,
    ) -> Result<(), ActionError> {
        let all = channel_facts::all(self.db, self.actor.realm_id, self.actor.member())?;
        let is_kind = |row: &&ChannelFactsRow| match kind {
            ChannelsKind::Public => !row.invite_only,
            ChannelsKind::WebPublic => row.is_web_public,
            ChannelsKind::Archived => row.is_archived,
        };
        let of_kind = all.iter().filter(is_kind);
        if negated {
            self.filter.channels_not.extend(of_kind.map(|row| row.id));
            return Ok(());
        }
        let is_received = kind == ChannelsKind::Archived;
        let readable = of_kind.filter(|row| self.may_read(row, is_received));
        let ids = readable.map(|row| row.id).collect();
        restrict(&mut self.filter.channels, ids);
        // A channel that is named as well says more about its history.
        if self.filter.channel_id.is_none() && kind != ChannelsKind::Archived {
            self.filter.is_received = false;
        }
        Ok(())
    }

    pub(super) fn topic(&mut self, topic: &str, negated: bool) {
        let is_empty = topic.trim() == crate::EMPTY_TOPIC_DISPLAY_NAME;
        let folded = if is_empty { String::new() } else { fold(topic) };
        if negated {
            self.filter.topics_not.push(folded);
        } else {
            let other = self.filter.topic.replace(folded.clone());
            self.nothing |= other.is_some_and(|other| other != folded);
        }
    }

    /// The conversation that a message is in now.
    pub(super) fn conversation(&mut self, row: &MessageRow) -> Result<(), ActionError> {
        let Some(channel_id) = row.channel_id else {
            self.conversations(vec![row.conversation_id], false);
            return Ok(());
        };
        self.channel(&ChannelReference::Id(ChannelId(channel_id.into())), false)?;
        self.filter.topic = Some(fold(&row.topic));
        Ok(())
    }
}
