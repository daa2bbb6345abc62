//! The caller's subscriptions (docs/protocol/subscriptions.md#get_subscriptions).

use spindle_store::Db;
use spindle_store::subscriber_lists::SubscriberLists;
use spindle_store::subscription_records::{self, Wanted};

use crate::access::visible_channels::visible;
use crate::{ActionError, Actor};

/// `include_subscribers` of POST /register and GET /users/me/subscriptions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IncludeSubscribers {
    /// `false`
    #[default]
    No,
    /// `true`
    All,
    /// `partial`: complete lists of channels with fewer than 250 subscribers.
    Partial,
}

impl IncludeSubscribers {
    /// As the store has it.
    pub(crate) const fn lists(self) -> SubscriberLists {
        match self {
            Self::No => SubscriberLists::None,
            Self::All => SubscriberLists::Complete,
            Self::Partial => SubscriberLists::Partial,
        }
    }
}

/// The subscription records of the caller at `now` (UNIX seconds) as a JSON list, by channel,
/// archived ones included. Null notification settings stay null. See
/// docs/protocol/subscriptions.md#get_subscriptions.
pub fn list_subscriptions(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    include_subscribers: IncludeSubscribers,
) -> Result<String, ActionError> {
    let wanted = Wanted {
        visible: visible(actor.realm_id, Some(actor), now, true),
        active: true,
        subscribers: include_subscribers.lists(),
        defaults: "{}",
    };
    Ok(subscription_records::records(db, &wanted)?)
}
