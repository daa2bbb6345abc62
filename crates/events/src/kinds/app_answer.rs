//! `app_answer`: an app answers one person, and the answer is not kept (docs/protocol/apps.md#app_answer).

use serde_json::json;
use spindle_domain::{MessageId, UserId};

use super::EventType;
use crate::event::{Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

pub(super) const KIND: EventType = EventType {
    name: "app_answer",
    traits: Traits::APP_ANSWERS,
    convert: Some(convert),
};

/// The app that acts as `bot_id` answers what happened to a message, in HTML.
#[must_use]
pub fn app_answer(
    message_id: MessageId,
    bot_id: UserId,
    content: &str,
    audience: Audience,
) -> Event {
    let body = record([
        ("message_id", json!(message_id)),
        ("bot_id", json!(bot_id)),
        ("content", content.into()),
    ]);
    Event::new("app_answer", body, audience)
}

/// Other clients would not show it.
fn convert(source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::APP_ANSWERS) {
        vec![source.body]
    } else {
        Vec::new()
    }
}
