//! Ends API keys that were made without a second factor, of people who must have one.
//!
//! Requests with such a key are refused at once where the account has no second factor; this removes the keys, so that
//! they do not come back with it, and says so to the person.

use spindle_domain::limits::UNPROVEN_PEOPLE_AT_ONCE;
use spindle_domain::policy::lowest_role_with_second_factor;
use spindle_domain::{RealmId, UserId, realm_setting};
use spindle_events::credentials_ended;
use spindle_store::{Connection, Outcome, audit, realms, second_factors};

use crate::messages::{Notice, Wording, send_notice};
use crate::{ActionError, Settings, change};

/// Ends them at `now` (UNIX seconds), of some people at a time; returns whether that was all.
pub fn end_unproven_keys(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    let Some(realm) = realms::by_id(db, realm_id)? else {
        return Ok(true);
    };
    let settings = Settings::of_realm(&realm.settings);
    let required_for = settings.text(realm_setting!("second_factor_required_for"));
    let Some(lowest) = lowest_role_with_second_factor(&required_for) else {
        return Ok(true);
    };
    let most = UNPROVEN_PEOPLE_AT_ONCE;
    let people = second_factors::with_unproven_keys(db, lowest.as_i64(), most)?;
    let is_complete = (people.len() as i64) < most;
    for user_id in people {
        end(db, realm_id, now, user_id)?;
    }
    Ok(is_complete)
}

fn end(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    change::if_needed(db, realm_id, now, |tx| {
        if !second_factors::delete_unproven_keys(tx, user_id)? {
            return Ok(Outcome::Unchanged(()));
        }
        let kind = "user_unproven_keys_ended";
        audit::append(tx, realm_id, now, None, Some(user_id), kind, "{}")?;
        let mut wording = Wording::default();
        wording.add(
            "API keys of your account that were made without a second factor have ended, because the organization \
             requires one. Programs that used them need a new key: sign in with a browser to make one.",
        );
        let notice = Notice::to_person(user_id, wording);
        let sent = send_notice(tx, realm_id, now, &notice)?;
        let events = [credentials_ended(user_id)].into_iter().chain(sent.1);
        Ok(change::outcome((), events))
    })
}
