//! The users who may read given messages: the audience of a change, by message.
//!
//! The domain's policy is checked once for every group of alike accounts. Where a channel's history
//! is hidden from later subscribers, the result differs by message.

use std::collections::{BTreeMap, BTreeSet};

use spindle_domain::policy::{ChannelFacts, MessageAccessFacts, may_read_message};
use spindle_domain::{ChannelId, MessageId, RealmId, UserId};
use spindle_store::channel_viewers::{self, ReaderGroup};
use spindle_store::channels::{self, ChannelKind};
use spindle_store::{Db, DbError, id_list, message_changes};

use crate::ActionError;

/// Readers by the messages that they read; sets of ids are ascending and never empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Readers(BTreeMap<Vec<MessageId>, BTreeSet<UserId>>);

impl Readers {
    /// The users who read any of `message_ids` (ascending) as messages of the channel, among its
    /// subscribers, the recipients of any of them, and `further`. Two statements, three where the
    /// past is hidden.
    ///
    /// # Errors
    /// [`ActionError::Store`], also when there is no such channel.
    pub(crate) fn of_channel(
        db: &dyn Db,
        realm_id: RealmId,
        channel_id: ChannelId,
        message_ids: &[MessageId],
        further: &[UserId],
    ) -> Result<Self, ActionError> {
        let ids = id_list(message_ids.iter().copied());
        let further = id_list(further.iter().copied());
        let kind = channels::kind(db, channel_id)?.ok_or(DbError::NoRow)?;
        let concerned = channel_viewers::concerned(db, realm_id, channel_id, &ids, &further)?;
        let mut readers = Self::default();
        let mut only_received = BTreeSet::new();
        for group in concerned {
            if reads(&kind, &group, false) {
                readers.add(message_ids, group.users.0);
            } else if reads(&kind, &group, true) {
                only_received.extend(group.users.0);
            }
        }
        if !only_received.is_empty() {
            for received in message_changes::received(db, &ids)? {
                let users = received.users.0.into_iter();
                let users = users.filter(|user| only_received.contains(user)).collect();
                readers.add(&received.message_ids, users);
            }
        }
        Ok(readers)
    }

    /// The users who take part in the direct conversations of these messages.
    pub(crate) fn of_direct(db: &dyn Db, message_ids: &[MessageId]) -> Result<Self, ActionError> {
        let mut readers = Self::default();
        let ids = id_list(message_ids.iter().copied());
        for received in message_changes::received(db, &ids)? {
            readers.add(&received.message_ids, received.users.0);
        }
        Ok(readers)
    }

    /// All users who read any of the messages.
    pub(crate) fn users(&self) -> impl Iterator<Item = UserId> {
        self.0.values().flatten().copied()
    }

    /// The readers of those among `message_ids` (ascending).
    pub(crate) fn among(&self, message_ids: &[MessageId]) -> Self {
        let mut part = Self::default();
        for (ids, users) in self.groups() {
            let read = ids
                .iter()
                .filter(|id| message_ids.binary_search(id).is_ok());
            let read: Vec<MessageId> = read.copied().collect();
            part.add(&read, users.iter().copied().collect());
        }
        part
    }

    /// The messages that these users read here and do not read according to `others`.
    pub(crate) fn without(&self, others: &Self) -> Self {
        let mut kept: BTreeMap<UserId, &[MessageId]> = BTreeMap::new();
        for (ids, users) in others.groups() {
            kept.extend(users.iter().map(|user_id| (*user_id, ids)));
        }
        let mut rest = Self::default();
        for (ids, users) in self.groups() {
            for user_id in users {
                let kept = kept.get(user_id).copied().unwrap_or_default();
                if kept == ids {
                    continue;
                }
                let gone = ids.iter().filter(|id| kept.binary_search(id).is_err());
                let gone: Vec<MessageId> = gone.copied().collect();
                rest.add(&gone, vec![*user_id]);
            }
        }
        rest
    }

    fn add(&mut self, message_ids: &[MessageId], users: Vec<UserId>) {
        if !users.is_empty() && !message_ids.is_empty() {
            self.0
                .entry(message_ids.to_vec())
                .or_default()
                .extend(users);
        }
    }

    /// Sets of messages, each with the users who read exactly these of the given messages.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&[MessageId], &BTreeSet<UserId>)> {
        self.0.iter().map(|(ids, users)| (ids.as_slice(), users))
    }
}

fn reads(kind: &ChannelKind, group: &ReaderGroup, is_recipient: bool) -> bool {
    let facts = MessageAccessFacts {
        role: group.role,
        is_recipient,
        channel: Some(ChannelFacts {
            invite_only: kind.invite_only,
            history_public_to_subscribers: kind.history_public_to_subscribers,
            is_web_public: kind.is_web_public,
            is_archived: kind.is_archived,
            is_subscribed: group.is_subscribed,
            grants_content_access: group.grants_content_access,
            administers: false,
        }),
    };
    may_read_message(&facts).is_allowed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readers(groups: &[(&[i64], &[i64])]) -> Readers {
        let mut readers = Readers::default();
        for (messages, users) in groups {
            let messages: Vec<MessageId> = messages.iter().copied().map(MessageId).collect();
            readers.add(&messages, users.iter().copied().map(UserId).collect());
        }
        readers
    }

    #[test]
    fn what_others_do_not_read() {
        let before = readers(&[(&[1, 2, 3], &[10, 11, 12]), (&[2], &[13])]);
        let after = readers(&[(&[1, 2, 3], &[10]), (&[3], &[11, 13, 14])]);
        let expected = readers(&[(&[1, 2], &[11]), (&[1, 2, 3], &[12]), (&[2], &[13])]);
        assert_eq!(before.without(&after), expected);
        assert_eq!(before.without(&before), Readers::default());
    }

    #[test]
    fn what_they_read_of_a_part() {
        let all = readers(&[(&[1, 2, 3], &[10, 11]), (&[2, 3], &[12]), (&[1], &[13])]);
        let expected = readers(&[(&[2], &[10, 11, 12])]);
        assert_eq!(all.among(&[MessageId(2), MessageId(4)]), expected);
    }
}
