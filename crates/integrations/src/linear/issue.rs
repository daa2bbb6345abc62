//! Issues.

use super::who;
use crate::changes::{Change, capitalized, changed};
use crate::text::{bold, link, quote};
use crate::{Message, Node, Outcome};

/// Identifier and title. Older calls have the identifier in parts, or only in the address.
pub(super) fn titled(issue: Node<'_>, url: &str) -> String {
    let (team, number) = (issue.at("team/key").str(), issue.at("number").text());
    let in_address = url.split_once("/issue/").map(|(_, rest)| rest);
    let in_address = in_address.and_then(|rest| rest.split(['/', '#', '?']).next());
    let identifier = match (issue.at("identifier").str(), team) {
        ("", "") => in_address.unwrap_or_default().to_owned(),
        ("", team) => format!("{team}-{number}"),
        (identifier, _) => identifier.to_owned(),
    };
    let title = issue.at("title").str();
    if identifier.is_empty() {
        title.to_owned()
    } else {
        format!("{identifier}: {title}")
    }
}

pub(super) fn read(body: Node<'_>, action: &str, event: &'static str) -> Outcome {
    let (issue, url) = (body.at("data"), body.at("url").str());
    let title = titled(issue, url);
    let is_part = issue.at("parentId").exists();
    let noun = if is_part { "sub-issue" } else { "issue" };
    let name = format!("{noun} {}", link(&title, url));
    let who = who(body);
    let (said, details, text) = match action {
        "update" => {
            let changes = changes(body);
            if changes.is_empty() && body.at("updatedFrom").exists() {
                return Outcome::Ignored;
            }
            let is_described = body
                .at("updatedFrom")
                .fields()
                .any(|(name, _)| name == "description");
            let text = if is_described {
                issue.at("description").str()
            } else {
                ""
            };
            (changed(&who, &name, &changes), String::new(), text)
        }
        "remove" => {
            let name = format!("{noun} {}", bold(&title));
            (done(&who, &name, "deleted"), String::new(), "")
        }
        _ => {
            let text = issue.at("description").str();
            (done(&who, &name, "created"), details(issue), text)
        }
    };
    Message::new(event, title, [&*said, &*details, &*quote(text)]).into()
}

fn done(who: &str, name: &str, what: &str) -> String {
    if who.is_empty() {
        format!("{} was {what}.", capitalized(name))
    } else {
        format!("{who} {what} {name}.")
    }
}

/// An agreement on the time in which an issue is to be done.
pub(super) fn agreement(body: Node<'_>, action: &str) -> Outcome {
    let data = body.at("data");
    let issue = data.first(&["issue"]);
    let issue = if issue.exists() { issue } else { data };
    let url = body.first(&["url", "data/url"]).str();
    let title = titled(issue, url);
    let what = match action {
        "set" => "was set",
        "highRisk" => "is at high risk",
        "breached" => "was breached",
        _ => "changed",
    };
    let said = format!("The SLA of issue {} {what}.", link(&title, url));
    Message::new("issue_sla", title, [&*said]).into()
}

