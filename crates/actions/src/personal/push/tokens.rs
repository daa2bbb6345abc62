//! Adds and removes tokens of the deprecated push interface
//! (docs/protocol/push.md#remove_apns_token, docs/protocol/push.md#tokens).

use spindle_domain::limits::MAX_PUSH_TOKEN_LENGTH;
use spindle_domain::limits::quotas::Quota;
use spindle_store::{Connection, SilentReason, push_devices};

use super::TokenKind;
use crate::{ActionError, Actor, change};

/// Registers a token of the caller's; once more changes nothing. Beyond
/// the quota, the oldest is removed. `app_id` is the iOS app's.
///
/// # Errors
/// [`ActionError::BadRequest`] for an empty or too long token, and for one of iOS that is not
/// hexadecimal.
pub fn add_push_token(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    kind: TokenKind,
    token: &str,
    app_id: Option<&str>,
) -> Result<(), ActionError> {
    check_token(kind, token)?;
    if app_id.is_some_and(|app_id| !is_app_id(app_id)) {
        return Err(ActionError::bad_request(
            "appid is not the id of an app of at most 128 characters",
        ));
    }
    change::silently(db, SilentReason::Credentials, |tx| {
        push_devices::insert_token(tx, actor.user_id, kind.name(), token, app_id, now)?;
        push_devices::delete_oldest_tokens(tx, actor.user_id, Quota::PushTokens.limit())?;
        Ok(())
    })
}

/// Removes a token of the caller's.
///
/// # Errors
/// [`ActionError::BadRequest`] as [`add_push_token`], and when the caller has not registered
/// the token.
pub fn remove_push_token(
    db: &dyn Connection,
    actor: &Actor,
    kind: TokenKind,
    token: &str,
) -> Result<(), ActionError> {
    check_token(kind, token)?;
    change::silently(db, SilentReason::Credentials, |tx| {
        if !push_devices::delete_token(tx, actor.user_id, kind.name(), token)? {
            return Err(ActionError::bad_request("This token is not registered"));
        }
        Ok(())
    })
}

fn check_token(kind: TokenKind, token: &str) -> Result<(), ActionError> {
    if token.is_empty() || token.len() > MAX_PUSH_TOKEN_LENGTH {
        return Err(ActionError::BadRequest(format!(
            "A token has 1 to {MAX_PUSH_TOKEN_LENGTH} characters"
        )));
    }
    let is_hexadecimal =
        token.len().is_multiple_of(2) && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if kind == TokenKind::Apns && !is_hexadecimal {
        return Err(ActionError::bad_request("This token is not hexadecimal"));
    }
    Ok(())
}

/// Reverse domain names: letters, digits, dots and hyphens.
fn is_app_id(text: &str) -> bool {
    let is_part_of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    (1..=128).contains(&text.len()) && text.bytes().all(is_part_of_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let longest = "a".repeat(MAX_PUSH_TOKEN_LENGTH);
        for token in ["00ff", "ABCD", longest.as_str()] {
            assert!(check_token(TokenKind::Apns, token).is_ok(), "{token}");
        }
        let longer = "a".repeat(MAX_PUSH_TOKEN_LENGTH + 2);
        for token in ["", "0", "xyz0", "00 f", longer.as_str()] {
            assert!(check_token(TokenKind::Apns, token).is_err(), "{token}");
        }
        assert!(check_token(TokenKind::Fcm, "xyz:_-").is_ok());
        assert!(check_token(TokenKind::Fcm, "").is_err());
        assert!(is_app_id("org.zulip.Zulip") && !is_app_id("") && !is_app_id("a/b"));
    }
}
