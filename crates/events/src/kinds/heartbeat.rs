//! `heartbeat`: a poll has waited long enough (docs/protocol/events.md#get_events).
//!
//! Only in the log of a database that several nodes share: as a row of the log it has its position among the
//! events of a queue, whatever node serves it. Otherwise the event-queue service keeps heartbeats itself.

use serde_json::json;
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// The wire type.
pub(crate) const HEARTBEAT: &str = "heartbeat";

/// A heartbeat for each of these queues, which are named with their owners.
#[must_use]
pub fn heartbeat<'q>(queues: impl IntoIterator<Item = (&'q str, UserId)>) -> Event {
    let (ids, owners): (Vec<&str>, Vec<UserId>) = queues.into_iter().unzip();
    let body = record([("queues", json!(ids))]);
    Event::new(HEARTBEAT, body, Audience::users(owners))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogRow, Registration, accept};

    #[test]
    fn it_goes_to_the_queues_that_it_names_whatever_their_types() {
        let row = heartbeat([("b", UserId(2)), ("a", UserId(1))]).into_row();
        let row = LogRow::parse(1, row.event_type, &row.body, &row.audience).unwrap();
        assert!(row.notice().is_none());
        let queue = |queue_id: &str, user_id| Registration {
            queue_id: queue_id.to_owned(),
            user_id: UserId(user_id),
            event_types: Some(Vec::new()),
            ..Registration::default()
        };
        let received = accept(&queue("a", 1), &row);
        assert_eq!(received.len(), 1);
        assert_eq!(received[0].with_id(4), r#"{"id":4,"type":"heartbeat"}"#);
        assert_eq!(accept(&queue("b", 2), &row).len(), 1);
        assert!(accept(&queue("c", 1), &row).is_empty());
    }
}
