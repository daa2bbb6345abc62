//! GET /users/{user_id} and GET /users/{email} (docs/protocol/users.md#get_user_by_email).

use spindle_actions::users::get_user;
use spindle_domain::narrow::UserReference;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::get_users::form;
use crate::named_user;

pub(crate) const BY_ID: Operation =
    Operation::get("get-user", "/api/v1/users/{user_id}", Guard::User, by_id);

pub(crate) const BY_EMAIL: Operation = Operation::get(
    "get-user-by-email",
    "/api/v1/users/{email}",
    Guard::User,
    by_email,
);

fn by_id(call: &Call<'_>) -> Result<Reply, Failure> {
    run(call, &named_user::by_id(call)?)
}

fn by_email(call: &Call<'_>) -> Result<Reply, Failure> {
    run(call, &named_user::by_email(call)?)
}

fn run(call: &Call<'_>, user: &UserReference) -> Result<Reply, Failure> {
    let form = form(&call.params)?;
    let user = get_user(call.db()?, call.actor()?, user, form)?;
    Ok(spindle_wire::Reply::raw_value("user", user).into())
}
