//! Measures how busy channels are, once a day each (docs/protocol/channels.md#channel-object,
//! `stream_weekly_traffic`, `is_recently_active`).
//!
//! Called by a job; a repeated call finds nothing left to do. Few channels are measured in
//! one transaction, so that writers are not held up.

use spindle_domain::RealmId;
use spindle_domain::traffic::{
    ACTIVITY_WINDOW_SECS, MEASUREMENT_INTERVAL_SECS, TRAFFIC_WINDOW_SECS, is_recently_active,
    weekly_traffic,
};
use spindle_events::{Event, Record, kinds};
use spindle_store::channel_activity::{self, ActivityRow};
use spindle_store::{Connection, WriteTx};

use crate::access::channel_audience::who_sees_channel;
use crate::{ActionError, change};

/// Channels that one call measures at most.
const MEASURED_AT_ONCE: i64 = 100;

/// Measures the channels that are due at `now` (UNIX seconds) and notifies the users who see them
/// of what has changed. Returns how many channels were measured.
pub fn measure_channels(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<usize, ActionError> {
    let measured_before = now - MEASUREMENT_INTERVAL_SECS;
    // Most calls find nothing, and need not wait for the write lock.
    if !channel_activity::is_any_due(db, measured_before)? {
        return Ok(0);
    }
    change::if_needed(db, realm_id, now, |tx| {
        let due = channel_activity::due(
            tx,
            measured_before,
            now - TRAFFIC_WINDOW_SECS,
            now - ACTIVITY_WINDOW_SECS,
            MEASURED_AT_ONCE,
        )?;
        let mut events = Vec::new();
        for channel in &due {
            measure(tx, realm_id, now, channel, &mut events)?;
        }
        Ok(change::outcome(due.len(), events))
    })
}

fn measure(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    channel: &ActivityRow,
    events: &mut Vec<Event>,
) -> Result<(), ActionError> {
    let age = now - channel.date_created;
    let traffic = weekly_traffic(channel.messages, age);
    let active = is_recently_active(channel.has_recent_message, age);
    channel_activity::store(tx, channel.channel_id, now, traffic, active)?;
    let mut changes = Vec::new();
    if traffic != channel.weekly_traffic {
        changes.push(("stream_weekly_traffic", traffic.into()));
    }
    if active != channel.is_recently_active {
        changes.push(("is_recently_active", active.into()));
    }
    if changes.is_empty() {
        return Ok(());
    }
    let audience = who_sees_channel(tx, realm_id, channel.channel_id)?;
    for (property, value) in changes {
        let change = kinds::StreamChange {
            stream_id: channel.channel_id,
            name: channel.name.clone(),
            property: property.to_owned(),
            value,
            extra: Record::new(),
            is_archived: channel.is_archived,
        };
        events.push(kinds::stream_update(change, audience.clone()));
    }
    Ok(())
}
