//! The recipients of messages.
//!
//! Every active member of a channel has received its messages, as far as the number of rows stays within
//! bounds: an archive has a line for the members and a line for each message, but a server keeps a
//! row for each pair. Above the bound, only the newest messages of each channel have
//! been received by all; older ones are in the history of the channel.

use anyhow::{Result, bail};
use spindle_store::messages::flag;

use super::channels::Channels;
use super::draft::{Conversation, Draft};
use super::people::{People, PersonKind};

/// The recipients, and how many messages of a channel they have received.
pub(super) struct Receivers {
    /// Active members by channel.
    channels: Vec<Vec<i64>>,
    /// Messages of each channel that have come.
    seen: Vec<u64>,
    /// How many of the newest messages of a channel all of its members have received; `None` means all.
    newest: Option<u64>,
}

impl Receivers {
    /// Computes the recipients, in at most this many rows.
    pub(super) fn new(people: &People, channels: &Channels, most: u64) -> Result<Self> {
        let receives = |user: i64| {
            let person = people.get(user);
            person.is_some_and(|it| it.is_active && it.kind == PersonKind::Human)
        };
        let active: Vec<Vec<i64>> = channels
            .list()
            .iter()
            .map(|channel| {
                let members = channel.members.iter().map(|member| member.user);
                members.filter(|user| receives(*user)).collect()
            })
            .collect();
        let of_direct = channels.directs().iter().fold(0_u64, |sum, direct| {
            sum.saturating_add(direct.messages.saturating_mul(direct.people.len() as u64))
        });
        if of_direct > most {
            bail!("direct messages of the archive have more than {most} receivers");
        }
        let rows = |newest: u64| {
            let lists = channels.list().iter().zip(&active);
            lists.fold(of_direct, |sum, (channel, members)| {
                let received = channel.messages.min(newest);
                sum.saturating_add(received.saturating_mul(members.len() as u64))
            })
        };
        let newest = if rows(u64::MAX) <= most {
            None
        } else {
            // The most that stays within the bound.
            let (mut fits, mut too_many) = (0, 1_u64 << 40);
            while too_many - fits > 1 {
                let middle = fits + (too_many - fits) / 2;
                if rows(middle) <= most {
                    fits = middle;
                } else {
                    too_many = middle;
                }
            }
            Some(fits)
        };
        Ok(Self {
            seen: vec![0; active.len()],
            channels: active,
            newest,
        })
    }

    /// How many of the newest messages of a channel all have received, where that is bounded.
    pub(super) const fn newest(&self) -> Option<u64> {
        self.newest
    }

    /// Hands each receiver of a message, with its flags, to `each`. Messages come in order.
    pub(super) fn each(
        &mut self,
        draft: &Draft,
        people: &People,
        channels: &Channels,
        mut each: impl FnMut(i64, i64) -> Result<()>,
    ) -> Result<()> {
        let flags = |user: i64| {
            let mut flags = flag::READ;
            if is_in(&draft.mentions, user) {
                flags |= flag::MENTIONED;
            }
            if draft.mentions_all {
                flags |= flag::STREAM_WILDCARD_MENTIONED;
            }
            if is_in(&draft.starred, user) {
                flags |= flag::STARRED;
            }
            flags
        };
        let index = match draft.conversation {
            Conversation::Direct(index) => {
                let direct = channels.directs().get(index as usize);
                for user in direct.into_iter().flat_map(|direct| &direct.people) {
                    each(*user, flags(*user))?;
                }
                return Ok(());
            }
            Conversation::Channel(index) => index as usize,
        };
        let (Some(members), Some(seen)) = (self.channels.get(index), self.seen.get_mut(index))
        else {
            return Ok(());
        };
        *seen += 1;
        let all = channels.list().get(index).map_or(0, |it| it.messages);
        let is_new = self
            .newest
            .is_none_or(|newest| all.saturating_sub(*seen) < newest);
        let concerns = |user: i64| {
            user == draft.sender || is_in(&draft.mentions, user) || is_in(&draft.starred, user)
        };
        for user in members {
            if is_new || concerns(*user) {
                each(*user, flags(*user))?;
            }
        }
        let is_human = people
            .get(draft.sender)
            .is_some_and(|it| it.kind != PersonKind::Bot);
        if is_human && members.binary_search(&draft.sender).is_err() {
            each(draft.sender, flags(draft.sender))?;
        }
        Ok(())
    }
}

/// Whether a sorted list contains an id.
fn is_in(list: &[i64], user: i64) -> bool {
    list.binary_search(&user).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::bounds::Bounds;
    use super::super::people::Person;
    use super::super::{Channel, Member};
    use super::*;

    /// Receivers of each of five messages in a channel of three, one of whom is not active.
    fn received(most: u64) -> Vec<Vec<(i64, i64)>> {
        let bounds = Bounds::default();
        let mut people = People::new("x.invalid".to_owned(), &bounds);
        for name in ["Ann", "Bob", "Cid", "Dan"] {
            let person = Person::new(PersonKind::Human, name, name);
            people.add(name, person).unwrap();
        }
        people.get_mut(3).unwrap().is_active = false;
        let mut channels = Channels::new(&bounds);
        let channel = Channel {
            members: [1, 2, 3].map(Member::plain).to_vec(),
            ..Channel::default()
        };
        let conversation = Conversation::Channel(channels.add(channel).unwrap());
        for _ in 0..5 {
            channels.count(conversation);
        }
        channels.sort_members();
        let mut receivers = Receivers::new(&people, &channels, most).unwrap();
        let mut all = Vec::new();
        for number in 0..5 {
            let mut draft = Draft::new(number, conversation, 4);
            draft.mentions = vec![2];
            let mut some = Vec::new();
            receivers
                .each(&draft, &people, &channels, |user, flags| {
                    some.push((user, flags));
                    Ok(())
                })
                .unwrap();
            all.push(some);
        }
        all
    }

    #[test]
    fn active_members_and_the_sender_have_received_a_message() {
        let expected = vec![(1, 1), (2, 1 | 8), (4, 1)];
        assert_eq!(received(100), vec![expected; 5]);
    }

    #[test]
    fn of_too_many_rows_those_of_the_newest_messages_stay() {
        let all = received(5);
        let counts: Vec<usize> = all.iter().map(Vec::len).collect();
        // Older ones: only senders and mentioned people.
        assert_eq!(counts, [2, 2, 2, 3, 3]);
    }
}
