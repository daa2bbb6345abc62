//! POST /users (docs/protocol/users.md#create_user).

use spindle_actions::users::{NewAccount, create_person};
use spindle_guest::{Call, Failure, Guard, Hashes, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::post("create-user", "/api/v1/users", Guard::Administrator, run)
        .hashing(Hashes::Always);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let new = NewAccount {
        email: params.required_text("email")?.to_owned(),
        password: Some(params.required_text("password")?.to_owned()),
        full_name: params.required_text("full_name")?.to_owned(),
        ..NewAccount::default()
    };
    let user_id = create_person(call.db()?, call.actor()?, call.now(), &new)?;
    Ok(spindle_wire::Reply::empty()
        .field("user_id", &user_id)?
        .into())
}
