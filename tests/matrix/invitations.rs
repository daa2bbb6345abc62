//! Requests of the rows about invitations and joining.

use std::sync::OnceLock;

use spindle_tests::{Call, Server, User, unique};

use crate::{Context, PASSWORD};

/// Creates an object that only an owner can create, for callers of other roles.
pub(crate) fn owner() -> &'static User {
    static OWNER: OnceLock<User> = OnceLock::new();
    OWNER.get_or_init(|| Server::shared().user("owner"))
}

fn address() -> String {
    format!("{}@example.com", unique("matrix").to_lowercase())
}

/// Id and key of a new invitation that `inviter` has sent to an address.
fn invitation(inviter: &User, role: &str) -> (String, String) {
    let email = address();
    let pairs = [("invitee_emails", email.as_str()), ("invite_as", role)];
    inviter.post("/invites", &pairs).ok();
    let listed = inviter.get("/invites", &[]).ok();
    let listed = listed["invites"].as_array().expect("invitations");
    let found = listed.iter().find(|one| one["email"] == email.as_str());
    let found = found.expect("the invitation");
    let link = found["link_url"].as_str().expect("a link");
    let key = link.rsplit('/').next().expect("a key");
    (found["id"].to_string(), key.to_owned())
}

/// Id of a link of the owner that admits many accounts.
fn link() -> String {
    owner().post("/invites/multiuse", &[]).ok();
    let listed = owner().get("/invites", &[]).ok();
    let listed = listed["invites"].as_array().expect("invitations").iter();
    let mut links = listed.filter(|one| one["is_multiuse"] == true);
    links.next_back().expect("the link")["id"].to_string()
}

/// Id of an invitation of the caller, or of another user where the caller can create none.
fn own(context: &Context<'_>) -> String {
    let makes = context.role() != "guest" && !context.is_bot() && context.can_call();
    let inviter = if makes { &context.caller.user } else { owner() };
    invitation(inviter, "400").0
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let role = match variant {
        "as administrator" | "other's as administrator" => "200",
        "as owner" | "other's as owner" => "100",
        _ => "400",
    };
    Some(match (operation, variant) {
        ("GET /invites", _) => Call::new("GET", "/invites"),
        ("POST /invites", _) => {
            let email = address();
            let pairs = [("invitee_emails", email.as_str()), ("invite_as", role)];
            Call::new("POST", "/invites").form(&pairs)
        }
        ("POST /invites/multiuse", _) => {
            Call::new("POST", "/invites/multiuse").form(&[("invite_as", role)])
        }
        ("DELETE /invites/{invite_id}", "") => {
            Call::new("DELETE", &format!("/invites/{}", own(context)))
        }
        ("DELETE /invites/{invite_id}", _) => Call::new(
            "DELETE",
            &format!("/invites/{}", invitation(owner(), role).0),
        ),
        ("DELETE /invites/multiuse/{invite_id}", _) => {
            Call::new("DELETE", &format!("/invites/multiuse/{}", link()))
        }
        ("POST /invites/{invite_id}/resend", "") => {
            Call::new("POST", &format!("/invites/{}/resend", own(context)))
        }
        ("POST /invites/{invite_id}/resend", _) => {
            let id = invitation(owner(), role).0;
            Call::new("POST", &format!("/invites/{id}/resend"))
        }
        ("GET /invites/join", "") => {
            let key = invitation(owner(), role).1;
            Call::new("GET", "/invites/join").query(&[("key", &key)])
        }
        ("GET /invites/join", _) => Call::new("GET", "/invites/join"),
        ("POST /invites/join", _) => {
            let key = invitation(owner(), role).1;
            let name = unique("Matrix ");
            let pairs = [
                ("key", key.as_str()),
                ("full_name", name.as_str()),
                ("password", PASSWORD),
            ];
            Call::new("POST", "/invites/join").form(&pairs)
        }
        _ => return None,
    })
}
