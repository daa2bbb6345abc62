//! Makes the effects of an event, once.

use std::cell::Cell;

use spindle_domain::RealmId;
use spindle_domain::apps::{Effect, Happening, check_effects};
use spindle_events::Event;
use spindle_store::apps::{self, events, runs};
use spindle_store::{Connection, WriteTx};

use super::ClaimedRun;
use super::fail::fail_app_event;
use super::making::Making;
use super::messages::Prepared;
use crate::app_events::{Installed, note, write_log};
use crate::{ActionError, Actor, change};

/// What has become of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// They are made, but for those that the account may not make.
    Made,
    /// Something has changed since the event was claimed: it is computed again.
    Discarded,
    /// They cannot be made by any account; the attempt has failed.
    Refused,
}

/// Makes the effects of a claimed event at `now` (UNIX seconds) and ends it, in one transaction. An effect that the account
/// may not make becomes an event of its own. `site` is the server's address, without a slash at its end; `is_polled` says
/// whether a client polls the queue with an id.
///
/// # Errors
/// [`ActionError::Store`] and [`ActionError::Internal`]: nothing has changed then.
pub fn commit_app_effects(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    site: &str,
    run: &ClaimedRun,
    effects: &[Effect],
    is_polled: &dyn Fn(&str) -> bool,
) -> Result<Committed, ActionError> {
    if let Err(problem) = check_effects(effects) {
        fail_app_event(db, realm_id, now, run, &problem)?;
        return Ok(Committed::Refused);
    }
    // Texts are rendered before the transaction begins.
    let Some((_, bot)) = acting(db, realm_id, run)? else {
        fail_app_event(
            db,
            realm_id,
            now,
            run,
            "The account of the app is deactivated",
        )?;
        return Ok(Committed::Refused);
    };
    let prepared = effects
        .iter()
        .map(|effect| Prepared::of(db, &bot, run, effect, site))
        .collect::<Result<Vec<_>, _>>()?;
    change::if_needed(db, realm_id, now, |tx| {
        let is_current = runs::release(tx, run.app_id, run.lease)?
            && runs::advance(tx, run.app_id, run.version)?
            && events::delete(tx, run.event_id, run.attempts)?;
        let acting = match is_current {
            true => acting(tx, realm_id, run)?,
            false => None,
        };
        let Some((app, bot)) = acting else {
            return Ok(change::outcome(Committed::Discarded, []));
        };
        let making = Making {
            tx,
            now,
            site,
            app: &app,
            bot: &bot,
            event: &run.event,
            is_polled,
            bytes: Cell::new(None),
        };
        let mut all = Vec::new();
        for (effect, prepared) in effects.iter().zip(&prepared) {
            match making.make(effect, prepared) {
                Ok(events) => all.extend(events),
                Err(error @ (ActionError::Store(_) | ActionError::Internal(_))) => {
                    return Err(error);
                }
                Err(error) => refuse(tx, now, &app, run, effect, &reason(&error))?,
            }
        }
        Ok(change::outcome(Committed::Made, all as Vec<Event>))
    })
}

fn acting(
    db: &dyn spindle_store::Db,
    realm_id: RealmId,
    run: &ClaimedRun,
) -> Result<Option<(Installed, Actor)>, ActionError> {
    let Some(row) = apps::by_id(db, realm_id, run.app_id)? else {
        return Ok(None);
    };
    let app = Installed::of(row)?;
    let bot = app.bot(db)?;
    Ok(bot.map(|bot| (app, bot)))
}

/// Why the account may not make an effect, for the author of the app.
fn reason(error: &ActionError) -> String {
    match error {
        ActionError::Denied(reason) => format!("the account may not do this ({reason:?})"),
        other => other.to_string(),
    }
}

/// Informs the app of an effect that was not made; of one that answers such an event, only the log says so.
fn refuse(
    tx: &WriteTx<'_>,
    now: i64,
    app: &Installed,
    run: &ClaimedRun,
    effect: &Effect,
    reason: &str,
) -> Result<(), ActionError> {
    let name = effect.name();
    write_log(
        tx,
        run.app_id,
        now,
        &format!("An effect was not made: {name}: {reason}"),
    )?;
    if matches!(run.event.what, Happening::EffectFailed { .. }) {
        return Ok(());
    }
    let what = Happening::EffectFailed {
        effect: name.to_owned(),
        reason: reason.to_owned(),
    };
    note(tx, app, now, run.event.scope, None, &what).map(drop)
}
