//! Taiga: epics, user stories, tasks, issues, sprints and wiki pages.
//!
//! Taiga signs with HMAC-SHA1 (`x-taiga-webhook-signature`), which is not checked. Left out: changes that only concern
//! the order of things on a board.

mod diff;

use crate::changes::{capitalized, changed};
use crate::html::text_of;
use crate::text::{bold, escape, linked, quote};
use crate::{Call, Integration, Message, Node, Outcome};

const EVENTS: &[&str] = &[
    "epic_change",
    "epic_create",
    "epic_delete",
    "issue_change",
    "issue_create",
    "issue_delete",
    "milestone_change",
    "milestone_create",
    "milestone_delete",
    "relateduserstory_change",
    "relateduserstory_create",
    "relateduserstory_delete",
    "task_change",
    "task_create",
    "task_delete",
    "test",
    "userstory_change",
    "userstory_create",
    "userstory_delete",
    "wikipage_change",
    "wikipage_create",
    "wikipage_delete",
];

pub(crate) static TAIGA: Integration = Integration {
    name: "taiga",
    display_name: "Taiga",
    setup: "Settings > Integrations > Webhooks > Add a new webhook\n\
            URL: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (kind, action) = (body.at("type").str(), body.at("action").str());
    let who = escape(body.first(&["by/full_name", "by/username"]).str());
    if action == "test" {
        let said = format!("{who} sent a test from Taiga; the webhook works.");
        return Message::new("test", "Taiga", [&*said]).into();
    }
    let event = format!("{kind}_{action}");
    let Some(event) = EVENTS.iter().copied().find(|known| *known == event) else {
        return Outcome::Unknown;
    };
    let thing = body.at("data");
    if kind == "relateduserstory" {
        return related(event, &who, action, thing);
    }
    let topic = topic(kind, thing);
    let name = name(kind, thing);
    match action {
        "create" => {
            let said = format!("{who} created {name}.");
            let details = details(thing);
            let text = quote(thing.first(&["description", "content"]).str());
            Message::new(event, topic, [&*said, &*details, &*text]).into()
        }
        "delete" => {
            let name = numbered(thing, &bold(title(thing)));
            let said = format!("{who} deleted {} {name}.", noun(kind));
            Message::new(event, topic, [&*said]).into()
        }
        _ => change(event, &who, &name, body, topic),
    }
}

/// A user story that is added to an epic or removed from one.
fn related(event: &'static str, who: &str, action: &str, thing: Node<'_>) -> Outcome {
    let (story, epic) = (thing.at("user_story"), thing.at("epic"));
    let (story_name, epic_name) = (name("userstory", story), name("epic", epic));
    let said = match action {
        "create" => format!("{who} added {story_name} to {epic_name}."),
        "delete" => format!("{who} removed {story_name} from {epic_name}."),
        _ => return Outcome::Ignored,
    };
    Message::new(event, topic("epic", epic), [&*said]).into()
}

fn change(event: &'static str, who: &str, name: &str, body: Node<'_>, topic: String) -> Outcome {
    let change = body.at("change");
    let comment = quote(change.at("comment").str());
    let diff = change.at("diff");
    let changes = diff::changes(diff);
    let note = quote(&text_of(diff.at("blocked_note_html/to").str()));
    let text = if diff.at("description_diff").exists() || diff.at("content_diff").exists() {
        quote(body.first(&["data/description", "data/content"]).str())
    } else {
        String::new()
    };
    let said = changed(who, name, &changes);
    let is_edited = change.at("edit_comment_date").exists();
    let is_deleted = change.at("delete_comment_date").exists();
    let said = match (is_deleted, is_edited, comment.is_empty()) {
        _ if !changes.is_empty() => said,
        (true, _, _) => format!("{who} deleted a comment on {name}."),
        (_, true, _) => format!("{who} edited a comment on {name}:"),
        (_, _, false) => format!("{who} commented on {name}:"),
        _ if diff.fields().next().is_some() => return Outcome::Ignored,
        _ => said,
    };
    let comment = if is_deleted { "" } else { &comment };
    Message::new(event, topic, [&*said, &*note, &*text, comment]).into()
}

fn noun(kind: &str) -> &'static str {
    match kind {
        "userstory" => "user story",
        "milestone" => "sprint",
        "wikipage" => "wiki page",
        "epic" => "epic",
        "task" => "task",
        _ => "issue",
    }
}

/// Number, if there is one, and a title, which may be Markdown.
fn numbered(thing: Node<'_>, title: &str) -> String {
    match thing.at("ref").number() {
        Some(number) => format!("#{number} {title}"),
        None => title.to_owned(),
    }
}

fn title(thing: Node<'_>) -> &str {
    thing.first(&["subject", "name", "slug"]).str()
}

/// A thing with its link.
fn name(kind: &str, thing: Node<'_>) -> String {
    let title = numbered(thing, &escape(title(thing)));
    format!("{} {}", noun(kind), linked(&title, &address(kind, thing)))
}