fn details(issue: Node<'_>) -> String {
    let of = |label: &str, value: &str| {
        let is_shown = !value.is_empty() && value != "No priority";
        is_shown.then(|| format!("{label}: {}", bold(value)))
    };
    let labels = issue.at("labels").list();
    let labels: Vec<&str> = labels.map(|label| label.at("name").str()).collect();
    let parts = [
        of("status", issue.at("state/name").str()),
        of("priority", issue.at("priorityLabel").str()),
        of("assignee", issue.at("assignee/name").str()),
        of("project", issue.at("project/name").str()),
        of("labels", &labels.join(", ")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    capitalized(&parts.join(", "))
}

fn changes(body: Node<'_>) -> Vec<Change> {
    let (old, new) = (body.at("updatedFrom"), body.at("data"));
    let fields = old.fields();
    fields.flat_map(|(name, _)| field(old, new, name)).collect()
}

fn field(old: Node<'_>, new: Node<'_>, name: &str) -> Vec<Change> {
    let plain = |label: &str| {
        let (from, to) = (old.at(name).text(), new.at(name).text());
        vec![Change::value(label, &from, &to)]
    };
    // Calls name the new value, not the old one.
    let named = |label: &str, path: &str| match new.at(path).text() {
        to if to.is_empty() => vec![Change::cleared(label)],
        to => vec![Change::value(label, "", &to)],
    };
    match name {
        "title" => plain("title"),
        "description" if new.at(name).str().is_empty() => vec![Change::cleared(name)],
        "description" => vec![Change::unseen(name)],
        "stateId" => named("status", "state/name"),
        "assigneeId" => named("assignee", "assignee/name"),
        "delegateId" => named("delegate", "delegate/name"),
        "projectId" => named("project", "project/name"),
        "projectMilestoneId" => named("milestone", "projectMilestone/name"),
        "cycleId" => named("cycle", "cycle/number"),
        "teamId" => named("team", "team/name"),
        "parentId" if new.at("parent/identifier").exists() => {
            named("parent issue", "parent/identifier")
        }
        "parentId" => vec![Change::unseen("parent issue")],
        "dueDate" => plain("due date"),
        "estimate" => plain("estimate"),
        "priority" => {
            let from = old.at(name).number().map(priority);
            let to = new.at("priorityLabel").str();
            vec![Change::value(name, from.unwrap_or_default(), to)]
        }
        "labelIds" => labels(old, new),
        "archivedAt" if new.at(name).exists() => vec![Change::done("archived")],
        "archivedAt" => vec![Change::done("restored")],
        _ => Vec::new(),
    }
}

fn priority(number: i64) -> &'static str {
    match number {
        1 => "Urgent",
        2 => "High",
        3 => "Medium",
        4 => "Low",
        _ => "No priority",
    }
}

/// Only labels that are added have a name in the call.
fn labels(old: Node<'_>, new: Node<'_>) -> Vec<Change> {
    let before: Vec<&str> = old.at("labelIds").list().map(Node::str).collect();
    let after: Vec<&str> = new.at("labelIds").list().map(Node::str).collect();
    let added = new
        .at("labels")
        .list()
        .filter(|label| !before.contains(&label.at("id").str()))
        .map(|label| Change::added("label", bold(label.at("name").str())));
    let mut changes: Vec<Change> = added.collect();
    if before.iter().any(|id| !after.contains(id)) {
        changes.push(Change::unseen("labels"));
    }
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::linear::LINEAR;
    use crate::testing::{message, outcome};
    use crate::{Message, Outcome};

    fn body(action: &str, from: &Value) -> Value {
        json!({"type": "Issue", "action": action, "url": "https://linear.app/shop/issue/WEB-4/cart",
            "actor": {"name": "Ann"}, "updatedFrom": from, "data": {"number": 4, "team": {"key": "WEB"},
            "title": "Cart", "description": "All of *it*", "priorityLabel": "High", "labelIds": ["1", "2"],
            "labels": [{"id": "1", "name": "a"}, {"id": "2", "name": "b_c"}],
            "state": {"name": "Done"}, "assignee": {"name": "Bo"}}})
    }

    fn said(action: &str, from: &Value) -> Message {
        message(&LINEAR, &[], &body(action, from))
    }

    const ISSUE: &str = "issue [WEB-4: Cart](https://linear.app/shop/issue/WEB-4/cart)";

    #[test]
    fn a_new_issue_has_its_details() {
        let created = said("create", &json!(null));
        assert_eq!(
            (created.event, &*created.topic),
            ("issue_create", "WEB-4: Cart")
        );
        assert_eq!(
            created.content,
            format!(
                "Ann created {ISSUE}.\nStatus: **Done**, priority: **High**, assignee: **Bo**, \
                 labels: **a, b_c**\n```quote\nAll of *it*\n```"
            )
        );
        let removed = said("remove", &json!(null));
        assert_eq!(removed.content, "Ann deleted issue **WEB-4: Cart**.");
    }

    #[test]
    fn changes_say_what_is_set_now() {
        for (from, expected) in [
            (
                json!({"stateId": "1", "sortOrder": 2}),
                format!("Ann set the status of {ISSUE} to **Done**."),
            ),
            (
                json!({"assigneeId": null}),
                format!("Ann assigned {ISSUE} to **Bo**."),
            ),
            (
                json!({"priority": 4, "labelIds": ["1"], "dueDate": "2026-03-04"}),
                format!(
                    "Ann updated {ISSUE}:\n* Due date removed: 2026-03-04\n* Label added: **b_c**\n\
                     * Priority: Low → **High**"
                ),
            ),
            (
                json!({"description": "old"}),
                format!("Ann changed the description of {ISSUE}.\n```quote\nAll of *it*\n```"),
            ),
        ] {
            assert_eq!(said("update", &from).content, expected);
        }
        let order = outcome(&LINEAR, &[], &body("update", &json!({"sortOrder": 1})));
        assert_eq!(order, Outcome::Ignored);
    }

    #[test]
    fn names_and_titles_format_nothing() {
        let mut body = body("remove", &json!(null));
        body["actor"]["name"] = json!("`a` @*b*");
        body["data"]["title"] = json!("@**all** *x* [y](z)");
        let said = message(&LINEAR, &[], &body);
        assert_eq!(said.topic, "WEB-4: @**all** *x* [y](z)");
        assert_eq!(
            said.content,
            "&#96;a&#96; @&#42;b&#42; deleted issue \
             **WEB-4: @&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z)**."
        );
    }
}
