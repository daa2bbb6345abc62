//! Bitbucket Cloud: issues, pull requests and their comments.

use super::{Hook, name, page};
use crate::forge::{Item, draft_or_not, for_review, listed, names};
use crate::text::{bold, code, escape, linked};
use crate::{Node, Outcome};

fn item<'a>(noun: &'static str, node: Node<'a>) -> Item<'a> {
    Item {
        noun,
        number: format!("#{}", node.at("id").text()),
        title: node.at("title").str(),
        url: page(node),
    }
}

pub(super) fn issue(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("issue");
    let item = item("issue", node);
    let it = item.link();
    let changes = hook.at("changes");
    if hook.key == "issue:created" || !(changes.exists() || hook.key == "issue:updated") {
        let assigned = match names([name(node.at("assignee"))]) {
            who if who.is_empty() => who,
            who => format!(" (assigned to {who})"),
        };
        let (kind, priority) = (node.at("kind").str(), node.at("priority").str());
        let details: Vec<String> = [kind, priority]
            .iter()
            .filter(|one| !one.is_empty())
            .map(|one| escape(one))
            .collect();
        let details = if details.is_empty() {
            String::new()
        } else {
            format!(", {}", details.join(", "))
        };
        let deed = format!("opened {it}{details}{assigned}");
        return hook.did(&item.topic(), &deed, node.at("content/raw").str());
    }
    let parts: Vec<String> = changes
        .fields()
        .filter_map(|(key, change)| changed(key, change))
        .collect();
    let deed = if parts.is_empty() {
        format!("updated {it}")
    } else {
        format!("updated {it}: {}", listed(&parts))
    };
    let comment = hook.str("comment/content/raw");
    let text = if changes.at("content").exists() {
        node.at("content/raw").str()
    } else {
        ""
    };
    hook.did(
        &item.topic(),
        &deed,
        if comment.is_empty() { text } else { comment },
    )
}

/// A change of an issue's field in words.
fn changed(key: &str, change: Node<'_>) -> Option<String> {
    let value = |when: &str| {
        let value = change.at(when);
        let text = value.first(&["display_name", "name", "nickname"]).text();
        if text.is_empty() { value.text() } else { text }
    };
    let (old, new) = (value("old"), value("new"));
    Some(match key {
        "title" => format!("renamed it (before: {})", escape(&old)),
        "content" => "edited the description".to_owned(),
        "assignee" if new.is_empty() => format!("unassigned {}", escape(&old)),
        "assignee" => format!("assigned {}", escape(&new)),
        "status" | "state" => format!("set the state to {}", bold(&new)),
        "priority" | "kind" | "milestone" | "component" | "version" if new.is_empty() => {
            format!("removed the {key}")
        }
        "priority" | "kind" | "milestone" | "component" | "version" => {
            format!("set the {key} to {}", bold(&new))
        }
        // These repeat one of the above, or say nothing to people.
        "assignee_account_id" | "responsible" | "links" => return None,
        key => format!("changed the {}", escape(&key.replace('_', " "))),
    })
}

pub(super) fn issue_comment(hook: &Hook<'_>) -> Outcome {
    let item = item("issue", hook.at("issue"));
    let comment = hook.at("comment");
    let deed = format!("{} on {}", linked("commented", page(comment)), item.link());
    hook.did(&item.topic(), &deed, comment.at("content/raw").str())
}

pub(super) fn pull_request(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("pullrequest");
    let item = item("PR", node);
    let it = item.link();
    let (head, base) = branches(node);
    let event = match hook.key.trim_start_matches("pullrequest:") {
        "" => match node.at("state").str() {
            "MERGED" => "fulfilled",
            "DECLINED" | "SUPERSEDED" => "rejected",
            _ if node.at("created_on") == node.at("updated_on") => "created",
            _ => "updated",
        },
        event => event,
    };
    let (deed, quoted) = match event {
        "created" => {
            let draft = draft_or_not(node.at("draft").is_true());
            let people = names(node.at("reviewers").list().map(name));
            let reviewers = for_review(&people);
            let text = node
                .first(&["description", "summary/raw", "rendered/description/raw"])
                .str();
            (
                format!("opened {draft}{it} from {head} to {base}{reviewers}"),
                text,
            )
        }
        "fulfilled" => (format!("merged {it} from {head} into {base}"), ""),
        "rejected" => (format!("declined {it}"), node.at("reason").str()),
        _ => (format!("updated {it} from {head} to {base}"), ""),
    };
    hook.did(&item.topic(), &deed, quoted)
}

/// The branches that a pull request goes from and to; one of a fork with its repository.
fn branches(node: Node<'_>) -> (String, String) {
    let (source, target) = (node.at("source"), node.at("destination"));
    let (branch, fork) = (
        source.at("branch/name").str(),
        source.at("repository/full_name").str(),
    );
    let is_same = fork == target.at("repository/full_name").str();
    let from = if is_same || fork.is_empty() {
        branch.to_owned()
    } else {
        format!("{fork}:{branch}")
    };
    (code(&from), code(target.at("branch/name").str()))
}

