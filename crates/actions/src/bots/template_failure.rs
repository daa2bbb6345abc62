//! Notifies the owner of an incoming webhook that its templates make no message of a delivery.
//!
//! At most once an hour for each bot: the notice is noted among the deliveries of the bot, under a name that no service
//! can send.

use serde_json::Value;
use spindle_domain::limits::TEMPLATE_FAILURE_SECONDS;
use spindle_integrations::template::{self, Problem};
use spindle_store::{Connection, Db, DbError, users, webhook_deliveries};

use crate::messages::{Notice, Wording, literal, send_notice};
use crate::{ActionError, Actor, change};

/// Deliveries of services are named after their integration, so none has this name.
const NOTICE: &str = "failing template";

/// Sends the owner of the bot `actor` the problem and the beginning of the body, at `now` (UNIX seconds), unless that
/// happened within the last hour or there is no active owner.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn report_template_failure(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    problem: &Problem,
    body: &Value,
) -> Result<(), ActionError> {
    let Some(owner_id) = actor.bot_owner_id else {
        return Ok(());
    };
    let is_due = |db: &dyn Db| -> Result<bool, DbError> {
        let last = webhook_deliveries::sent_at(db, actor.user_id, NOTICE)?;
        Ok(last.is_none_or(|last| now.abs_diff(last) >= TEMPLATE_FAILURE_SECONDS.unsigned_abs()))
    };
    // Most failures follow another one, and need not wait for the write lock.
    if !is_due(db)? {
        return Ok(());
    }
    change::if_needed(db, actor.realm_id, now, |tx| {
        let owner = users::by_id(tx, actor.realm_id, owner_id)?;
        if !owner.is_some_and(|owner| owner.is_active) || !is_due(tx)? {
            return Ok(change::outcome((), []));
        }
        let mut wording = Wording::plain(format!(
            "Your bot {} could not make a message of a delivery:",
            literal(&actor.full_name)
        ));
        wording.quote(&problem.to_string(), None);
        wording.add(template::shown(body));
        wording.add("Further failures within an hour are not reported.");
        let notice = Notice::to_person(owner_id, wording);
        let (message_id, events) = send_notice(tx, actor.realm_id, now, &notice)?;
        webhook_deliveries::store(tx, actor.user_id, NOTICE, message_id)?;
        Ok(change::outcome((), events))
    })
}
