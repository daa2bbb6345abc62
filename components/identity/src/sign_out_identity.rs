//! GET /accounts/login/openid/{provider}/sign_out: sends a browser to an identity provider to sign out there
//! (docs/protocol/identity.md#sign_out_identity).

use spindle_guest::{Call, Failure, Guard, Operation, Reply, Task};

use crate::provider;

pub(crate) const OPERATION: Operation = Operation::get(
    "sign-out-identity",
    "/accounts/login/openid/{provider}/sign_out",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let task = Task::IdentitySignOut {
        provider: provider::named(call)?.to_owned(),
        redirect_uri: format!("{}/", call.external_url()),
    };
    Ok(provider::by_host(task, None))
}
