//! GET /accounts/login/openid/{provider}/icon: the icon of an identity provider
//! (docs/protocol/identity.md#get_identity_icon).

use spindle_guest::{Call, Failure, Guard, Operation, Reply, Task};

use crate::provider;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-identity-icon",
    "/accounts/login/openid/{provider}/icon",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let provider = provider::named(call)?.to_owned();
    Ok(provider::by_host(Task::IdentityIcon { provider }, None))
}
