//! GET /accounts/login/subdomain/{token}: where the app of a computer goes with the token that was pasted into it
//! (docs/protocol/second-factor.md#open_app_token).

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "open-app-token",
    "/accounts/login/subdomain/{token}",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let token = call.path_text("token")?;
    let token: String = token.chars().filter(char::is_ascii_hexdigit).collect();
    Reply::redirect(&format!("/#sign-in/{token}"))
}
