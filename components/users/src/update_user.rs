//! PATCH /users/{user_id} and PATCH /users/{email} (docs/protocol/users.md#update_user).

use spindle_actions::users::{UserUpdate, update_user};
use spindle_domain::narrow::UserReference;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::named_user;

/// Owners of bots may call it, so the check for administrators comes after the lookup of the account.
pub(crate) const BY_ID: Operation =
    Operation::patch("update-user", "/api/v1/users/{user_id}", Guard::User, by_id)
        .with_credentials_in(CREDENTIALS);

pub(crate) const BY_EMAIL: Operation = Operation::patch(
    "update-user-by-email",
    "/api/v1/users/{email}",
    Guard::User,
    by_email,
)
.with_credentials_in(CREDENTIALS);

/// A link that sets a new password is mailed to it.
const CREDENTIALS: &[&str] = &["new_email"];

fn by_id(call: &Call<'_>) -> Result<Reply, Failure> {
    run(call, &named_user::by_id(call)?)
}

fn by_email(call: &Call<'_>) -> Result<Reply, Failure> {
    run(call, &named_user::by_email(call)?)
}

fn run(call: &Call<'_>, user: &UserReference) -> Result<Reply, Failure> {
    let text = |name| call.params.optional_text(name).map(str::to_owned);
    let update = UserUpdate {
        full_name: text("full_name"),
        new_email: text("new_email"),
        profile_data: call.params.optional("profile_data")?,
        role: call.params.optional("role")?,
    };
    let realm_url = call.site().to_owned();
    update_user(
        call.db()?,
        call.actor()?,
        call.now(),
        user,
        &update,
        &realm_url,
    )?;
    Ok(spindle_wire::Reply::empty().into())
}
