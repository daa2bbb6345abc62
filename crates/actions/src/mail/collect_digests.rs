//! Writes the digests of a week, on the day and for the people that want them.

use serde_json::json;
use spindle_domain::{MailKind, RealmId, realm_setting, user_setting};
use spindle_store::digests::{self, ReaderRow};
use spindle_store::mail_service::{self, DigestRow};
use spindle_store::mails::Recipient;
use spindle_store::{Connection, SilentReason, realms};

use crate::account::outbox::{self, Mail};
use crate::{ActionError, RealmSettings, UserSettings, change};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// The hour of the day, UTC, at which digests are written.
const AT_HOUR: i64 = 8;
/// People who used a client within this time need no digest.
const INACTIVE: i64 = 4 * DAY;
/// People of one part.
const PART: i64 = 200;

/// Writes a part of the digests at `now` (UNIX seconds); returns whether none is left.
pub fn collect_digests(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    let Some(state) = mail_service::digests(db, realm_id)? else {
        return Ok(true);
    };
    let day = now.div_euclid(DAY);
    if (state.day == day && state.user == i64::MAX) || now.rem_euclid(DAY) < AT_HOUR * HOUR {
        return Ok(true);
    }
    let Some(realm) = realms::by_id(db, realm_id)? else {
        return Ok(true);
    };
    let settings = RealmSettings::of_realm(&realm.settings);
    if realm.deactivated
        || !settings.is_on(realm_setting!("digest_emails_enabled"))
        || settings.integer(realm_setting!("digest_weekday")) != weekday(day)
    {
        return Ok(true);
    }
    let after = if state.day == day { state.user } else { 0 };
    let readers = digests::readers(db, realm_id, after, now - INACTIVE, PART)?;
    let is_last = i64::try_from(readers.len()).unwrap_or(i64::MAX) < PART;
    let last = readers
        .last()
        .map_or(i64::MAX, |reader| reader.user_id.get());
    let end = DigestRow {
        day,
        user: if is_last { i64::MAX } else { last },
    };
    change::silently(db, SilentReason::Calls, |tx| {
        if !mail_service::advance_digests(tx, realm_id, state, end)? {
            // Another process has written them.
            return Ok(false);
        }
        for reader in readers.iter().filter(|reader| wants(reader)) {
            let mail = Mail {
                kind: MailKind::Digest,
                cause: format!("{} {day}", reader.user_id),
                to: Recipient::Account(reader.user_id),
                detail: json!({}),
                due: now,
            };
            outbox::write(tx, realm_id, now, &mail)?;
        }
        Ok(is_last)
    })
}

fn wants(reader: &ReaderRow) -> bool {
    UserSettings::of_user(&reader.settings).is_on(user_setting!("enable_digest_emails"))
}

/// The weekday of a day since 1970, from 0 for Monday.
fn weekday(day: i64) -> i64 {
    // The first day was a Thursday.
    (day + 3).rem_euclid(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekdays_begin_with_monday() {
        // 5 January 1970, a Monday, and 29 November 2026, a Sunday.
        assert_eq!([0, 4, 20_786].map(weekday), [3, 0, 6]);
    }
}