pub(super) fn review(hook: &Hook<'_>) -> Outcome {
    let item = item("PR", hook.at("pullrequest"));
    let it = item.link();
    let deed = match hook.key {
        "pullrequest:unapproved" => format!("withdrew the approval of {it}"),
        "pullrequest:changes_request_removed" => format!("no longer requests changes in {it}"),
        _ if hook.at("changes_request").exists() => format!("requested changes in {it}"),
        _ => format!("approved {it}"),
    };
    hook.did(&item.topic(), &deed, "")
}

pub(super) fn pull_request_comment(hook: &Hook<'_>) -> Outcome {
    let item = item("PR", hook.at("pullrequest"));
    let comment = hook.at("comment");
    let (url, text) = (page(comment), comment.at("content/raw").str());
    let inline = comment.at("inline");
    let line = inline.first(&["to", "from"]).number();
    let place = match (inline.at("path").str(), line) {
        ("", _) => String::new(),
        (path, Some(line)) => format!("{} in ", code(&format!("{path}:{line}"))),
        (path, None) => format!("{} in ", code(path)),
    };
    let on = format!("on {place}{}", item.link());
    let action = match hook.key.trim_start_matches("pullrequest:comment_") {
        _ if comment.at("deleted").is_true() => "deleted",
        action => action,
    };
    let (deed, quoted) = match action {
        "updated" => (format!("edited a {} {on}", linked("comment", url)), text),
        "deleted" => (format!("deleted a comment {on}"), ""),
        "resolved" => (format!("resolved a {} {on}", linked("comment", url)), ""),
        "reopened" => (format!("reopened a {} {on}", linked("comment", url)), ""),
        _ => (format!("{} {on}", linked("commented", url)), text),
    };
    hook.did(&item.topic(), &deed, quoted)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::bitbucket2::BITBUCKET2;
    use crate::testing::message;

    fn said(key: &str, more: Value) -> String {
        let mut body = json!({"actor": {"display_name": "Ann"}, "repository": {"name": "shop"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&BITBUCKET2, &[("x-event-key", key)], &body);
        assert!(said.topic.ends_with("#7 Speed"), "{}", said.topic);
        said.content
    }

    #[test]
    fn issues_change() {
        let issue = json!({"id": 7, "title": "Speed", "kind": "bug", "content": {"raw": "Slow"},
            "links": {"html": {"href": "https://b.example/7"}}});
        let it = "[issue #7 Speed](https://b.example/7)";
        assert_eq!(
            said("", json!({"issue": issue})),
            format!("Ann opened {it}, bug:\n```quote\nSlow\n```")
        );
        let changes = json!({"title": {"old": "Slow", "new": "Speed"}, "assignee": {"new": {"display_name": "Bob"}}});
        assert_eq!(
            said(
                "issue:updated",
                json!({"issue": issue, "changes": changes, "comment": {"content": {"raw": null}}})
            ),
            format!("Ann updated {it}: assigned Bob and renamed it (before: Slow).")
        );
        let comment = json!({"content": {"raw": "Me too"}, "links": {"html": {"href": "https://b.example/7#1"}}});
        assert_eq!(
            said(
                "issue:comment_created",
                json!({"issue": issue, "comment": comment})
            ),
            format!("Ann [commented](https://b.example/7#1) on {it}:\n```quote\nMe too\n```")
        );
    }

    #[test]
    fn pull_requests_change() {
        let mut request = json!({"id": 7, "title": "Speed", "description": "Faster", "reviewers": [{"display_name": "Bob"}],
            "links": {"html": {"href": "https://b.example/7"}},
            "source": {"branch": {"name": "fast"}, "repository": {"full_name": "ann/shop"}},
            "destination": {"branch": {"name": "main"}, "repository": {"full_name": "org/shop"}}});
        let it = "[PR #7 Speed](https://b.example/7)";
        let body =
            |request: &Value, more: &str| json!({"pullrequest": request, more: {"date": "2026"}});
        for (key, part, expected) in [
            (
                "pullrequest:created",
                "x",
                format!(
                    "Ann opened {it} from `ann/shop:fast` to `main` (for review by Bob):\n```quote\nFaster\n```"
                ),
            ),
            (
                "pullrequest:fulfilled",
                "x",
                format!("Ann merged {it} from `ann/shop:fast` into `main`."),
            ),
            (
                "pullrequest:updated",
                "x",
                format!("Ann updated {it} from `ann/shop:fast` to `main`."),
            ),
            ("", "approval", format!("Ann approved {it}.")),
            (
                "pullrequest:unapproved",
                "approval",
                format!("Ann withdrew the approval of {it}."),
            ),
            (
                "pullrequest:changes_request_created",
                "changes_request",
                format!("Ann requested changes in {it}."),
            ),
        ] {
            assert_eq!(said(key, body(&request, part)), expected);
        }
        request["state"] = json!("DECLINED");
        request["reason"] = json!("Too late");
        assert_eq!(
            said("", body(&request, "x")),
            format!("Ann declined {it}:\n```quote\nToo late\n```")
        );
        let comment = json!({"content": {"raw": "Why?"}, "inline": {"path": "a.rs", "to": 3}});
        assert_eq!(
            said(
                "pullrequest:comment_created",
                json!({"pullrequest": request, "comment": comment})
            ),
            format!("Ann commented on `a.rs:3` in {it}:\n```quote\nWhy?\n```")
        );
    }
}
