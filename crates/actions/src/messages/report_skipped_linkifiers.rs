//! Notifies the owners, once, that the last linkifiers of the list are skipped. A list that is older than the limit
//! can exceed it (docs/protocol/linkifiers.md#add_linkifier).

use serde_json::json;
use spindle_domain::limits::MAX_LINKIFIERS_SIZE;
use spindle_domain::{RealmId, Role};
use spindle_store::{Connection, Outcome, audit, linkifiers, users};

use super::{Notice, Wording, send_notice};
use crate::organization::linkifiers_left_out;
use crate::{ActionError, change};

/// Sends the notice at `now` (UNIX seconds) unless it has been sent.
pub fn report_skipped_linkifiers(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<(), ActionError> {
    // Outside of the transaction, because compiling the patterns takes long.
    let left_out = linkifiers_left_out(&linkifiers::list(db, realm_id)?.linkifiers);
    if left_out == 0 {
        return Ok(());
    }
    change::if_needed(db, realm_id, now, |tx| {
        if audit::has_skipped_linkifiers_report(tx, realm_id)? {
            return Ok(Outcome::Unchanged(()));
        }
        let mebibytes = MAX_LINKIFIERS_SIZE >> 20;
        let content = format!(
            "The last {left_out} linkifiers of the organization no longer create links: all patterns together take more \
             than {mebibytes} MiB when they are compiled. Simplify or remove some of the patterns before them; bounded \
             repetitions and Unicode classes such as `\\w` take the most."
        );
        let owners = users::list(tx, realm_id)?;
        let owners = owners
            .iter()
            .filter(|user| user.role == Role::Owner && user.is_active && !user.is_bot);
        let mut events = Vec::new();
        for owner in owners {
            let notice = Notice::to_person(owner.id, Wording::plain(&content));
            events.extend(send_notice(tx, realm_id, now, &notice)?.1);
        }
        let data = json!({"left_out": left_out}).to_string();
        audit::append(tx, realm_id, now, None, None, "linkifiers_left_out", &data)?;
        Ok(change::outcome((), events))
    })
}
