//! GitHub: issues, their comments, labels and milestones.

use crate::forge::{Hook, Item};
use crate::text::{bold, code, escape, link, linked};
use crate::{Node, Outcome};

pub(super) fn issue(hook: &Hook<'_>) -> Outcome {
    let issue = hook.at("issue");
    change(hook, &item(noun(issue), issue), issue)
}

/// Some events of issues are about pull requests.
fn noun(issue: Node<'_>) -> &'static str {
    if issue.at("pull_request").exists() {
        "PR"
    } else {
        "issue"
    }
}

/// An issue, a pull request or a discussion.
pub(super) fn item<'a>(noun: &'static str, node: Node<'a>) -> Item<'a> {
    Item {
        noun,
        number: format!("#{}", node.at("number").text()),
        title: node.at("title").str(),
        url: node.at("html_url").str(),
    }
}

/// What happened to an issue, or to a pull request or discussion in the same way.
pub(super) fn change(hook: &Hook<'_>, item: &Item<'_>, node: Node<'_>) -> Outcome {
    let (it, body) = (item.link(), node.at("body").str());
    let mut quoted = "";
    let deed = match hook.action() {
        "opened" | "created" => {
            quoted = body;
            let people = node.at("assignees").list().map(|one| one.at("login").str());
            match crate::forge::names(people) {
                people if people.is_empty() => format!("opened {it}"),
                people => format!("opened {it} (assigned to {people})"),
            }
        }
        "closed" => match node.at("state_reason").str() {
            "not_planned" => format!("closed {it} as not planned"),
            "duplicate" => format!("closed {it} as a duplicate"),
            _ => format!("closed {it}"),
        },
        "edited" => edit(hook, &it, body, &mut quoted),
        "assigned" => format!("assigned {} to {it}", person(hook, "assignee")),
        "unassigned" => format!("unassigned {} from {it}", person(hook, "assignee")),
        "labeled" => format!("added the label {} to {it}", bold(hook.str("label/name"))),
        "unlabeled" => format!(
            "removed the label {} from {it}",
            bold(hook.str("label/name"))
        ),
        "milestoned" => format!(
            "added {it} to the milestone {}",
            milestone_link(hook.at("milestone"))
        ),
        "demilestoned" => {
            format!(
                "removed {it} from the milestone {}",
                milestone_link(hook.at("milestone"))
            )
        }
        "locked" => match node.at("active_lock_reason").str() {
            "" => format!("locked {it}"),
            reason => format!("locked {it} ({})", escape(reason)),
        },
        "transferred" => {
            let new = hook
                .body
                .first(&["changes/new_issue", "changes/new_discussion"]);
            let place = hook.str("changes/new_repository/full_name");
            let target = format!("{place}#{}", new.at("number").text());
            format!(
                "transferred {it} to {}",
                link(&target, new.at("html_url").str())
            )
        }
        "typed" => format!("set the type of {it} to {}", bold(hook.str("type/name"))),
        "untyped" => format!("removed the type {} from {it}", bold(hook.str("type/name"))),
        _ => format!("{} {it}", hook.action_words()),
    };
    hook.did(&item.topic(), &deed, quoted)
}

/// An edit of a title, a description or the branch that a pull request goes to.
fn edit<'a>(hook: &Hook<'_>, it: &str, body: &'a str, quoted: &mut &'a str) -> String {
    let changes = hook.at("changes");
    if changes.at("title").exists() {
        return format!(
            "renamed {it} (before: {})",
            escape(changes.at("title/from").str())
        );
    }
    if changes.at("base/ref/from").exists() {
        let (old, new) = (
            changes.at("base/ref/from").str(),
            hook.str("pull_request/base/ref"),
        );
        return format!(
            "changed the base of {it} from {} to {}",
            code(old),
            code(new)
        );
    }
    *quoted = body;
    format!("edited the description of {it}")
}

/// A person in an event, or `themselves`.
fn person(hook: &Hook<'_>, path: &str) -> String {
    let login = hook.at(path).at("login").str();
    if login == hook.event.who {
        "themselves".to_owned()
    } else {
        escape(login)
    }
}

/// A comment on an issue, which may be a pull request.
pub(super) fn comment(hook: &Hook<'_>) -> Outcome {
    let issue = hook.at("issue");
    commented(hook, &item(noun(issue), issue))
}

/// A comment on something.
pub(super) fn commented(hook: &Hook<'_>, item: &Item<'_>) -> Outcome {
    let (comment, it) = (hook.at("comment"), item.link());
    let (url, body) = (comment.at("html_url").str(), comment.at("body").str());
    let (deed, quoted) = match hook.action() {
        "created" => (format!("{} on {it}", linked("commented", url)), body),
        "deleted" => (format!("deleted a comment on {it}"), ""),
        _ => (
            format!(
                "{} a {} on {it}",
                hook.action_words(),
                linked("comment", url)
            ),
            body,
        ),
    };
    hook.did(&item.topic(), &deed, quoted)
}

