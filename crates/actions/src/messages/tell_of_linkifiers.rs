//! Tells the owners, once, that linkifiers at the end of the list are not searched for: a list that is older than the
//! bound of its size can be above it (docs/protocol/linkifiers.md#add_linkifier).

use serde_json::json;
use spindle_domain::limits::MAX_LINKIFIERS_SIZE;
use spindle_domain::{RealmId, Role, SystemBot};
use spindle_store::{Connection, Outcome, audit, linkifiers, users};

use super::{Notice, NoticeRecipient, ReadBy, Wording, say};
use crate::organization::linkifiers_left_out;
use crate::{ActionError, change};

/// What the timer does, at `now` (UNIX seconds). Most runs find nothing to do.
pub fn tell_of_linkifiers(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<(), ActionError> {
    let left_out = linkifiers_left_out(&linkifiers::list(db, realm_id)?.linkifiers);
    if left_out == 0 || audit::has_linkifiers_left_out(db, realm_id)? {
        return Ok(());
    }
    change::if_needed(db, realm_id, now, |tx| {
        if audit::has_linkifiers_left_out(tx, realm_id)? {
            return Ok(Outcome::Unchanged(()));
        }
        let mebibytes = MAX_LINKIFIERS_SIZE >> 20;
        let content = format!(
            "The last {left_out} linkifiers of the organization do not make links any more: the patterns of all together \
             take more than {mebibytes} MiB when they are compiled. Simplify or remove some of those before them; \
             bounded repetitions and Unicode classes such as `\\w` are the largest."
        );
        let owners = users::list(tx, realm_id)?;
        let owners = owners
            .iter()
            .filter(|user| user.role == Role::Owner && user.is_active && !user.is_bot);
        let mut events = Vec::new();
        for owner in owners {
            let notice = Notice {
                bot: SystemBot::Notification,
                read_by: ReadBy::Senders,
                recipient: NoticeRecipient::Person(owner.id),
                wording: Wording::plain(&content),
            };
            events.extend(say(tx, realm_id, now, &notice)?.1);
        }
        let data = json!({"left_out": left_out}).to_string();
        audit::append(tx, realm_id, now, None, None, "linkifiers_left_out", &data)?;
        Ok(change::outcome((), events))
    })
}
