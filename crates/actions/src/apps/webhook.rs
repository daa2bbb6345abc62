//! A call to the webhook of an app (docs/protocol/apps.md#webhooks).

use spindle_domain::apps::{Entry, EventKind, Happening, Scope, limits};
use spindle_store::{Connection, Db, SilentReason, apps};

use crate::app_events::{Installed, note};
use crate::{ActionError, Actor, change};

/// A call as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedCall {
    pub content_type: String,
    /// Without the key.
    pub query: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Notes a call for the app whose key is in the address, at `now` (UNIX seconds). Returns the account of the app, for which
/// the call counts.
///
/// # Errors
/// [`ActionError::WrongCredentials`] for a key of no app; [`ActionError::BadRequest`] when the body is too long, or the app
/// does not run or may not receive calls.
pub fn receive_app_call(
    db: &dyn Connection,
    now: i64,
    key: &str,
    call: &ReceivedCall,
) -> Result<(), ActionError> {
    if call.body.len() > limits::WEBHOOK_BYTES {
        return Err(ActionError::BadRequest(format!(
            "An app receives {} bytes at most",
            limits::WEBHOOK_BYTES
        )));
    }
    let what = Happening::Webhook {
        content_type: call.content_type.clone(),
        query: call
            .query
            .iter()
            .map(|(key, value)| Entry {
                key: key.clone(),
                value: value.clone(),
            })
            .collect(),
        body: call.body.clone(),
    };
    change::silently(db, SilentReason::Apps, |tx| {
        let (app, _) = found(tx, key)?;
        match note(tx, &app, now, Scope::App, None, &what)? {
            true => Ok(()),
            false => Err(ActionError::bad_request(
                "Too many events of this app are waiting; send the call again later",
            )),
        }
    })
}

impl ReceivedCall {
    /// The account of the app with this key, if it takes calls.
    ///
    /// # Errors
    /// As [`receive_app_call`].
    pub fn account(db: &dyn Db, key: &str) -> Result<Actor, ActionError> {
        Ok(found(db, key)?.1)
    }
}

fn found(db: &dyn Db, key: &str) -> Result<(Installed, Actor), ActionError> {
    let row = apps::by_webhook_key(db, key)?.ok_or(ActionError::WrongCredentials)?;
    let app = Installed::of(row)?;
    let bot = app.bot(db)?;
    match bot {
        Some(bot)
            if app.row.state == "active" && app.rights.events.contains(&EventKind::Webhook) =>
        {
            Ok((app, bot))
        }
        _ => Err(ActionError::bad_request(
            "This app does not receive calls now",
        )),
    }
}