pub(super) fn sub_issue(hook: &Hook<'_>) -> Outcome {
    let (sub, parent) = (
        item("issue", hook.at("sub_issue")),
        item("issue", hook.at("parent_issue")),
    );
    let deed = if hook.action().ends_with("removed") {
        format!("removed {} from {}", sub.link(), parent.link())
    } else {
        format!("added {} to {}", sub.link(), parent.link())
    };
    match hook.action() {
        // GitHub sends each change twice, once from either side.
        "parent_issue_added" | "parent_issue_removed" => Outcome::Ignored,
        _ => hook.did(&parent.topic(), &deed, ""),
    }
}

fn milestone_link(node: Node<'_>) -> String {
    link(node.at("title").str(), node.at("html_url").str())
}

pub(super) fn milestone(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("milestone");
    let deed = format!(
        "{} the milestone {}",
        hook.action_words(),
        milestone_link(node)
    );
    let quoted = if hook.action() == "created" {
        node.at("description").str()
    } else {
        ""
    };
    hook.did(
        &format!("milestone {}", node.at("title").str()),
        &deed,
        quoted,
    )
}

pub(super) fn label(hook: &Hook<'_>) -> Outcome {
    let name = hook.str("label/name");
    let deed = match hook.str("changes/name/from") {
        "" => format!("{} the label {}", hook.action_words(), bold(name)),
        old => format!("renamed the label {} to {}", bold(old), bold(name)),
    };
    hook.did("labels", &deed, "")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::github::GITHUB;
    use crate::testing::message;

    fn said(action: &str, more: Value) -> String {
        let mut body = json!({"action": action, "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "issue": {"number": 7, "title": "It breaks", "html_url": "https://g.example/7", "body": "At night <!-- how? -->"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / issue #7 It breaks");
        said.content
    }

    #[test]
    fn issues_change() {
        let it = "[issue #7 It breaks](https://g.example/7)";
        for (action, more, expected) in [
            (
                "opened",
                json!({}),
                format!("ann opened {it}:\n```quote\nAt night\n```"),
            ),
            ("closed", json!({}), format!("ann closed {it}.")),
            (
                "edited",
                json!({"changes": {"title": {"from": "Broken"}}}),
                format!("ann renamed {it} (before: Broken)."),
            ),
            (
                "edited",
                json!({"changes": {"body": {"from": ""}}}),
                format!("ann edited the description of {it}:\n```quote\nAt night\n```"),
            ),
            (
                "assigned",
                json!({"assignee": {"login": "bob"}}),
                format!("ann assigned bob to {it}."),
            ),
            (
                "unassigned",
                json!({"assignee": {"login": "ann"}}),
                format!("ann unassigned themselves from {it}."),
            ),
            (
                "labeled",
                json!({"label": {"name": "bug"}}),
                format!("ann added the label **bug** to {it}."),
            ),
            (
                "milestoned",
                json!({"milestone": {"title": "M1", "html_url": "https://g.example/m"}}),
                format!("ann added {it} to the milestone [M1](https://g.example/m)."),
            ),
            (
                "transferred",
                json!({"changes": {"new_issue": {"number": 1, "html_url": "https://g.example/n"},
                "new_repository": {"full_name": "ann/n"}}}),
                format!("ann transferred {it} to [ann/n#1](https://g.example/n)."),
            ),
            ("pinned", json!({}), format!("ann pinned {it}.")),
        ] {
            assert_eq!(said(action, more), expected);
        }
    }

    #[test]
    fn comments_are_quoted() {
        let comment = json!({"comment": {"html_url": "https://g.example/7#1", "body": "Me too"}});
        let it = "[issue #7 It breaks](https://g.example/7)";
        assert_eq!(
            said("created", comment.clone()),
            format!("ann [commented](https://g.example/7#1) on {it}:\n```quote\nMe too\n```")
        );
        assert_eq!(
            said("deleted", comment),
            format!("ann deleted a comment on {it}.")
        );
    }

    #[test]
    fn labels_and_milestones() {
        let body = json!({"action": "edited", "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "label": {"name": "bug"}, "changes": {"name": {"from": "bugs"}}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.content, "ann renamed the label **bugs** to **bug**.");
        let body = json!({"action": "closed", "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "milestone": {"title": "M1", "html_url": "https://g.example/m"}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / milestone M1");
        assert_eq!(
            said.content,
            "ann closed the milestone [M1](https://g.example/m)."
        );
    }
}
