//! POST /sessions/current/app_flow: signs the caller in to an app, from the browser that it has opened
//! (docs/protocol/second-factor.md#sign_in_app).
//!
//! An operation of its own, called by a click: a page of another site can send people to the page, but not make it go on.

use serde_json::json;
use spindle_actions::account::{AppSignIn, OneTimePad, sign_in_app};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::post(
    "sign-in-app",
    "/api/v1/sessions/current/app_flow",
    Guard::Human,
    run,
)
.needing(Scope::Account);

const PHONE: &str = "mobile_flow_otp";
const DESKTOP: &str = "desktop_flow_otp";

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let pad = |name: &str| {
        let text = call.params.optional_text(name);
        text.map(|text| OneTimePad::read(text).ok_or_else(|| wrong(name)))
            .transpose()
    };
    let app = match (pad(PHONE)?, pad(DESKTOP)?) {
        (Some(pad), None) => AppSignIn::Phone(pad),
        (None, Some(pad)) => AppSignIn::Desktop(pad),
        (Some(_), Some(_)) => {
            return Err(ApiError::incompatible_parameters(&[PHONE, DESKTOP]).into());
        }
        (None, None) => return Err(ApiError::variable_missing(PHONE).into()),
    };
    let (url, client) = (call.external_url(), format!("App, by {}", call.browser()));
    let (db, actor, origin) = (call.db()?, call.actor()?, call.sign_in_origin(&client));
    let made = sign_in_app(db, actor, call.now(), &url, app, origin)?;
    let fields = match app {
        AppSignIn::Phone(_) => json!({"app_url": made}),
        AppSignIn::Desktop(_) => json!({"app_token": made}),
    };
    Ok(spindle_wire::Reply::of(&fields)?.into())
}

fn wrong(name: &str) -> ApiError {
    ApiError::bad_request(format!("{name} must be 64 hexadecimal digits"))
}
