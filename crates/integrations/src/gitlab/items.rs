//! GitLab: issues and merge requests.

use super::past;
use crate::forge::{Hook, Item, draft_or_not, listed, names, visible};
use crate::text::{bold, code, escape, linked, quote};
use crate::{Message, Node, Outcome};

/// An issue, or another work item with the number of one.
pub(super) fn issue_of(node: Node<'_>) -> Item<'_> {
    let noun = match &*node.at("type").str().to_ascii_lowercase() {
        "incident" => "incident",
        "task" => "task",
        "epic" => "epic",
        "ticket" => "ticket",
        _ => "issue",
    };
    item(noun, '#', node)
}

pub(super) fn item<'a>(noun: &'static str, sign: char, node: Node<'a>) -> Item<'a> {
    Item {
        noun,
        number: format!("{sign}{}", node.first(&["iid", "id"]).text()),
        title: node.at("title").str(),
        url: node.at("url").str(),
    }
}

pub(super) fn issue(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("object_attributes");
    let item = issue_of(node);
    let it = item.link();
    let confidential = if node.at("confidential").is_true() {
        "the confidential "
    } else {
        ""
    };
    match node.at("action").str() {
        "open" | "" => {
            let deed = format!("opened {confidential}{it}{}", assigned(hook));
            hook.did(&item.topic(), &deed, node.at("description").str())
        }
        "update" => updated(hook, &item),
        action => hook.did(&item.topic(), &format!("{} {it}", past(action)), ""),
    }
}

/// Who has a new item, in brackets.
fn assigned(hook: &Hook<'_>) -> String {
    let many = hook.at("assignees").list().map(|one| one.at("name").str());
    let mut people = names(many);
    if people.is_empty() {
        people = names([hook.str("assignee/name")]);
    }
    let reviewers = names(hook.at("reviewers").list().map(|one| one.at("name").str()));
    match (people.is_empty(), reviewers.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" (assigned to {people})"),
        (true, false) => format!(" (for review by {reviewers})"),
        (false, false) => format!(" (assigned to {people}, for review by {reviewers})"),
    }
}

/// An update of an item, with what it changed.
fn updated(hook: &Hook<'_>, item: &Item<'_>) -> Outcome {
    let node = hook.at("object_attributes");
    let changes = hook.body.first(&["changes", "object_attributes/changes"]);
    let (parts, it) = (changed(changes), item.link());
    let has_text = changes.at("description").exists();
    let quoted = if has_text {
        quote(&visible(node.at("description").str()))
    } else {
        String::new()
    };
    let sentence = if parts.is_empty() {
        format!("{} updated {it}.", hook.who())
    } else {
        format!("{} updated {it}: {}.", hook.who(), listed(&parts))
    };
    Message::new(
        hook.event.kind,
        hook.event.topic(&item.topic()),
        [&*sentence, &*quoted],
    )
    .into()
}

/// The changes that people can name.
fn changed(changes: Node<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let new = |key: &str| changes.at(key).at("current");
    if changes.at("title/previous").exists() {
        parts.push(format!(
            "renamed it (before: {})",
            escape(changes.at("title/previous").str())
        ));
    }
    if changes.at("description").exists() {
        parts.push("edited the description".to_owned());
    }
    for (key, verb, undo) in [
        ("labels", "added the label ", "removed the label "),
        ("assignees", "assigned ", "unassigned "),
        (
            "reviewers",
            "asked for a review by ",
            "no longer asks for a review by ",
        ),
    ] {
        let list = |when: &str| {
            let values = changes.at(key).at(when);
            let names = values.list().map(|one| one.first(&["title", "name"]).str());
            names.collect::<Vec<_>>()
        };
        let (old, now) = (list("previous"), list("current"));
        let plural = |gone: usize| {
            if key == "labels" && gone != 1 {
                "s"
            } else {
                ""
            }
        };
        for (verb, some) in [
            (
                verb,
                now.iter()
                    .filter(|one| !old.contains(one))
                    .collect::<Vec<_>>(),
            ),
            (
                undo,
                old.iter()
                    .filter(|one| !now.contains(one))
                    .collect::<Vec<_>>(),
            ),
        ] {
            if !some.is_empty() {
                let bold: Vec<String> = some.iter().map(|one| bold(one)).collect();
                let verb = verb.replace("label ", &format!("label{} ", plural(bold.len())));
                parts.push(format!("{verb}{}", listed(&bold)));
            }
        }
    }
    match new("draft").value().and_then(serde_json::Value::as_bool) {
        Some(true) => parts.push("marked it as a draft".to_owned()),
        Some(false) if changes.at("draft/previous").is_true() => {
            parts.push("marked it as ready".to_owned());
        }
        _ => {}
    }
    if changes.at("target_branch").exists() {
        parts.push(format!(
            "changed the target branch to {}",
            code(new("target_branch").str())
        ));
    }
    for (key, name) in [
        ("due_date", "due date"),
        ("weight", "weight"),
        ("health_status", "health"),
    ] {
        if changes.at(key).exists() {
            match new(key).text() {
                now if now.is_empty() => parts.push(format!("removed the {name}")),
                now => parts.push(format!("set the {name} to {}", escape(&now))),
            }
        }
    }
    if changes.at("milestone_id").exists() {
        let removed = !new("milestone_id").exists();
        parts.push(
            if removed {
                "removed the milestone"
            } else {
                "changed the milestone"
            }
            .to_owned(),
        );
    }
    if changes.at("confidential/previous").exists() {
        let now = new("confidential").is_true();
        parts.push(
            if now {
                "made it confidential"
            } else {
                "made it public"
            }
            .to_owned(),
        );
    }
    parts
}

