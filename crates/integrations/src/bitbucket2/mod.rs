//! Bitbucket Cloud.
//!
//! The body decides what happened; the header tells apart what looks alike in it.
//!
//! Ignored: builds before they end, and pushes without changes.

mod items;
mod repositories;

use crate::forge::{BRANCHES, Event, Options};
use crate::{Call, Integration, Node, Outcome, Proof};

pub(crate) static BITBUCKET2: Integration = Integration {
    name: "bitbucket2",
    display_name: "Bitbucket Cloud",
    setup: "Repository settings > Webhooks > Add webhook\n\
            URL: ADDRESS\n\
            Secret: SECRET\n\
            Triggers: Choose from a full list of triggers",
    events: &[
        "commit_comment",
        "commit_status",
        "fork",
        "issue",
        "issue_comment",
        "pull_request",
        "pull_request_comment",
        "pull_request_review",
        "push",
        "repository",
    ],
    url_options: &[BRANCHES],
    proof: Some(Proof::Sha256 {
        header: "x-hub-signature",
        prefix: "sha256=",
    }),
    delivery_header: Some("x-request-uuid"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let key = call.header("x-event-key");
    let hook = |kind| Hook {
        event: Event {
            kind,
            who: body
                .first(&["actor/display_name", "actor/nickname", "actor/username"])
                .str(),
            place: body.at("repository/name").str(),
        },
        key,
        body,
        option: call.option,
    };
    let has = |part: &str| body.at(part).exists();
    if has("push") {
        repositories::push(&hook("push"))
    } else if has("pullrequest") && has("comment") {
        items::pull_request_comment(&hook("pull_request_comment"))
    } else if has("pullrequest") && (has("approval") || has("changes_request")) {
        items::review(&hook("pull_request_review"))
    } else if has("pullrequest") {
        items::pull_request(&hook("pull_request"))
    } else if has("issue") && has("comment") && !has("changes") {
        items::issue_comment(&hook("issue_comment"))
    } else if has("issue") {
        items::issue(&hook("issue"))
    } else if has("commit_status") {
        repositories::commit_status(&hook("commit_status"))
    } else if has("comment") && has("commit") {
        repositories::commit_comment(&hook("commit_comment"))
    } else if has("fork") {
        repositories::fork(&hook("fork"))
    } else if has("changes") || key.starts_with("repo:") {
        repositories::repository(&hook("repository"))
    } else {
        Outcome::Unknown
    }
}

/// A call of Bitbucket.
struct Hook<'a> {
    event: Event<'a>,
    /// The header's name of the event, such as `pullrequest:created`; may be empty.
    key: &'a str,
    body: Node<'a>,
    option: Options<'a>,
}

impl<'a> Hook<'a> {
    fn at(&self, path: &str) -> Node<'a> {
        self.body.at(path)
    }

    fn str(&self, path: &str) -> &'a str {
        self.body.at(path).str()
    }

    fn did(&self, about: &str, deed: &str, quoted: &str) -> Outcome {
        self.said(about, &format!("{} {deed}", self.event.who()), quoted)
    }

    fn said(&self, about: &str, sentence: &str, quoted: &str) -> Outcome {
        self.event.said(about, sentence, quoted).into()
    }
}

/// The address of an object's page.
fn page(node: Node<'_>) -> &str {
    node.at("links/html/href").str()
}

/// A person's name.
fn name(node: Node<'_>) -> &str {
    node.first(&["display_name", "nickname", "username"]).str()
}
