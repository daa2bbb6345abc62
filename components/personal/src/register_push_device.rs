//! POST /mobile_push/register (docs/protocol/push.md#devices,
//! docs/protocol/differences.md#push-devices).
//!
//! Requests with `device_id` have the form since feature level 468, those with `push_account_id` the
//! earlier one.

use spindle_actions::personal::{
    PushKey, PushRegistration, PushToken, TokenKind, register_push_device,
};
use spindle_domain::errors::ClientError;
use spindle_domain::{DeviceId, PushAccountId};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation = Operation::post(
    "register-push-device",
    "/api/v1/mobile_push/register",
    Guard::Human,
    run,
);

const TOKEN_KINDS: &[(&str, TokenKind)] = &[("apns", TokenKind::Apns), ("fcm", TokenKind::Fcm)];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let registration = registration(&call.params)?;
    register_push_device(call.db()?, call.actor()?, call.now(), &registration)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn registration(params: &Params<'_>) -> Result<PushRegistration, ApiError> {
    let device_id: Option<DeviceId> = params.optional("device_id")?;
    let push_account_id: Option<PushAccountId> = params.optional("push_account_id")?;
    match (device_id, push_account_id) {
        (Some(device_id), None) => Ok(PushRegistration::Device {
            device_id,
            key: optional_key(params)?,
            token: optional_token(params)?,
        }),
        (None, Some(push_account_id)) => Ok(PushRegistration::Account {
            push_account_id,
            token: token(params, None)?,
            key: PushKey {
                push_key: params.required_text("push_key")?.to_owned(),
                push_key_id: None,
            },
        }),
        (Some(_), Some(_)) => Err(ClientError::RequestConfusingVar {
            first: "device_id".to_owned(),
            second: "push_account_id".to_owned(),
        }
        .into()),
        (None, None) => Err(ApiError::variable_missing("device_id")),
    }
}

/// The key and its id must be sent together.
fn optional_key(params: &Params<'_>) -> Result<Option<PushKey>, ApiError> {
    let is_sent = params.contains("push_key") || params.contains("push_key_id");
    is_sent
        .then(|| {
            Ok(PushKey {
                push_key: params.required_text("push_key")?.to_owned(),
                push_key_id: Some(params.required("push_key_id")?),
            })
        })
        .transpose()
}

/// The four fields of a token must be sent together.
fn optional_token(params: &Params<'_>) -> Result<Option<PushToken>, ApiError> {
    const NAMES: [&str; 4] = [
        "bouncer_public_key",
        "encrypted_push_registration",
        "token_id",
        "token_kind",
    ];
    if !NAMES.iter().any(|name| params.contains(name)) {
        return Ok(None);
    }
    let token_id = params.required_text("token_id")?.to_owned();
    token(params, Some(token_id)).map(Some)
}

fn token(params: &Params<'_>, token_id: Option<String>) -> Result<PushToken, ApiError> {
    Ok(PushToken {
        token_id,
        bouncer_public_key: params.required_text("bouncer_public_key")?.to_owned(),
        encrypted_push_registration: params
            .required_text("encrypted_push_registration")?
            .to_owned(),
        kind: params
            .optional_enum("token_kind", TOKEN_KINDS)?
            .ok_or_else(|| ApiError::variable_missing("token_kind"))?,
    })
}
