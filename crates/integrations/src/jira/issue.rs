//! Issues that are created, changed and deleted.

use super::{details, issue_link, person, topic, wiki};
use crate::changes::{Change, changed};
use crate::text::{bold, code, escape, quote};
use crate::{Message, Node, Outcome};

pub(super) fn created(body: Node<'_>) -> Outcome {
    let issue = body.at("issue");
    let said = format!("{} created {}.", person(body.at("user")), issue_link(issue));
    let description = quote(&wiki::markdown(&wiki::source(
        issue.at("fields/description"),
    )));
    let parts = [&*said, &*details(issue), &*description];
    Message::new("issue_created", topic(issue), parts).into()
}

pub(super) fn deleted(body: Node<'_>) -> Outcome {
    let issue = body.at("issue");
    let said = format!(
        "{} deleted {}.",
        person(body.at("user")),
        bold(&topic(issue))
    );
    Message::new("issue_deleted", topic(issue), [&*said]).into()
}

pub(super) fn updated(body: Node<'_>) -> Outcome {
    let issue = body.at("issue");
    let items = body.at("changelog/items");
    let changes: Vec<Change> = items.list().filter_map(change).collect();
    if changes.is_empty() && items.list().len() > 0 {
        return Outcome::Ignored;
    }
    let said = changed(&person(body.at("user")), &issue_link(issue), &changes);
    let described = items
        .list()
        .find(|item| item.at("field").str() == "description");
    let description = described.map_or_else(String::new, |item| item.at("toString").text());
    let description = quote(&wiki::markdown(&description));
    Message::new("issue_updated", topic(issue), [&*said, &*description]).into()
}

/// A change of a field; `None` for ranks and sums.
fn change(item: Node<'_>) -> Option<Change> {
    let name = item.at("field").str();
    let value = |name: &str| {
        let written = |text: &str, raw: &str| {
            let text = item.at(text).text();
            if text.is_empty() {
                item.at(raw).text()
            } else {
                text
            }
        };
        let (from, to) = (written("fromString", "from"), written("toString", "to"));
        Change::value(name, &from, &to)
    };
    // One of several values, each of which Jira reports separately.
    let member = |name: &str| match (item.at("fromString").str(), item.at("toString").str()) {
        ("", to) => Change::added(name, bold(to)),
        (from, "") => Change::removed(name, escape(from)),
        (from, to) => Change::value(name, from, to),
    };
    let seconds = |name: &str| {
        let of = |path: &str| item.at(path).number().map(duration).unwrap_or_default();
        Change::value(name, &of("from"), &of("to"))
    };
    let change = match name {
        "Rank" | "RemoteIssueLink" | "timespent" | "WorklogId" | "WorklogTimeSpent" => return None,
        "description" | "environment" => Change::unseen(name),
        "issuetype" => value("type"),
        "duedate" => value("due date"),
        "IssueParentAssociation" => value("parent"),
        "summary" => value("title"),
        "timeestimate" => seconds("remaining estimate"),
        "timeoriginalestimate" => seconds("original estimate"),
        "Attachment" | "Link" | "Component" => member(&name.to_lowercase()),
        "Fix Version" | "Version" => member(&name.replace('V', "v").replace("Fix", "fix")),
        "" => return None,
        _ => value(name),
    };
    Some(change)
}

/// Seconds of work: `2h 30m`.
pub(super) fn duration(seconds: i64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds % 3600 / 60);
    match (hours, minutes) {
        (0, _) => format!("{minutes}m"),
        (_, 0) => format!("{hours}h"),
        _ => format!("{hours}h {minutes}m"),
    }
}

/// A transition of a workflow, whose call has no kind.
pub(super) fn transition(body: Node<'_>) -> Outcome {
    let (issue, transition) = (body.at("issue"), body.at("transition"));
    let status = Change::value(
        "status",
        transition.at("from_status").str(),
        transition.at("to_status").str(),
    );
    let said = changed(&person(body.at("user")), &issue_link(issue), &[status]);
    let comment = quote(&wiki::markdown(&wiki::source(body.at("comment"))));
    Message::new("transition", topic(issue), [&*said, &*comment]).into()
}

