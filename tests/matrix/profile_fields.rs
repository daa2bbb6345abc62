//! Requests of the rows about custom profile fields.

use spindle_tests::{Call, unique};

use crate::Context;

const PATH: &str = "/realm/profile_fields";

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let missing = format!("{PATH}/999999");
    // Only administrators can create one; for the others any will do.
    let existing = || match context.role() {
        "owner" | "admin" => {
            let pairs = [
                ("name", unique(context.column)),
                ("field_type", "8".to_owned()),
            ];
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (*n, v.as_str())).collect();
            let made = context.caller.client.post(PATH, &pairs).ok();
            format!("{PATH}/{}", made["id"])
        }
        _ => format!("{PATH}/1"),
    };
    match (operation, variant) {
        ("GET /realm/profile_fields", "") => Some(Call::new("GET", PATH)),
        ("POST /realm/profile_fields", "") => {
            let name = unique(context.column);
            Some(Call::new("POST", PATH).form(&[("name", &name), ("field_type", "1")]))
        }
        // A list without the fields that other rows have created.
        ("PATCH /realm/profile_fields", "incomplete") => {
            Some(Call::new("PATCH", PATH).form(&[("order", "[]")]))
        }
        ("PATCH /realm/profile_fields", "") => {
            let all: Vec<i64> = (1..1000).collect();
            let order = serde_json::to_string(&all).expect("JSON");
            Some(Call::new("PATCH", PATH).form(&[("order", &order)]))
        }
        ("PATCH /realm/profile_fields/{field_id}", "") => {
            Some(Call::new("PATCH", &existing()).form(&[("hint", "from the matrix")]))
        }
        ("DELETE /realm/profile_fields/{field_id}", "") => Some(Call::new("DELETE", &existing())),
        ("PATCH /realm/profile_fields/{field_id}", "missing") => {
            Some(Call::new("PATCH", &missing).form(&[("name", "x")]))
        }
        ("DELETE /realm/profile_fields/{field_id}", "missing") => {
            Some(Call::new("DELETE", &missing))
        }
        _ => None,
    }
}
