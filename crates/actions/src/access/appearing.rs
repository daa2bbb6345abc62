//! Bounds the events about channels that begin to be seen by a change of a role or a group.
//!
//! A channel object lists the holders of the channel's permissions, and its subscribers follow it, so even few channels
//! can be many megabytes. Where the events take too much room, the queues of the people concerned end instead, and
//! their clients register again.

use std::collections::BTreeSet;

use spindle_domain::{ChannelId, RealmId, UserId};
use spindle_events::{Audience, Event, credentials_ended, kinds};
use spindle_store::{Db, WriteTx, channels, id_list, queues, subscriptions};

use crate::ActionError;
use crate::access::channel_appears::subscribers;
use crate::json_record::parse_record;

/// Most events about a changed view. Each private channel may have subscribers of its own, and each person an address.
pub(crate) const MOST_EVENTS: usize = 1_000;
/// How many rows a statement reads to find out whether there are more.
pub(crate) const BEYOND_MOST: i64 = MOST_EVENTS as i64 + 1;
/// Most subscribers of the channels that appear.
const MOST_SUBSCRIBERS: i64 = 100_000;
/// Most bytes of the objects of these channels.
const MOST_BYTES: usize = 1 << 20;
/// Objects that one statement reads.
const PAGE: usize = 50;

/// The room that is left for events about channels that appear.
pub(crate) struct Room {
    channels: usize,
    subscribers: i64,
    bytes: usize,
}

impl Room {
    pub(crate) const fn new() -> Self {
        Self {
            channels: MOST_EVENTS,
            subscribers: MOST_SUBSCRIBERS,
            bytes: MOST_BYTES,
        }
    }

    /// `stream` `create` and `subscription` `peer_add` for `audience`, of these channels as they are now; all or none of
    /// them are archived. `None` when too little room is left.
    pub(crate) fn shown(
        &mut self,
        db: &dyn Db,
        realm_id: RealmId,
        ids: &[ChannelId],
        archived: bool,
        audience: Audience,
    ) -> Result<Option<Vec<Event>>, ActionError> {
        if ids.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let Some(channels) = self.channels.checked_sub(ids.len()) else {
            return Ok(None);
        };
        self.channels = channels;
        let list = id_list(ids.iter().copied());
        self.subscribers -= subscriptions::count_all(db, &list)?;
        if self.subscribers < 0 {
            return Ok(None);
        }
        let mut records = Vec::with_capacity(ids.len());
        for page in ids.chunks(PAGE) {
            let page = id_list(page.iter().copied());
            for row in channels::objects_of(db, realm_id, &page)? {
                let Some(bytes) = self.bytes.checked_sub(row.object.len()) else {
                    return Ok(None);
                };
                self.bytes = bytes;
                records.push(parse_record(&row.object)?);
            }
        }
        let mut events = vec![kinds::stream_shown(records, archived, audience.clone())];
        let lists = subscriptions::subscriber_lists(db, &list)?;
        events.extend(subscribers(&lists, &audience));
        Ok(Some(events))
    }
}

/// Ends the queues of these accounts; returns the events that end their polls.
pub(crate) fn end_queues(tx: &WriteTx<'_>, users: &[UserId]) -> Result<Vec<Event>, ActionError> {
    let ended = queues::delete_of_users(tx, &id_list(users.iter().copied()))?;
    let ended: BTreeSet<UserId> = ended.into_iter().collect();
    Ok(ended.into_iter().map(credentials_ended).collect())
}
