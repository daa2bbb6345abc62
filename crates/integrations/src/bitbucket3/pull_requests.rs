//! Bitbucket Server: pull requests.

use super::{Hook, comment, name, own_page};
use crate::forge::{Item, draft_or_not, for_review, listed, names};
use crate::text::{code, escape};
use crate::{Node, Outcome};

pub(super) fn pull_request(hook: &Hook<'_>) -> Outcome {
    let body = hook.body;
    let node = body.at("pullRequest");
    let item = Item {
        noun: "PR",
        number: format!("#{}", node.at("id").text()),
        title: node.at("title").str(),
        url: own_page(node),
    };
    let it = item.link();
    let (head, base) = branches(node);
    let mut quoted = "";
    let deed = match hook.event.kind {
        "pr:opened" => {
            quoted = node.at("description").str();
            let people = names(node.at("reviewers").list().map(|one| name(one.at("user"))));
            let draft = draft_or_not(node.at("draft").is_true());
            let reviewers = for_review(&people);
            format!("opened {draft}{it} from {head} to {base}{reviewers}")
        }
        "pr:merged" => format!("merged {it} from {head} into {base}"),
        "pr:declined" => format!("declined {it}"),
        "pr:deleted" => format!("deleted {it}"),
        "pr:from_ref_updated" => format!("pushed new commits to {it}"),
        "pr:to_ref_updated" => format!("updated the target branch {base} of {it}"),
        "pr:modified" => modified(body, node, &it, &mut quoted),
        "pr:reviewer:approved" => format!("approved {it}"),
        "pr:reviewer:unapproved" => format!("withdrew the approval of {it}"),
        "pr:reviewer:needs_work" | "pr:reviewer:changes_requested" => {
            format!("requested changes in {it}")
        }
        "pr:reviewer:updated" => reviewers(body, &it),
        _ => return comment(hook, &item.topic(), &it, item.url),
    };
    hook.did(&item.topic(), &deed, quoted)
}

/// The branches that a pull request goes from and to; one of a fork with its repository.
fn branches(node: Node<'_>) -> (String, String) {
    let (source, target) = (node.at("fromRef"), node.at("toRef"));
    let branch = source.at("displayId").str();
    let from = if source.at("repository/id") == target.at("repository/id") {
        branch.to_owned()
    } else {
        let repository = source.at("repository");
        let project = repository.at("project/key").str();
        format!("{project}/{}:{branch}", repository.at("slug").str())
    };
    (code(&from), code(target.at("displayId").str()))
}

fn modified<'a>(body: Node<'a>, node: Node<'a>, it: &str, quoted: &mut &'a str) -> String {
    let mut parts = Vec::new();
    let (title, text) = (
        body.at("previousTitle").str(),
        body.at("previousDescription").str(),
    );
    if !title.is_empty() && title != node.at("title").str() {
        parts.push(format!("renamed it (before: {})", escape(title)));
    }
    let now = node.at("description").str();
    if text != now {
        *quoted = now;
        parts.push("edited the description".to_owned());
    }
    let target = body.at("previousTarget/displayId").str();
    if !target.is_empty() && target != node.at("toRef/displayId").str() {
        parts.push(format!("changed the target branch from {}", code(target)));
    }
    match parts.is_empty() {
        true => format!("updated {it}"),
        false => format!("updated {it}: {}", listed(&parts)),
    }
}

fn reviewers(body: Node<'_>, it: &str) -> String {
    let people = |key: &str| names(body.at(key).list().map(name));
    let (added, removed) = (people("addedReviewers"), people("removedReviewers"));
    match (added.is_empty(), removed.is_empty()) {
        (false, true) => format!("asked {added} to review {it}"),
        (true, false) => format!("no longer asks {removed} to review {it}"),
        (false, false) => format!("asked {added} instead of {removed} to review {it}"),
        (true, true) => format!("changed the reviewers of {it}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::bitbucket3::tests::said;

    #[test]
    fn pull_requests_change() {
        let request = json!({"id": 7, "title": "Speed", "description": "Faster", "links": {"self": [{"href": "https://b.example/7"}]},
            "fromRef": {"displayId": "fast", "repository": {"id": 2, "slug": "shop", "project": {"key": "~ANN"}}},
            "toRef": {"displayId": "main", "repository": {"id": 1, "name": "shop"}}, "reviewers": [{"user": {"displayName": "Bob"}}]});
        let it = "[PR #7 Speed](https://b.example/7)";
        for (key, part, value, expected) in [
            (
                "pr:opened",
                "x",
                json!(1),
                format!(
                    "Ann opened {it} from `~ANN/shop:fast` to `main` (for review by Bob):\n```quote\nFaster\n```"
                ),
            ),
            (
                "pr:merged",
                "x",
                json!(1),
                format!("Ann merged {it} from `~ANN/shop:fast` into `main`."),
            ),
            ("pr:declined", "x", json!(1), format!("Ann declined {it}.")),
            (
                "pr:reviewer:needs_work",
                "x",
                json!(1),
                format!("Ann requested changes in {it}."),
            ),
            (
                "pr:reviewer:updated",
                "addedReviewers",
                json!([{"displayName": "Cy"}]),
                format!("Ann asked Cy to review {it}."),
            ),
            (
                "pr:modified",
                "previousTitle",
                json!("Slow"),
                format!(
                    "Ann updated {it}: renamed it (before: Slow) and edited the description:\n```quote\nFaster\n```"
                ),
            ),
            (
                "pr:comment:added",
                "comment",
                json!({"id": 3, "text": "Why?", "anchor": {"path": "a.rs", "line": 3}}),
                format!(
                    "Ann [commented](https://b.example/7/overview?commentId=3) on `a.rs:3` in {it}:\n```quote\nWhy?\n```"
                ),
            ),
        ] {
            let read = said(
                key,
                json!({"pullRequest": request, "repository": null, part: value}),
            );
            assert_eq!(read, ("shop / PR #7 Speed".to_owned(), expected));
        }
    }
}
