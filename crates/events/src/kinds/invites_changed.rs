//! `invites_changed`: invitations were added, removed or renewed
//! (docs/protocol/events.md#invites_changed). The event has no data; clients that show invitations
//! fetch them again.

use crate::event::Record;
use crate::{Audience, Event};

/// The list of invitations has changed.
#[must_use]
pub fn invites_changed(audience: Audience) -> Event {
    Event::new("invites_changed", Record::new(), audience)
}