/// An event of an issue whose kind is not known, or an issue that a rule of automation sends.
pub(super) fn other(body: Node<'_>, kind: &str) -> Outcome {
    let issue = body.at("issue");
    let what = match kind {
        "" => "An automation rule sent".to_owned(),
        _ => format!("Jira reported {} for", code(kind)),
    };
    let said = format!("{what} {}.", issue_link(issue));
    let comment = quote(&wiki::markdown(&wiki::source(body.at("comment/body"))));
    let parts = [&*said, &*details(issue), &*comment];
    Message::new("issue_other", topic(issue), parts).into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::jira::JIRA;
    use crate::testing::{message, outcome};
    use crate::{Message, Outcome};

    fn said(kind: &str, more: &Value) -> Message {
        message(&JIRA, &[], &body(kind, more))
    }

    fn body(kind: &str, more: &Value) -> Value {
        let mut body = json!({"webhookEvent": kind, "user": {"displayName": "Ann"}, "issue": {
            "self": "https://jira.example.org/rest/api/2/issue/17", "key": "SHOP-3", "fields": {
                "summary": "Cart is empty", "issuetype": {"name": "Bug"}, "priority": {"name": "High"},
                "assignee": {"displayName": "Bo"}, "description": "h2. Steps\r\n# open it"}}});
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        body
    }

    const LINK: &str = "[SHOP-3: Cart is empty](https://jira.example.org/browse/SHOP-3)";

    #[test]
    fn a_new_issue_has_its_details() {
        let said = said("jira:issue_created", &json!({}));
        assert_eq!(said.topic, "SHOP-3: Cart is empty");
        assert_eq!(
            said.content,
            format!(
                "Ann created {LINK}.\nType: **Bug**, priority: **High**, assignee: **Bo**\n\
                 ```quote\n**Steps**\n1. open it\n```"
            )
        );
    }

    #[test]
    fn changes_of_an_issue_say_from_and_to() {
        let one = json!({"changelog": {"items": [
            {"field": "status", "fromString": "To Do", "toString": "Done"}, {"field": "Rank", "toString": "higher"}]}});
        assert_eq!(
            said("jira:issue_updated", &one).content,
            format!("Ann moved {LINK} from To Do to **Done**.")
        );
        let many = json!({"changelog": {"items": [
            {"field": "Attachment", "toString": "a_b.png"}, {"field": "timeestimate", "from": null, "to": "5400"},
            {"field": "description", "fromString": "old", "toString": "*new*"}]}});
        assert_eq!(
            said("jira:issue_updated", &many).content,
            format!(
                "Ann updated {LINK}:\n* Attachment added: **a_b.png**\n* Remaining estimate: **1h 30m**\n\
                 * Description changed\n```quote\n**new**\n```"
            )
        );
        let rank = json!({"changelog": {"items": [{"field": "Rank", "toString": "higher"}]}});
        let rank = outcome(&JIRA, &[], &body("jira:issue_updated", &rank));
        assert_eq!(rank, Outcome::Ignored);
    }

    #[test]
    fn other_events_of_an_issue_name_their_kind() {
        let deleted = said("jira:issue_deleted", &json!({}));
        assert_eq!(deleted.content, "Ann deleted **SHOP-3: Cart is empty**.");
        let moved = said(
            "",
            &json!({"transition": {"from_status": "A", "to_status": "B"}}),
        );
        assert_eq!(
            (moved.event, &*moved.content),
            ("transition", &*format!("Ann moved {LINK} from A to **B**."))
        );
        let other = said("jira:issue_strange", &json!({}));
        let first = other.content.lines().next().map(str::to_owned);
        assert_eq!(
            first,
            Some(format!("Jira reported `issue_strange` for {LINK}."))
        );
    }

    #[test]
    fn names_and_titles_format_nothing() {
        let issue = json!({"key": "A-1", "fields": {"summary": "@**all** *x* [y](z)"}});
        let said = said(
            "jira:issue_deleted",
            &json!({"issue": issue, "user": {"displayName": "`a` @*b*"}}),
        );
        assert_eq!(said.topic, "A-1: @**all** *x* [y](z)");
        assert_eq!(
            said.content,
            "&#96;a&#96; @&#42;b&#42; deleted **A-1: @&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z)**."
        );
    }
}
