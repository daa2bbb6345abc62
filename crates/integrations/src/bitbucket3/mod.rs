//! Bitbucket Server and Data Center.
//!
//! The body names the event.
//!
//! Ignored: mirrors that were synchronized.

mod pull_requests;
mod repositories;

use crate::forge::{BRANCHES, Event, Options};
use crate::text::{bold, code, linked};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

pub(crate) static BITBUCKET3: Integration = Integration {
    name: "bitbucket3",
    display_name: "Bitbucket Server",
    setup: "Repository settings > Webhooks > Create webhook\n\
            URL: ADDRESS\n\
            Secret: SECRET",
    events: &[
        "diagnostics:ping",
        "pr:comment:added",
        "pr:comment:deleted",
        "pr:comment:edited",
        "pr:declined",
        "pr:deleted",
        "pr:from_ref_updated",
        "pr:merged",
        "pr:modified",
        "pr:opened",
        "pr:reviewer:approved",
        "pr:reviewer:changes_requested",
        "pr:reviewer:needs_work",
        "pr:reviewer:unapproved",
        "pr:reviewer:updated",
        "pr:to_ref_updated",
        "project:modified",
        "repo:comment:added",
        "repo:comment:deleted",
        "repo:comment:edited",
        "repo:forked",
        "repo:modified",
        "repo:refs_changed",
        "repo:secret_detected",
    ],
    url_options: &[BRANCHES],
    proof: Some(Proof::Sha256 {
        header: "x-hub-signature",
        prefix: "sha256=",
    }),
    delivery_header: Some("x-request-id"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("test").is_true() {
        return ping("");
    }
    let key = match body.at("eventKey").str() {
        "" => call.header("x-event-key"),
        key => key,
    };
    if key == "mirror:repo_synchronized" {
        return Outcome::Ignored;
    }
    let Some(kind) = BITBUCKET3
        .events
        .iter()
        .copied()
        .find(|event| *event == key)
    else {
        return Outcome::Unknown;
    };
    if kind == "diagnostics:ping" {
        return ping(body.at("repository/name").str());
    }
    let hook = Hook {
        event: Event {
            kind,
            who: name(body.at("actor")),
            place: body
                .first(&[
                    "repository/name",
                    "pullRequest/toRef/repository/name",
                    "new/name",
                    "project/name",
                ])
                .str(),
        },
        body,
        option: call.option,
    };
    match kind {
        "repo:refs_changed" => repositories::push(&hook),
        _ if kind.starts_with("pr:") => pull_requests::pull_request(&hook),
        _ if kind.starts_with("repo:comment:") => repositories::commit_comment(&hook),
        _ => repositories::repository(&hook),
    }
}

fn ping(repository: &str) -> Outcome {
    let of = if repository.is_empty() {
        String::new()
    } else {
        format!(" of {}", bold(repository))
    };
    let sentence = format!("The webhook{of} is set up.");
    let topic = if repository.is_empty() {
        "Bitbucket"
    } else {
        repository
    };
    Message::new("diagnostics:ping", topic, [&*sentence]).into()
}

struct Hook<'a> {
    event: Event<'a>,
    body: Node<'a>,
    option: Options<'a>,
}

impl Hook<'_> {
    fn did(&self, about: &str, deed: &str, quoted: &str) -> Outcome {
        self.event
            .said(about, &format!("{} {deed}", self.event.who()), quoted)
            .into()
    }
}

fn name(node: Node<'_>) -> &str {
    node.first(&["displayName", "name"]).str()
}

/// The address of an object's page.
fn own_page(node: Node<'_>) -> &str {
    node.at("links/self/0/href").str()
}

/// A comment on a pull request or commit, in Markdown, at this address.
fn comment(hook: &Hook<'_>, about: &str, it: &str, base: &str) -> Outcome {
    let node = hook.body.at("comment");
    let action = if hook.event.kind.starts_with("pr:") {
        "overview?commentId="
    } else {
        "?commentId="
    };
    let id = node.at("id").text();
    let url = match (base.is_empty(), action.starts_with('?')) {
        (true, _) => String::new(),
        (false, true) => format!("{base}{action}{id}"),
        (false, false) => format!("{base}/{action}{id}"),
    };
    let anchor = node.first(&["anchor", "commentAnchor"]);
    let place = match (anchor.at("path").str(), anchor.at("line").number()) {
        ("", _) => String::new(),
        (path, Some(line)) => format!("{} in ", code(&format!("{path}:{line}"))),
        (path, None) => format!("{} in ", code(path)),
    };
    let text = node.at("text").str();
    let kind = if node.at("severity").str() == "BLOCKER" {
        "task"
    } else {
        "comment"
    };
    let (deed, quoted) = match hook.event.kind.rsplit(':').next().unwrap_or_default() {
        "edited" => (
            format!("edited a {} on {place}{it}", linked(kind, &url)),
            text,
        ),
        "deleted" => (format!("deleted a {kind} on {place}{it}"), ""),
        _ if kind == "task" => (
            format!("added a {} to {place}{it}", linked(kind, &url)),
            text,
        ),
        _ => (
            format!("{} on {place}{it}", linked("commented", &url)),
            text,
        ),
    };
    hook.did(about, &deed, quoted)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::BITBUCKET3;
    use crate::testing::message;

    /// Topic and text of an event.
    pub(super) fn said(key: &str, more: Value) -> (String, String) {
        let mut body = json!({"eventKey": key, "actor": {"displayName": "Ann"},
            "repository": {"name": "shop", "links": {"self": [{"href": "https://b.example/shop/browse"}]}}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&BITBUCKET3, &[], &body);
        assert_eq!(said.event, key);
        (said.topic, said.content)
    }

    #[test]
    fn texts_of_outsiders_arrive_letter_by_letter() {
        let evil = "`@**all** *x* [y](z) #1";
        let request = json!({"id": 7, "title": evil, "toRef": {"repository": {"name": evil}}});
        let read = said(
            "pr:declined",
            json!({"actor": {"displayName": evil}, "repository": null, "pullRequest": request}),
        );
        let shown = "&#96;@&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z) #1";
        assert_eq!(read.0, format!("{evil} / PR #7 {evil}"));
        assert_eq!(read.1, format!("{shown} declined PR #7 {shown}."));
    }
}
