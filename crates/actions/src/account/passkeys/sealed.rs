//! The state of a ceremony, as the browser keeps it: readable, and signed for one purpose.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use spindle_domain::UserId;

use super::{CEREMONY_SECONDS, PasskeyHost};
use crate::ActionError;
use crate::account::link_keys::{Purpose, SIGNATURE_LENGTH, is_signature, signature};

/// What is signed.
#[derive(Serialize, Deserialize)]
struct Sealed<S> {
    /// UNIX seconds.
    at: i64,
    /// The person that a passkey is made for.
    user: Option<UserId>,
    state: S,
}

/// Signs a state at `now` (UNIX seconds).
pub(in crate::account) fn seal<S: Serialize>(
    host: PasskeyHost<'_>,
    purpose: Purpose,
    now: i64,
    user: Option<UserId>,
    state: S,
) -> Result<String, ActionError> {
    let text = serde_json::to_vec(&Sealed {
        at: now,
        user,
        state,
    });
    let text = text.map_err(|error| ActionError::Internal(error.to_string()))?;
    let mut sealed = signature(host.secret, purpose, &text)?.to_vec();
    sealed.extend(text);
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// The state in a text and when it was made; none for one that was not signed for this purpose and person, or is too old.
pub(in crate::account) fn open<S: DeserializeOwned>(
    host: PasskeyHost<'_>,
    purpose: Purpose,
    now: i64,
    user: Option<UserId>,
    text: &str,
) -> Result<Option<(i64, S)>, ActionError> {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(text) else {
        return Ok(None);
    };
    let Some((signed, text)) = bytes.split_at_checked(SIGNATURE_LENGTH) else {
        return Ok(None);
    };
    if !is_signature(host.secret, purpose, text, signed)? {
        return Ok(None);
    }
    let sealed: Sealed<S> = serde_json::from_slice(text)
        .map_err(|error| ActionError::Internal(format!("the state of a ceremony: {error}")))?;
    let is_fresh = (0..CEREMONY_SECONDS).contains(&now.saturating_sub(sealed.at));
    let is_valid = is_fresh && sealed.user == user;
    Ok(is_valid.then_some((sealed.at, sealed.state)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: PasskeyHost<'_> = PasskeyHost {
        site: "https://x.org",
        secret: b"secret",
    };

    #[test]
    fn a_state_is_for_one_purpose_person_and_time() {
        let (purpose, ann) = (Purpose::PasskeyEnrolment, Some(UserId::from(7)));
        let sealed = seal(HOST, purpose, 100, ann, "state").unwrap();
        let opened = |host, purpose, now, user, text: &str| {
            open::<String>(host, purpose, now, user, text).unwrap()
        };
        let state = Some((100, "state".to_owned()));
        assert_eq!(opened(HOST, purpose, 100, ann, &sealed), state);
        assert_eq!(opened(HOST, purpose, 399, ann, &sealed), state);
        assert_eq!(opened(HOST, purpose, 400, ann, &sealed), None);
        assert_eq!(opened(HOST, purpose, 99, ann, &sealed), None);
        assert_eq!(opened(HOST, purpose, 100, None, &sealed), None);
        let other = Purpose::PasskeyAnswer;
        assert_eq!(opened(HOST, other, 100, ann, &sealed), None);
        let another = PasskeyHost {
            secret: b"another",
            ..HOST
        };
        assert_eq!(opened(another, purpose, 100, ann, &sealed), None);
        for text in ["", "x", &sealed[1..], &format!("{sealed}A")] {
            assert_eq!(opened(HOST, purpose, 100, ann, text), None, "{text}");
        }
    }
}