pub(super) fn merge_request(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("object_attributes");
    let item = item("MR", '!', node);
    let it = item.link();
    let (head, base) = branches(node);
    let mut quoted = "";
    let deed = match node.at("action").str() {
        "open" | "" => {
            quoted = node.at("description").str();
            let is_draft = node.first(&["draft", "work_in_progress"]).is_true();
            let draft = draft_or_not(is_draft);
            format!("opened {draft}{it} from {head} to {base}{}", assigned(hook))
        }
        "merge" => format!("merged {it} from {head} into {base}"),
        "close" => format!("closed {it} without merging it"),
        "update" if !node.at("oldrev").str().is_empty() => {
            let (old, new) = (node.at("oldrev").str(), node.at("last_commit/id").str());
            let url = format!("{}/diffs", item.url);
            let url = if new.is_empty() {
                url
            } else {
                hook.page(&format!("-/compare/{old}...{new}"))
            };
            format!("pushed {} to {it}", linked("new commits", &url))
        }
        "update" => return updated(hook, &item),
        // `approved` and `unapproved` end the approval, `approval` and `unapproval` are a part of several.
        "approved" => format!("approved {it}"),
        "approval" => format!("approved {it} as one of several"),
        "unapproved" | "unapproval" if node.at("system").is_true() => {
            return hook.said(
                &item.topic(),
                &format!("The approval of {it} was reset"),
                "",
            );
        }
        "unapproved" | "unapproval" => format!("withdrew the approval of {it}"),
        action => format!("{} {it}", past(action)),
    };
    hook.did(&item.topic(), &deed, quoted)
}

/// The branches that a merge request goes from and to; one of a fork with its project.
fn branches(node: Node<'_>) -> (String, String) {
    let (source, target) = (
        node.at("source_branch").str(),
        node.at("target_branch").str(),
    );
    let project = node.at("source/path_with_namespace").str();
    let is_same = node.at("source_project_id") == node.at("target_project_id");
    let from = if is_same || project.is_empty() {
        source.to_owned()
    } else {
        format!("{project}:{source}")
    };
    (code(&from), code(target))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::gitlab::GITLAB;
    use crate::testing::message;

    fn body(kind: &str, attributes: Value, more: Value) -> Value {
        let mut body = json!({"object_kind": kind, "user": {"name": "Ann"},
            "project": {"name": "Shop", "web_url": "https://g.example/shop"},
            "object_attributes": {"iid": 7, "title": "It breaks", "url": "https://g.example/7", "description": "At night",
                "source_branch": "fast", "target_branch": "main"}});
        for (key, value) in attributes.as_object().unwrap() {
            body["object_attributes"][key] = value.clone();
        }
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    }

    #[test]
    fn issues_change() {
        let it = "[issue #7 It breaks](https://g.example/7)";
        let changes = json!({"changes": {"labels": {"previous": [{"title": "a"}], "current": [{"title": "b"}, {"title": "c"}]},
            "due_date": {"previous": null, "current": "2026-01-02"}}});
        for (attributes, more, expected) in [
            (
                json!({"action": "open"}),
                json!({"assignees": [{"name": "Bob"}, {"name": "Cy"}]}),
                format!("Ann opened {it} (assigned to Bob and Cy):\n```quote\nAt night\n```"),
            ),
            (
                json!({"action": "close"}),
                json!({}),
                format!("Ann closed {it}."),
            ),
            (
                json!({"action": "update"}),
                changes,
                format!(
                    "Ann updated {it}: added the labels **b** and **c**, removed the label **a** and set the due date to 2026-01-02."
                ),
            ),
            (
                json!({"action": "update"}),
                json!({"changes": {"title": {"previous": "Broken"}, "description": {"previous": ""}}}),
                format!(
                    "Ann updated {it}: renamed it (before: Broken) and edited the description.\n```quote\nAt night\n```"
                ),
            ),
        ] {
            let said = message(&GITLAB, &[], &body("issue", attributes, more));
            assert_eq!(
                (said.event, &*said.topic),
                ("issue", "Shop / issue #7 It breaks")
            );
            assert_eq!(said.content, expected);
        }
        let said = message(
            &GITLAB,
            &[],
            &body(
                "issue",
                json!({"action": "close", "confidential": true}),
                json!({}),
            ),
        );
        assert_eq!(said.event, "confidential_issue");
    }

    #[test]
    fn merge_requests_change() {
        let it = "[MR !7 It breaks](https://g.example/7)";
        for (attributes, expected) in [
            (
                json!({"action": "open", "draft": true}),
                format!(
                    "Ann opened the draft {it} from `fast` to `main`:\n```quote\nAt night\n```"
                ),
            ),
            (
                json!({"action": "merge"}),
                format!("Ann merged {it} from `fast` into `main`."),
            ),
            (
                json!({"action": "close"}),
                format!("Ann closed {it} without merging it."),
            ),
            (json!({"action": "approved"}), format!("Ann approved {it}.")),
            (
                json!({"action": "unapproval"}),
                format!("Ann withdrew the approval of {it}."),
            ),
            (
                json!({"action": "update", "oldrev": "1", "last_commit": {"id": "2"}}),
                format!(
                    "Ann pushed [new commits](https://g.example/shop/-/compare/1...2) to {it}."
                ),
            ),
        ] {
            let said = message(&GITLAB, &[], &body("merge_request", attributes, json!({})));
            assert_eq!(said.topic, "Shop / MR !7 It breaks");
            assert_eq!(said.content, expected);
        }
    }
}
