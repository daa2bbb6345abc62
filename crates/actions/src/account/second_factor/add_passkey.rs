//! Makes a passkey of the caller.

use serde_json::{Value, json};
use spindle_domain::PasskeyId;
use spindle_domain::limits::MAX_KEY_NAME_LENGTH;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::text::Form;
use spindle_store::{Connection, DbError, audit, passkeys};
use webauthn_rs::prelude::{PasskeyRegistration, RegisterPublicKeyCredential, Uuid};

use super::announce;
use super::enrol::{begin_to_count, prove};
use crate::account::link_keys::Purpose;
use crate::account::passkeys::check::write;
use crate::account::passkeys::sealed::{open, seal};
use crate::account::passkeys::{PasskeyChallenge, PasskeyHost};
use crate::account::secrets;
use crate::text::{accept, check_length};
use crate::{ActionError, Actor, change, quota};

const HANDLE_LENGTH: usize = 16;

/// The answer of a device, with what the person calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewPasskey<'a> {
    /// Of the challenge.
    pub state: &'a str,
    /// In the JSON form of WebAuthn.
    pub credential: &'a str,
    pub name: &'a str,
}

/// A passkey that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedPasskey {
    pub id: PasskeyId,
    /// For an account that had no second factor before; they cannot be read again.
    pub recovery_codes: Vec<String>,
}

/// Begins to make a passkey of the caller at `now` (UNIX seconds); they prove themselves as for an app.
///
/// # Errors
/// [`ActionError::BadRequest`] where no passkeys can be made; otherwise as
/// [`begin_totp`](crate::account::begin_totp).
pub fn begin_passkey(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    host: PasskeyHost<'_>,
    password: Option<&str>,
) -> Result<PasskeyChallenge, ActionError> {
    host.id()?;
    prove(db, actor, now, password)?;
    let all = passkeys::list(db, actor.user_id)?;
    let handle = match all.first() {
        Some(passkey) => Uuid::from_slice(&passkey.user_handle)
            .map_err(|error| ActionError::Internal(error.to_string()))?,
        None => Uuid::from_bytes(secrets::new_nonce::<HANDLE_LENGTH>()?),
    };
    let known = all.into_iter().map(|passkey| passkey.credential_id);
    let begun = host
        .webauthn(&actor.realm_name)?
        .start_passkey_registration(
            handle,
            &actor.delivery_email,
            &actor.full_name,
            Some(known.collect()),
        );
    let (options, state) =
        begun.map_err(|error| ActionError::Internal(format!("a new passkey: {error}")))?;
    let options = serde_json::to_value(options.public_key);
    let mut options = options.map_err(|error| ActionError::Internal(error.to_string()))?;
    // A passkey that its device does not find by itself could not sign in alone.
    if let Some(Value::Object(wanted)) = options.get_mut("authenticatorSelection") {
        wanted.insert("residentKey".to_owned(), json!("required"));
        wanted.insert("requireResidentKey".to_owned(), json!(true));
    }
    let state = (handle, state);
    let own = Some(actor.user_id);
    Ok(PasskeyChallenge {
        options,
        state: seal(host, Purpose::PasskeyEnrolment, now, own, state)?,
    })
}

/// Stores the passkey that a device has made, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] for an answer that is wrong or too late, a name that is blank or too long, and one passkey
/// too many.
pub fn confirm_passkey(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    host: PasskeyHost<'_>,
    new: NewPasskey<'_>,
) -> Result<AddedPasskey, ActionError> {
    let name = accept(Form::Name, "name", new.name)?;
    let name = check_length("name", &name, MAX_KEY_NAME_LENGTH)?;
    let wrong = || ActionError::bad_request("The answer of the device is wrong or came too late");
    let answer: RegisterPublicKeyCredential =
        serde_json::from_str(new.credential).map_err(|_| wrong())?;
    let own = Some(actor.user_id);
    let opened = open(host, Purpose::PasskeyEnrolment, now, own, new.state)?;
    let (_, (handle, state)): (_, (Uuid, PasskeyRegistration)) = opened.ok_or_else(wrong)?;
    let webauthn = host.webauthn(&actor.realm_name)?;
    let passkey = webauthn
        .finish_passkey_registration(&answer, &state)
        .map_err(|_| wrong())?;
    let credential = write(&passkey)?;
    let new = passkeys::NewPasskey {
        credential_id: passkey.cred_id(),
        user_handle: handle.as_bytes(),
        credential: &credential,
        rp_id: host.id()?,
        name,
    };
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let id = match passkeys::insert(tx, actor.user_id, now, new) {
            Err(DbError::NotUnique(_)) => {
                return Err(ActionError::bad_request("This passkey is in use already"));
            }
            inserted => inserted?,
        };
        quota::check(tx, Quota::Passkeys, actor.user_id)?;
        let data = json!({"passkey_id": id, "name": name}).to_string();
        audit::append(tx, realm_id, now, own, own, "user_passkey_added", &data)?;
        announce(tx, (realm_id, actor.user_id), now, "passkey_added")?;
        let (recovery_codes, ended) = begin_to_count(tx, actor, now)?;
        Ok(change::outcome(AddedPasskey { id, recovery_codes }, ended))
    })
}
