//! Requests of the rows about user groups.

use spindle_tests::{Call, User, unique};

use crate::Context;

/// Creates a group of this user; returns its id.
fn group_of(user: &User) -> String {
    let name = unique("matrix ");
    let pairs = [("name", &*name), ("description", ""), ("members", "[]")];
    let body = user.post("/user_groups/create", &pairs).ok();
    body["group_id"].as_i64().expect("group_id").to_string()
}

/// The group that a row is about.
fn subject(variant: &str, context: &Context<'_>) -> Option<String> {
    let makes_groups = context.can_call() && context.role() != "guest";
    match variant {
        "" if makes_groups => Some(group_of(&context.caller.user)),
        "" | "other's" => Some(group_of(&context.others.user)),
        // The first group of an organization is a system group.
        "of the system" => Some("1".to_owned()),
        "that is missing" => Some("99999999".to_owned()),
        _ => None,
    }
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let (method, path) = operation.split_once(' ')?;
    let rest = path.strip_prefix("/user_groups")?;
    let own = format!("[{}]", context.others.user.id());
    match rest {
        "" => Some(Call::new(method, path)),
        "/create" => {
            let name = unique("matrix ");
            let pairs = [("name", &*name), ("description", ""), ("members", "[]")];
            Some(Call::new(method, path).form(&pairs))
        }
        _ => {
            let path = path
                .replace("{user_group_id}", &subject(variant, context)?)
                .replace("{user_id}", &context.others.user.id());
            let call = Call::new(method, &path);
            Some(match (method, rest) {
                ("PATCH", _) => call.form(&[("description", "in the matrix")]),
                ("POST", "/{user_group_id}/members") => call.form(&[("add", &own)]),
                ("POST", "/{user_group_id}/subgroups") => call.form(&[("add", "[2]")]),
                _ => call,
            })
        }
    }
}
