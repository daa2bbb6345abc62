//! Requests of the rows about people and their statuses.

use spindle_tests::Call;

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let status_of = |id: String| Some(Call::new("GET", &format!("/users/{id}/status")));
    match (operation, variant) {
        ("GET /users/me", "") => Some(Call::new("GET", "/users/me")),
        ("GET /users/{user_id}/status", "") => status_of(context.others.user.id()),
        ("GET /users/{user_id}/status", "of a bot") => status_of(context.others.bot.id()),
        ("POST /users/me/status", "") => {
            let pairs = [("status_text", "in the matrix")];
            Some(Call::new("POST", "/users/me/status").form(&pairs))
        }
        _ => None,
    }
}
