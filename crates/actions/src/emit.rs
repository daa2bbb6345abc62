//! From events of the events crate to rows of the log.

use spindle_events::Event;
use spindle_store::{Emitted, NewEvent};

/// The events of a change, in the order in which clients are to hear of them.
pub(crate) fn events(events: impl IntoIterator<Item = Event>) -> Emitted {
    Emitted::Events(
        events
            .into_iter()
            .map(|event| {
                let row = event.into_row();
                NewEvent {
                    event_type: row.event_type,
                    body: row.body,
                    audience: row.audience,
                }
            })
            .collect(),
    )
}
