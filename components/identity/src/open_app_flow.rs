//! GET /accounts/login/browser: where an app opens a browser to sign a person in
//! (docs/protocol/second-factor.md#open_app_flow).
//!
//! Redirects to the page alone: the parameters only choose a place of the page.

use spindle_actions::account::OneTimePad;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "open-app-flow",
    "/accounts/login/browser",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let of = |name: &str| {
        let pad = call.params.optional_text(name);
        pad.filter(|pad| OneTimePad::read(pad).is_some())
    };
    let place = match (of("mobile_flow_otp"), of("desktop_flow_otp")) {
        (Some(pad), _) => format!("/#sign-in-app/phone/{pad}"),
        (None, Some(pad)) => format!("/#sign-in-app/desktop/{pad}"),
        (None, None) => "/".to_owned(),
    };
    Reply::redirect(&place)
}
