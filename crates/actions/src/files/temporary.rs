//! Addresses of files that work for a minute and need no credentials
//! (docs/protocol/files.md#get_file): for programs that open a file in a browser.
//!
//! The address holds the file's id, the second at which it expires, and a signature over both. The secret is
//! the organization's own and never leaves the database.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use spindle_domain::limits::TEMPORARY_FILE_URL_SECS;
use spindle_domain::{AttachmentId, RealmId};
use spindle_store::attachments::{self, AttachmentRow};
use spindle_store::{Connection, Db, SilentReason, pictures};

use super::read_file;
use crate::account::secrets;
use crate::{ActionError, Actor, change};

/// The path under which the file at `path_id` can be had until `now` (UNIX seconds) and a
/// minute.
///
/// # Errors
/// As [`read_file`].
pub fn temporary_file_path(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    path_id: &str,
) -> Result<String, ActionError> {
    let realm_id = actor.realm_id;
    let file = read_file(db, Some(actor), realm_id, path_id)?;
    let secret = match pictures::secret(db, realm_id)? {
        Some(secret) => secret,
        None => make_secret(db, realm_id)?,
    };
    let last = now.saturating_add(TEMPORARY_FILE_URL_SECS);
    let signature = hexadecimal(&sign(&secret, file.id, last)?.finalize().into_bytes());
    Ok(format!(
        "/user_uploads/temporary/{}-{last}-{signature}/{}",
        file.id,
        last_segment(&file.path_id)
    ))
}

/// Finds the file that a temporary address names.
///
/// # Errors
/// [`ActionError::NotFound`] for an address that is forged, over, or of a file that is gone.
pub fn find_temporary_file(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    token: &str,
    file_name: &str,
) -> Result<AttachmentRow, ActionError> {
    let gone = || ActionError::NotFound("This address is not valid, or no longer".to_owned());
    let (id, last, signature) = parse(token).ok_or_else(gone)?;
    let secret = pictures::secret(db, realm_id)?.ok_or_else(gone)?;
    // Compared without telling by the time where they differ.
    sign(&secret, id, last)?
        .verify_slice(&signature)
        .map_err(|_| gone())?;
    if now > last {
        return Err(gone());
    }
    attachments::by_id(db, realm_id, id)?
        .filter(|file| last_segment(&file.path_id) == file_name)
        .ok_or_else(gone)
}

/// The id, the last second and the signature of a token.
fn parse(token: &str) -> Option<(AttachmentId, i64, Vec<u8>)> {
    let mut parts = token.split('-');
    let (id, last, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let bytes: Option<Vec<u8>> = (0..signature.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok())
        .collect();
    Some((AttachmentId(id.parse().ok()?), last.parse().ok()?, bytes?))
        .filter(|_| parts.next().is_none())
}

fn sign(secret: &[u8], id: AttachmentId, last: i64) -> Result<Hmac<Sha256>, ActionError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret)
        .map_err(|error| ActionError::Internal(format!("the secret is no key: {error}")))?;
    mac.update(b"temporary file ");
    mac.update(&id.get().to_be_bytes());
    mac.update(&last.to_be_bytes());
    Ok(mac)
}

fn make_secret(db: &dyn Connection, realm_id: RealmId) -> Result<Vec<u8>, ActionError> {
    let secret = secrets::new_secret()?;
    let kept = change::silently(db, SilentReason::Credentials, |tx| {
        pictures::keep_secret(tx, realm_id, &secret)?;
        // Another request may have been first.
        Ok(pictures::secret(tx, realm_id)?)
    })?;
    kept.ok_or_else(|| ActionError::Internal("the secret was not kept".to_owned()))
}

fn last_segment(path_id: &str) -> &str {
    path_id.rsplit('/').next().unwrap_or_default()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_three_parts() {
        let parsed = (AttachmentId(5), 100, vec![0, 255]);
        assert_eq!(parse("5-100-00ff"), Some(parsed));
        for token in [
            "",
            "5",
            "5-100",
            "5-100-0",
            "5-100-xx",
            "5-100-00-1",
            "-5-100-00",
            "5-é-00",
        ] {
            assert_eq!(parse(token), None, "{token}");
        }
    }

    #[test]
    fn a_signature_is_for_one_file_and_one_time() {
        let of = |secret: &[u8], id, last| {
            let signed = sign(secret, AttachmentId(id), last).unwrap();
            signed.finalize().into_bytes()
        };
        assert_eq!(of(b"a", 1, 2), of(b"a", 1, 2));
        assert_ne!(of(b"a", 1, 2), of(b"b", 1, 2));
        assert_ne!(of(b"a", 1, 2), of(b"a", 2, 2));
        assert_ne!(of(b"a", 1, 2), of(b"a", 1, 3));
    }
}
