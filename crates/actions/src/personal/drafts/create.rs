//! Stores drafts (docs/protocol/personal.md#create_drafts).

use spindle_domain::DraftId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::{Connection, drafts};

use super::{DraftInput, check, check_enabled};
use crate::json_record::parse_record;
use crate::{ActionError, Actor, change, quota};

/// Stores drafts of the caller's at `now` (UNIX seconds), all or none; returns their ids in the
/// order of the drafts.
///
/// # Errors
/// [`ActionError::BadRequest`] while drafts are switched off, for a draft that is not valid or
/// one too many; `ClientError::StreamDoesNotExist`.
pub fn create_drafts(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    inputs: &[DraftInput],
) -> Result<Vec<DraftId>, ActionError> {
    check_enabled(actor)?;
    let user_id = actor.user_id;
    change::if_needed(db, actor.realm_id, now, |tx| {
        let existing = drafts::count(tx, user_id)?;
        let further = i64::try_from(inputs.len()).unwrap_or(i64::MAX);
        if further > 0 {
            quota::within(Quota::Drafts, existing.saturating_add(further))?;
        }
        let mut ids = Vec::with_capacity(inputs.len());
        let mut records = Vec::with_capacity(inputs.len());
        for input in inputs {
            let draft = check(tx, actor, now, input)?;
            let new = drafts::insert(tx, user_id, &draft.row())?;
            ids.push(new.id);
            records.push(parse_record(&new.object)?);
        }
        if further > 0 {
            quota::check(tx, Quota::DraftText, user_id)?;
        }
        let event = (!records.is_empty()).then(|| kinds::drafts_add(user_id, records));
        Ok(change::outcome(ids, event))
    })
}
