//! Replaces a draft (docs/protocol/personal.md#edit_draft).

use spindle_domain::DraftId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::{Connection, drafts};

use super::{DraftInput, check, check_enabled, missing};
use crate::json_record::parse_record;
use crate::quota::Meter;
use crate::{ActionError, Actor, change};

/// Replaces a draft of the caller's.
///
/// # Errors
/// [`ActionError::BadRequest`] while drafts are switched off, and for a draft that is not
/// valid; `ClientError::StreamDoesNotExist`; [`ActionError::NotFound`] when the caller has no
/// such draft.
pub fn edit_draft(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    draft_id: DraftId,
    input: &DraftInput,
) -> Result<(), ActionError> {
    check_enabled(actor)?;
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        let draft = check(tx, actor, now, input)?;
        let text = Meter::start(tx, Quota::DraftText, user_id)?;
        let record = drafts::replace(tx, user_id, draft_id, &draft.row())?.ok_or_else(missing)?;
        text.check(tx)?;
        let event = kinds::drafts_update(user_id, parse_record(&record)?);
        Ok(change::made((), event))
    })
}
