//! Requests of the rows about users and their statuses.

use spindle_tests::{Call, Server, unique};

use crate::Context;
use crate::bots::of_role;
use crate::invitations::owner;
use crate::server::{identity_of, key_of, others_session};

/// The id of an account whose sessions and keys end.
fn whose(variant: &str, context: &Context<'_>) -> String {
    match variant {
        "own" => context.caller.user.id(),
        "missing" => MISSING.to_owned(),
        _ => Server::shared().user("member").id(),
    }
}

/// An id without a user.
const MISSING: &str = "999999";

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let status_of = |id: String| Some(Call::new("GET", &format!("/users/{id}/status")));
    let user = |method: &str, name: String| Some(Call::new(method, &format!("/users/{name}")));
    let reactivate = |id: String| Some(Call::new("POST", &format!("/users/{id}/reactivate")));
    let set_status_of = |id: String| {
        let call = Call::new("POST", &format!("/users/{id}/status"));
        Some(call.form(&[("status_text", "set in the matrix")]))
    };
    if let Some(role) = variant.strip_prefix("bot ")
        && let Some(id) = of_role(role, context)
    {
        let name = [("full_name", unique("Matrix bot "))];
        let name = name.each_ref().map(|(name, value)| (*name, value.as_str()));
        return match operation {
            "PATCH /users/{user_id}" => Some(user("PATCH", id)?.form(&name)),
            "DELETE /users/{user_id}" => user("DELETE", id),
            "POST /users/{user_id}/reactivate" => reactivate(id),
            _ => None,
        };
    }
    match (operation, variant) {
        ("GET /users/me", "") => Some(Call::new("GET", "/users/me")),
        ("GET /users/{user_id}/status", "") => status_of(context.others.user.id()),
        ("GET /users/{user_id}/status", "of a bot") => status_of(context.others.bot.id()),
        ("POST /users/me/status", "") => {
            let pairs = [("status_text", "in the matrix")];
            Some(Call::new("POST", "/users/me/status").form(&pairs))
        }
        ("GET /users", "") => Some(Call::new("GET", "/users")),
        ("GET /users/{user_id}", "") => user("GET", context.others.user.id()),
        ("GET /users/{user_id}", "missing") => user("GET", MISSING.to_owned()),
        ("GET /users/{email}", "") => user("GET", context.others.user.email.clone()),
        ("PATCH /users/{email}", "") => user("PATCH", context.others.user.email.clone()),
        ("PATCH /users/{user_id}", "") => user("PATCH", context.others.user.id()),
        ("PATCH /users/{user_id}", "missing") => user("PATCH", MISSING.to_owned()),
        ("PATCH /users/{user_id}", "own") => user("PATCH", context.caller.user.id()),
        ("POST /users/{user_id}/reactivate", "") => reactivate(context.others.user.id()),
        ("POST /users/{user_id}/reactivate", "missing") => reactivate(MISSING.to_owned()),
        // It would deactivate all users of the row; that it works is tested in the conformance
        // tests.
        ("DELETE /users/{user_id}", "missing") => user("DELETE", MISSING.to_owned()),
        ("DELETE /users/{user_id}", "other's bot") => user("DELETE", context.others.bot.id()),
        ("DELETE /users/me", "") => Some(Call::new("DELETE", "/users/me")),
        ("POST /users", "") => Some(Call::new("POST", "/users").form(&[
            ("email", "matrix@example.com"),
            ("password", "three words, unrelated"),
            ("full_name", "Matrix Person"),
        ])),
        ("POST /users/{user_id}/status", "") => set_status_of(context.others.user.id()),
        ("POST /users/{user_id}/status", "of a bot") => set_status_of(context.others.bot.id()),
        ("GET /users/{user_id}/sessions", _) => Some(Call::new(
            "GET",
            &format!("/users/{}/sessions", whose(variant, context)),
        )),
        ("DELETE /users/{user_id}/sessions", _) => Some(Call::new(
            "DELETE",
            &format!("/users/{}/sessions", whose(variant, context)),
        )),
        ("GET /users/{user_id}/api_keys", _) => Some(Call::new(
            "GET",
            &format!("/users/{}/api_keys", whose(variant, context)),
        )),
        ("DELETE /users/{user_id}/api_keys/{key_id}", _) => {
            let (id, of) = match variant {
                "own" => (context.caller.user.id(), context.caller.user.user_id),
                _ => (context.others.user.id(), context.others.user.user_id),
            };
            let key = key_of(of);
            let path = format!("/users/{id}/api_keys/{key}");
            Some(Call::new("DELETE", &path))
        }
        ("GET /users/{user_id}/identities", _) => Some(Call::new(
            "GET",
            &format!("/users/{}/identities", whose(variant, context)),
        )),
        ("DELETE /users/{user_id}/identities/{identity_id}", _) => {
            let (id, of) = match variant {
                "own" => (context.caller.user.id(), context.caller.user.user_id),
                _ => (context.others.user.id(), context.others.user.user_id),
            };
            let path = format!("/users/{id}/identities/{}", identity_of(of));
            Some(Call::new("DELETE", &path))
        }
        ("DELETE /users/{user_id}/api_keys", _) => Some(Call::new(
            "DELETE",
            &format!("/users/{}/api_keys", whose(variant, context)),
        )),
        ("DELETE /users/{user_id}/sessions/{session_id}", _) => {
            let id = match variant {
                "own" => context.caller.user.id(),
                _ => context.others.user.id(),
            };
            let path = format!("/users/{id}/sessions/{}", others_session(context));
            Some(Call::new("DELETE", &path))
        }
        ("DELETE /users/{user_id}/second_factor", _) => {
            let id = match variant {
                "" => context.others.user.id(),
                "own" => context.caller.user.id(),
                "of an owner" => Server::shared().user("owner").id(),
                "of an administrator" => Server::shared().user("administrator").id(),
                _ => MISSING.to_owned(),
            };
            if variant != "own" {
                let set = "UPDATE users SET second_factor_since = 1 WHERE id = ?1";
                let database = Server::shared().database();
                database
                    .execute(set, [id.parse::<i64>().expect("an id")])
                    .expect("a user");
            }
            let path = format!("/users/{id}/second_factor");
            Some(Call::new("DELETE", &path))
        }
        ("POST /users/{user_id}/password_link", _) => {
            let id = match variant {
                "" => context.others.user.id(),
                "own" => context.caller.user.id(),
                "of an owner" => owner().id(),
                "of an administrator" => Server::shared().user("administrator").id(),
                _ => MISSING.to_owned(),
            };
            Some(Call::new("POST", &format!("/users/{id}/password_link")))
        }
        ("POST /password_links/use", "") => {
            let path = format!(
                "/users/{}/password_link",
                Server::shared().user("member").id()
            );
            let made = owner().post(&path, &[]).ok();
            let link = made["password_link"].as_str().expect("a link");
            let (_, token) = link.rsplit_once('/').expect("a token");
            let pairs = [("token", token), ("new_password", "three words, unrelated")];
            Some(Call::new("POST", "/password_links/use").form(&pairs))
        }
        // The server of this table sends no mail.
        ("POST /password_resets", "") => {
            Some(Call::new("POST", "/password_resets").form(&[("email", "a@example.com")]))
        }
        ("POST /address_confirmations", "") => {
            Some(Call::new("POST", "/address_confirmations").form(&[("token", "x")]))
        }
        ("POST /unsubscriptions", "") => {
            Some(Call::new("POST", "/unsubscriptions").form(&[("key", "x")]))
        }
        ("GET /unsubscriptions", "") => {
            Some(Call::new("GET", "/unsubscriptions").query(&[("key", "x")]))
        }
        ("PATCH /users/me/profile_data", "") => {
            Some(Call::new("PATCH", "/users/me/profile_data").form(&[("data", "[]")]))
        }
        ("DELETE /users/me/profile_data", "") => {
            Some(Call::new("DELETE", "/users/me/profile_data").form(&[("data", "[]")]))
        }
        _ => None,
    }
}
