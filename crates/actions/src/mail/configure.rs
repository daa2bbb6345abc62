//! Notes at every start whether the operator has configured mail.

use spindle_domain::RealmId;
use spindle_store::{Connection, SilentReason, event_log, mail_service, mails};

use crate::{ActionError, change};

/// Notes at `now` (UNIX seconds) whether mail is configured. Without it, what waits to be sent is dropped.
pub fn configure_mail(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    is_configured: bool,
) -> Result<(), ActionError> {
    if mail_service::is_on(db, realm_id)? == is_configured {
        return Ok(());
    }
    change::silently(db, SilentReason::Calls, |tx| {
        match is_configured {
            true => mail_service::configure(tx, realm_id, event_log::position(tx)?)?,
            false => {
                mail_service::forget(tx, realm_id)?;
                mails::drop_all(tx, realm_id, now)?;
            }
        }
        Ok(())
    })
}