/// The address of a thing, which older versions do not send.
fn address(kind: &str, thing: Node<'_>) -> String {
    let address = thing.at("permalink").str();
    let project = thing.at("project/permalink").str();
    if !address.is_empty() || project.is_empty() {
        return address.to_owned();
    }
    let part = match kind {
        "userstory" => "us",
        "milestone" => "taskboard",
        "wikipage" => "wiki",
        other => other,
    };
    let id = thing.first(&["ref", "slug"]).text();
    format!("{project}/{part}/{id}")
}

fn topic(kind: &str, thing: Node<'_>) -> String {
    let project = thing.at("project/name").str();
    let thing = format!("{} {}", noun(kind), numbered(thing, title(thing)));
    if project.is_empty() {
        capitalized(&thing)
    } else {
        format!("{project} / {thing}")
    }
}

fn details(thing: Node<'_>) -> String {
    let of = |label: &str, path: &str| match thing.at(path).str() {
        "" => None,
        value => Some(format!("{label}: {}", bold(value))),
    };
    let parts = [
        of("type", "type/name"),
        of("priority", "priority/name"),
        of("severity", "severity/name"),
        of("status", "status/name"),
        of("assignee", "assigned_to/full_name"),
        of("sprint", "milestone/name"),
        of("from", "estimated_start"),
        of("to", "estimated_finish"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    capitalized(&parts.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::TAIGA;
    use crate::testing::{message, outcome};
    use crate::{Message, Outcome};

    fn body(kind: &str, action: &str, change: &Value) -> Value {
        json!({"type": kind, "action": action, "by": {"full_name": "Ann"}, "change": change, "data": {
            "ref": 5, "subject": "Cart", "description": "All of *it*", "status": {"name": "New"},
            "project": {"name": "Shop", "permalink": "https://taiga.example.org/project/shop"}}})
    }

    fn said(kind: &str, action: &str, change: &Value) -> Message {
        message(&TAIGA, &[], &body(kind, action, change))
    }

    const STORY: &str = "user story [#5 Cart](https://taiga.example.org/project/shop/us/5)";

    #[test]
    fn things_are_created_and_deleted() {
        let created = said("userstory", "create", &json!(null));
        assert_eq!(created.topic, "Shop / user story #5 Cart");
        assert_eq!(created.event, "userstory_create");
        assert_eq!(
            created.content,
            format!("Ann created {STORY}.\nStatus: **New**\n```quote\nAll of *it*\n```")
        );
        let deleted = said("epic", "delete", &json!(null));
        assert_eq!(deleted.content, "Ann deleted epic #5 **Cart**.");
    }

    #[test]
    fn changes_say_from_and_to() {
        for (diff, expected) in [
            (
                json!({"assigned_to": {"from": null, "to": "Bo"}, "kanban_order": {"from": 1, "to": 2}}),
                format!("Ann assigned {STORY} to **Bo**."),
            ),
            (
                json!({"status": {"from": "New", "to": "Done"}, "is_closed": {"from": false, "to": true}}),
                format!("Ann moved {STORY} from New to **Done**."),
            ),
            (
                json!({"points": {"UX": {"from": "?", "to": "5"}}}),
                format!("Ann changed the UX points of {STORY} from ? to **5**."),
            ),
            (
                json!({"is_blocked": {"from": false, "to": true}, "blocked_note_html": {"to": "<p>Wait</p>"}}),
                format!("Ann blocked {STORY}.\n```quote\nWait\n```"),
            ),
            (
                json!({"description_diff": "see the history"}),
                format!("Ann changed the description of {STORY}.\n```quote\nAll of *it*\n```"),
            ),
            (
                json!({"milestone": {"from": "W1", "to": null}, "subject": {"from": "Car", "to": "Cart"}}),
                format!("Ann updated {STORY}:\n* Sprint removed: W1\n* Title: Car → **Cart**"),
            ),
        ] {
            let said = said("userstory", "change", &json!({"diff": diff}));
            assert_eq!(said.content, expected);
        }
        let order = json!({"diff": {"kanban_order": {"from": 1, "to": 2}}});
        let ignored = outcome(&TAIGA, &[], &body("userstory", "change", &order));
        assert_eq!(ignored, Outcome::Ignored);
    }

    #[test]
    fn comments_are_quoted() {
        let comment = json!({"comment": "Fine @**all**", "diff": {}});
        assert_eq!(
            said("userstory", "change", &comment).content,
            format!("Ann commented on {STORY}:\n```quote\nFine &#64;**all**\n```")
        );
        let deleted = json!({"comment": "Fine", "delete_comment_date": "2026-03-04", "diff": {}});
        assert_eq!(
            said("userstory", "change", &deleted).content,
            format!("Ann deleted a comment on {STORY}.")
        );
    }

    #[test]
    fn stories_join_epics() {
        let body = json!({"type": "relateduserstory", "action": "create", "by": {"full_name": "Ann"},
            "data": {"epic": {"ref": 9, "subject": "*E*"}, "user_story": {"ref": 8, "subject": "S"}}});
        let said = message(&TAIGA, &[], &body);
        assert_eq!(said.topic, "Epic #9 *E*");
        assert_eq!(
            said.content,
            "Ann added user story #8 S to epic #9 &#42;E&#42;."
        );
    }
}
