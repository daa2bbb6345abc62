//! `default_streams`: the channels that new users join.

use serde_json::json;
use spindle_domain::ChannelId;

use crate::event::record;
use crate::{Audience, Event};

/// The whole list after a change. `audience`: all users but guests.
#[must_use]
pub fn default_streams(stream_ids: &[ChannelId], audience: Audience) -> Event {
    let body = record([("default_streams", json!(stream_ids))]);
    Event::new("default_streams", body, audience)
}
