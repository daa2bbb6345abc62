//! Gitea: issues, pull requests, their comments and reviews.

use crate::forge::{Hook, Item, draft_or_not, names};
use crate::text::{bold, code, escape, linked};
use crate::{Node, Outcome};

/// An issue or pull request with its page, of which older versions have only an address of the API.
fn with_item(
    hook: &Hook<'_>,
    noun: &'static str,
    node: Node<'_>,
    then: impl FnOnce(&Item<'_>) -> Outcome,
) -> Outcome {
    // The number in older pull requests is that of the database.
    let number = hook.body.first(&["number"]);
    let number = if number.exists() {
        number
    } else {
        node.at("number")
    };
    let folder = if noun == "PR" { "pulls" } else { "issues" };
    let page = hook.page(&format!("{folder}/{}", number.text()));
    let url = node.at("html_url").str();
    then(&Item {
        noun,
        number: format!("#{}", number.text()),
        title: node.at("title").str(),
        url: if url.is_empty() { &page } else { url },
    })
}

pub(super) fn issue(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("issue");
    with_item(hook, "issue", node, |item| match hook.action() {
        "opened" => {
            let deed = format!("opened {}{}", item.link(), assigned(node));
            hook.did(&item.topic(), &deed, node.at("body").str())
        }
        _ => change(hook, item, node),
    })
}

fn assigned(node: Node<'_>) -> String {
    match assignees(node) {
        people if people.is_empty() => people,
        people => format!(" (assigned to {people})"),
    }
}

fn assignees(node: Node<'_>) -> String {
    let login = |one: Node<'_>| one.first(&["login", "username"]).text();
    let mut people: Vec<String> = node.at("assignees").list().map(login).collect();
    if people.is_empty() {
        people.push(login(node.at("assignee")));
    }
    names(people.iter().map(String::as_str))
}

/// What happens to issues and pull requests alike.
fn change(hook: &Hook<'_>, item: &Item<'_>, node: Node<'_>) -> Outcome {
    let it = item.link();
    let mut quoted = "";
    let labels = || {
        let names: Vec<String> = node
            .at("labels")
            .list()
            .map(|one| bold(one.at("name").str()))
            .collect();
        crate::forge::listed(&names)
    };
    let deed = match hook.action() {
        "edited" => match hook.str("changes/title/from") {
            "" => {
                quoted = node.at("body").str();
                format!("edited {it}")
            }
            old => format!("renamed {it} (before: {})", escape(old)),
        },
        "assigned" => match assignees(node) {
            people if people.is_empty() => format!("assigned {it}"),
            people if people == hook.event.who => format!("assigned themselves to {it}"),
            people => format!("assigned {people} to {it}"),
        },
        "unassigned" => format!("unassigned {it}"),
        "label_updated" => match labels() {
            names if names.is_empty() => format!("removed the labels of {it}"),
            names => format!("changed the labels of {it} to {names}"),
        },
        "label_cleared" => format!("removed the labels of {it}"),
        "milestoned" => {
            format!(
                "added {it} to the milestone {}",
                bold(node.at("milestone/title").str())
            )
        }
        "demilestoned" => format!("removed {it} from its milestone"),
        _ => format!("{} {it}", hook.action_words()),
    };
    hook.did(&item.topic(), &deed, quoted)
}

pub(super) fn pull_request(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("pull_request");
    let (head, base) = branches(node);
    with_item(hook, "PR", node, |item| {
        let it = item.link();
        let mut quoted = "";
        let deed = match hook.action() {
            "opened" => {
                quoted = node.at("body").str();
                let draft = draft_or_not(node.at("draft").is_true());
                format!("opened {draft}{it} from {head} to {base}{}", assigned(node))
            }
            "closed" if node.at("merged").is_true() => {
                format!("merged {it} from {head} into {base}")
            }
            "closed" => format!("closed {it} without merging it"),
            "synchronized" | "synchronize" => format!("pushed new commits to {it}"),
            "review_requested" => format!("asked {} to review {it}", reviewer(hook)),
            "review_request_removed" => {
                format!("no longer asks {} to review {it}", reviewer(hook))
            }
            _ => return change(hook, item, node),
        };
        hook.did(&item.topic(), &deed, quoted)
    })
}

fn reviewer(hook: &Hook<'_>) -> String {
    names([hook
        .body
        .first(&["requested_reviewer/login", "requested_reviewer/username"])
        .str()])
}

/// The branches that a pull request goes from and to; one of a fork with its owner.
fn branches(node: Node<'_>) -> (String, String) {
    let into = node.first(&["base/repo/full_name", "base_repo/full_name"]);
    let out_of = node.first(&["head/repo/full_name", "head_repo/full_name"]);
    let head = node.first(&["head/ref", "head_branch"]).str();
    let owner = node.first(&[
        "head/repo/owner/login",
        "head/repo/owner/username",
        "head_repo/owner/login",
        "head_repo/owner/username",
    ]);
    let from = if out_of == into || owner.str().is_empty() {
        head.to_owned()
    } else {
        format!("{}:{head}", owner.str())
    };
    (
        code(&from),
        code(node.first(&["base/ref", "base_branch"]).str()),
    )
}

pub(super) fn comment(hook: &Hook<'_>) -> Outcome {
    let (issue, request) = (hook.at("issue"), hook.at("pull_request"));
    let node = if issue.exists() { issue } else { request };
    let is_request =
        hook.at("is_pull").is_true() || issue.at("pull_request").exists() || request.exists();
    let (url, text) = (hook.str("comment/html_url"), hook.str("comment/body"));
    with_item(
        hook,
        if is_request { "PR" } else { "issue" },
        node,
        |item| {
            let it = item.link();
            let (deed, quoted) = match hook.action() {
                "created" => (format!("{} on {it}", linked("commented", url)), text),
                "deleted" => (format!("deleted a comment on {it}"), ""),
                _ => (
                    format!(
                        "{} a {} on {it}",
                        hook.action_words(),
                        linked("comment", url)
                    ),
                    text,
                ),
            };
            hook.did(&item.topic(), &deed, quoted)
        },
    )
}

pub(super) fn review(hook: &Hook<'_>) -> Outcome {
    // Pull requests have an empty review unless the event is one.
    let kind = hook
        .str("review/type")
        .trim_start_matches("pull_request_")
        .trim_start_matches("review_");
    with_item(hook, "PR", hook.at("pull_request"), |item| {
        let it = item.link();
        let deed = match kind {
            "approved" => format!("approved {it}"),
            "rejected" => format!("requested changes in {it}"),
            _ => format!("reviewed {it}"),
        };
        hook.did(&item.topic(), &deed, hook.str("review/content"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::gitea::GITEA;
    use crate::testing::message;

    fn said(key: &str, action: &str, item: Value, more: Value) -> (String, String) {
        let mut body = json!({"action": action, "sender": {"login": "ann"},
            "repository": {"name": "shop", "html_url": "https://g.example/shop"}});
        body[key] = json!({"number": 7, "title": "Speed", "body": "Faster",
            "head": {"ref": "fast", "repo": {"full_name": "a/b"}}, "base": {"ref": "main", "repo": {"full_name": "a/b"}}});
        for (key_of_item, value) in item.as_object().unwrap() {
            body[key][key_of_item] = value.clone();
        }
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&GITEA, &[], &body);
        assert!(said.topic.ends_with("#7 Speed"), "{}", said.topic);
        (said.event.to_owned(), said.content)
    }

    #[test]
    fn issues_change() {
        let it = "[issue #7 Speed](https://g.example/shop/issues/7)";
        for (action, item, more, expected) in [
            (
                "opened",
                json!({}),
                json!({}),
                format!("ann opened {it}:\n```quote\nFaster\n```"),
            ),
            ("closed", json!({}), json!({}), format!("ann closed {it}.")),
            (
                "assigned",
                json!({"assignees": [{"login": "bob"}]}),
                json!({}),
                format!("ann assigned bob to {it}."),
            ),
            (
                "label_updated",
                json!({"labels": [{"name": "bug"}]}),
                json!({}),
                format!("ann changed the labels of {it} to **bug**."),
            ),
            (
                "milestoned",
                json!({"milestone": {"title": "M1"}}),
                json!({}),
                format!("ann added {it} to the milestone **M1**."),
            ),
            (
                "edited",
                json!({}),
                json!({"changes": {"title": {"from": "Slow"}}}),
                format!("ann renamed {it} (before: Slow)."),
            ),
            (
                "created",
                json!({}),
                json!({"comment": {"html_url": "https://g.example/c", "body": "Me too"}}),
                format!("ann [commented](https://g.example/c) on {it}:\n```quote\nMe too\n```"),
            ),
        ] {
            assert_eq!(said("issue", action, item, more).1, expected);
        }
    }

    #[test]
    fn pull_requests_change() {
        let it = "[PR #7 Speed](https://g.example/shop/pulls/7)";
        for (action, item, more, event, expected) in [
            (
                "opened",
                json!({}),
                json!({}),
                "pull_request",
                format!("ann opened {it} from `fast` to `main`:\n```quote\nFaster\n```"),
            ),
            (
                "closed",
                json!({"merged": true}),
                json!({"number": 7, "review": null}),
                "pull_request",
                format!("ann merged {it} from `fast` into `main`."),
            ),
            (
                "closed",
                json!({}),
                json!({}),
                "pull_request",
                format!("ann closed {it} without merging it."),
            ),
            (
                "synchronized",
                json!({}),
                json!({}),
                "pull_request",
                format!("ann pushed new commits to {it}."),
            ),
            (
                "review_requested",
                json!({}),
                json!({"requested_reviewer": {"login": "bob"}}),
                "pull_request",
                format!("ann asked bob to review {it}."),
            ),
            (
                "reviewed",
                json!({}),
                json!({"review": {"type": "pull_request_review_rejected", "content": "No"}}),
                "pull_request_review",
                format!("ann requested changes in {it}:\n```quote\nNo\n```"),
            ),
            (
                "reviewed",
                json!({}),
                json!({"review": {"type": "pull_request_review_approved", "content": ""}}),
                "pull_request_review",
                format!("ann approved {it}."),
            ),
        ] {
            assert_eq!(
                said("pull_request", action, item, more),
                (event.to_owned(), expected)
            );
        }
    }
}
