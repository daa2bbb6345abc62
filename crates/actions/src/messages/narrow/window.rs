//! The anchor of a window, and the window around it.

use spindle_domain::MessageId;
use spindle_store::Db;
use spindle_store::message_windows::{self, Side};

use super::History;
use crate::ActionError;

/// Larger than the id of any message: the anchor at the newest one.
const NEWEST: MessageId = MessageId(10_000_000_000_000_000);

/// The position of messages in the requested history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The anchor as an id.
    pub anchor: MessageId,
    /// Whether the message at the anchor is among the messages.
    pub found_anchor: bool,
    /// Whether the oldest message is among them.
    pub found_oldest: bool,
    /// Whether the newest message is among them.
    pub found_newest: bool,
    /// Whether older history is withheld; always false here.
    pub history_limited: bool,
}

/// The message around which messages are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// A message, which need not exist.
    Id(MessageId),
    /// The end of the history.
    Newest,
    /// Its beginning.
    Oldest,
    /// The first unread message, or the end.
    FirstUnread,
    /// The first message sent at this time (UNIX seconds) or later, or the end (FL 445).
    Date(i64),
}

impl Anchor {
    /// The anchor as an id.
    fn resolve(self, db: &dyn Db, history: &History) -> Result<MessageId, ActionError> {
        let found = match self {
            Self::Id(id) => Some(id.clamp(MessageId::MIN, NEWEST)),
            Self::Newest => None,
            Self::Oldest => Some(MessageId::MIN),
            Self::FirstUnread => message_windows::first_unread(db, &history.filter)?,
            Self::Date(date) => match message_windows::first_since(db, date)? {
                Some(id) => history.ids(db, Side::After, id, 1)?.first().copied(),
                None => None,
            },
        };
        Ok(found.unwrap_or(NEWEST))
    }
}

/// Ids, ascending, of the messages around `anchor`.
pub(crate) fn window(
    db: &dyn Db,
    history: &History,
    anchor: Anchor,
    include_anchor: bool,
    num_before: i64,
    num_after: i64,
) -> Result<(Vec<MessageId>, Window), ActionError> {
    let anchor = anchor.resolve(db, history)?;
    // One more than wanted on either side shows whether that side ends there.
    let mut before = if num_before > 0 && anchor > MessageId::MIN {
        history.ids(db, Side::Before, anchor.before(), num_before + 1)?
    } else {
        Vec::new()
    };
    let from = if include_anchor {
        anchor
    } else {
        anchor.after()
    };
    let wanted_after = num_after + i64::from(include_anchor);
    let mut after = if anchor < NEWEST && wanted_after > 0 {
        history.ids(db, Side::After, from, wanted_after + 1)?
    } else {
        Vec::new()
    };
    let found_anchor = include_anchor && after.first() == Some(&anchor);
    // Without the message at the anchor there is one more place than the client asked for.
    let room_after = if found_anchor || !include_anchor {
        wanted_after
    } else {
        num_after
    };
    let found_oldest = anchor == MessageId::MIN || is_end(&before, num_before);
    let found_newest = anchor >= NEWEST || is_end(&after, room_after);
    cut(&mut before, num_before);
    cut(&mut after, room_after);
    before.reverse();
    before.append(&mut after);
    let window = Window {
        anchor,
        found_anchor,
        found_oldest,
        found_newest,
        history_limited: false,
    };
    Ok((before, window))
}

/// A side that was asked for and returned no more than wanted has come to its end.
fn is_end(found: &[MessageId], wanted: i64) -> bool {
    wanted > 0 && i64::try_from(found.len()).unwrap_or(i64::MAX) <= wanted
}

fn cut(found: &mut Vec<MessageId>, wanted: i64) {
    found.truncate(usize::try_from(wanted).unwrap_or_default());
}
