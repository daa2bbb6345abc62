//! Links in mails that switch off mails of a kind (docs/protocol/settings.md#unsubscribe).
//!
//! The key names the account, the kind and the last day of the link, and is signed; no row belongs to it. So a link
//! works in each mail, without a sign-in, as RFC 8058 has it.

use serde_json::Value;
use spindle_domain::{KnownSetting as _, MailKind, RealmId, UserId};
use spindle_store::Connection;

use super::user_settings::update_values;
use crate::ActionError;
use crate::account::act_by_link;
use crate::account::link_keys::{self, Purpose};

const DAY: i64 = 86_400;
/// Days for which a link works.
const LASTS_DAYS: i64 = 60;

/// The key of the link that switches off mails of this kind, in a mail that was written at `created` (UNIX seconds); none
/// for a kind that cannot be switched off.
pub(crate) fn unsubscription_key(
    secret: &[u8],
    user_id: UserId,
    kind: MailKind,
    created: i64,
) -> Result<Option<String>, ActionError> {
    let Some(place) = place(kind).filter(|_| !kind.switches().is_empty()) else {
        return Ok(None);
    };
    let mut content = [0; 16];
    let last_day = u32::try_from(created / DAY + LASTS_DAYS).unwrap_or(0);
    let parts = user_id.get().to_be_bytes().into_iter();
    let parts = parts.chain(last_day.to_be_bytes()).chain([place]);
    for (byte, part) in content.iter_mut().zip(parts) {
        *byte = part;
    }
    link_keys::key(secret, Purpose::Unsubscription, &content).map(Some)
}

/// Switches off the mails that the link with `key` is about, at `now` (UNIX seconds). `secret` is the one that the server
/// signs links with. Doing so twice changes nothing.
///
/// # Errors
/// [`ActionError::BadSignInLink`] for a link that was never made, is too old, or belongs to an account that may not act.
pub fn unsubscribe(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    secret: &[u8],
    key: &str,
) -> Result<(), ActionError> {
    let content = link_keys::nonce_of(secret, Purpose::Unsubscription, key)?;
    let (user_id, kind) = content
        .and_then(|content| read(&content, now))
        .ok_or(ActionError::BadSignInLink)?;
    let actor = act_by_link(db, user_id)?;
    if actor.realm_id != realm_id {
        return Err(ActionError::BadSignInLink);
    }
    let switches = kind.switches().iter();
    let values = switches
        .map(|setting| (setting.row().name, Value::Bool(false)))
        .collect();
    update_values(db, &actor, now, &values)
}

/// The position of a kind among all.
fn place(kind: MailKind) -> Option<u8> {
    let place = MailKind::ALL.iter().position(|other| *other == kind)?;
    u8::try_from(place).ok()
}

/// The account and the kind of a signed key; none after its last day.
fn read(content: &[u8], now: i64) -> Option<(UserId, MailKind)> {
    let (user_id, rest) = content.split_first_chunk::<8>()?;
    let (last_day, rest) = rest.split_first_chunk::<4>()?;
    let kind = MailKind::ALL.get(usize::from(*rest.first()?))?;
    let is_current = now / DAY <= i64::from(u32::from_be_bytes(*last_day));
    is_current.then(|| (UserId(i64::from_be_bytes(*user_id)), *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"secret";
    const NOW: i64 = 1_800_000_000;

    fn content(key: &str) -> Vec<u8> {
        let content = link_keys::nonce_of(SECRET, Purpose::Unsubscription, key);
        content.unwrap().unwrap()
    }

    #[test]
    fn a_key_names_account_and_kind_until_its_last_day() {
        for kind in [MailKind::Digest, MailKind::MissedMessages] {
            let key = unsubscription_key(SECRET, UserId(70_000), kind, NOW).unwrap();
            let content = content(&key.unwrap());
            let end = NOW + LASTS_DAYS * DAY;
            assert_eq!(read(&content, end), Some((UserId(70_000), kind)));
            assert_eq!(read(&content, end + DAY), None);
        }
    }

    #[test]
    fn mails_that_an_account_needs_have_no_link() {
        for kind in [
            MailKind::PasswordReset,
            MailKind::Invitation,
            MailKind::PasswordChanged,
            MailKind::SecondFactorChanged,
        ] {
            let key = unsubscription_key(SECRET, UserId(7), kind, NOW);
            assert_eq!(key.unwrap(), None);
        }
    }
}
