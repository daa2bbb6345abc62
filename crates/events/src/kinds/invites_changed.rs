//! `invites_changed`: invitations have come, gone or been renewed (protocol-facts 3.6). It holds
//! nothing; whoever shows invitations asks for them again.

use crate::event::Record;
use crate::{Audience, Event};

/// The list of invitations has changed.
#[must_use]
pub fn invites_changed(audience: Audience) -> Event {
    Event::new("invites_changed", Record::new(), audience)
}
