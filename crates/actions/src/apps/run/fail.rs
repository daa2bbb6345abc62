//! An attempt at an event has failed: it is made again later, and after some of them the app is paused.

use serde_json::json;
use spindle_domain::RealmId;
use spindle_domain::apps::limits::RETRY_SECONDS;
use spindle_events::Event;
use spindle_store::apps::{self, events, runs};
use spindle_store::{Connection, WriteTx, audit};

use super::ClaimedRun;
use super::claim::keep_tick;
use crate::app_events::{Installed, write_log};
use crate::messages::{literal, notify_owner};
use crate::{ActionError, change};

/// Records at `now` (UNIX seconds) that the computation of a claimed event has failed, and why. An attempt that was given up
/// in between changes nothing.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`].
pub fn fail_app_event(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    run: &ClaimedRun,
    reason: &str,
) -> Result<(), ActionError> {
    change::if_needed(db, realm_id, now, |tx| {
        if !runs::release(tx, run.app_id, run.lease)? {
            return Ok(change::outcome((), []));
        }
        let failed = usize::try_from(run.attempts).unwrap_or(usize::MAX);
        let events = match RETRY_SECONDS.get(failed) {
            Some(pause) => {
                if events::postpone(tx, run.event_id, run.attempts, now + pause)? {
                    write_log(tx, run.app_id, now, &format!("The run failed: {reason}"))?;
                }
                Vec::new()
            }
            None if events::delete(tx, run.event_id, run.attempts)? => {
                give_up(tx, realm_id, now, run, reason)?
            }
            None => Vec::new(),
        };
        Ok(change::outcome((), events))
    })
}

fn give_up(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    run: &ClaimedRun,
    reason: &str,
) -> Result<Vec<Event>, ActionError> {
    let Some(row) = apps::by_id(tx, realm_id, run.app_id)? else {
        return Ok(Vec::new());
    };
    let app = Installed::of(row)?;
    let times = RETRY_SECONDS.len() + 1;
    let why = format!("An event failed {times} times: {reason}");
    let why: String = why
        .chars()
        .take(500)
        .filter(|letter| *letter != '\0')
        .collect();
    apps::pause(tx, run.app_id, &why)?;
    keep_tick(tx, run.app_id, run.event.scope, &run.event.what, now)?;
    write_log(tx, run.app_id, now, &format!("Paused. {why}"))?;
    // The reason may hold texts of people, which the audit log keeps for ever.
    let data = json!({"app_id": run.app_id, "name": run.name}).to_string();
    let bot_id = Some(app.bot_id());
    audit::append(tx, realm_id, now, None, bot_id, "app_paused", &data)?;
    let text = format!(
        "Your app {} is paused, because it failed to answer an event:",
        literal(&app.manifest.title)
    );
    notify_owner(tx, realm_id, now, app.row.owner_id, text, reason)
}
