//! The subject of a call, unless it is a change of a story or epic.

use super::{Body, bold_or, kind, name, named, numbered, title};
use crate::Node;
use crate::changes::capitalized;
use crate::text::{bold, escape, linked, quote};

/// Lines about the first action and the links that come with it.
pub(super) fn parts(body: Body<'_>, first: Node<'_>) -> Vec<String> {
    let mut parts = match (kind(first), first.at("action").str()) {
        ("story" | "epic", "update") => Vec::new(),
        ("story" | "epic", "create") => created(body, first),
        ("story-task", action) => vec![task(body, first, action)],
        ("story-comment" | "epic-comment" | "comment", action) => comment(body, first, action),
        // The story that it belongs to says so.
        ("branch" | "pull-request" | "commit", _) if is_of_story(body) => Vec::new(),
        ("pull-request", "comment") => {
            vec![format!("{} has a new comment.", capitalized(&name(first)))]
        }
        (_, "delete") => vec![deleted(first)],
        (_, action) => vec![capitalized(&format!(
            "{} was {}.",
            name(first),
            done(action)
        ))],
    };
    let links = body
        .actions()
        .filter(|action| kind(*action) == "story-link");
    let links = links.filter(|link| link.at("action").str() == "create");
    parts.extend(links.map(|link| relation(body, link)));
    parts
}

fn is_of_story(body: Body<'_>) -> bool {
    let linked = [
        "branch_ids",
        "pull_request_ids",
        "commit_ids",
        "workflow_state_id",
    ];
    body.actions().any(|action| {
        let changes = action.at("changes");
        kind(action) == "story" && linked.iter().any(|name| changes.at(name).exists())
    })
}

fn done(action: &str) -> String {
    match action {
        "create" => "created".to_owned(),
        "open" => "opened".to_owned(),
        "close" => "closed".to_owned(),
        "update" => "updated".to_owned(),
        "merge" => "merged".to_owned(),
        other => escape(other),
    }
}

fn deleted(thing: Node<'_>) -> String {
    let kind = escape(kind(thing)).replace('-', " ");
    let name = numbered(thing, &bold_or(title(thing), ""));
    format!("{} {} was deleted.", capitalized(&kind), name.trim())
}

fn created(body: Body<'_>, thing: Node<'_>) -> Vec<String> {
    let who = body.who();
    let said = if who.is_empty() {
        format!("{} was created.", capitalized(&name(thing)))
    } else {
        format!("{who} created {}.", name(thing))
    };
    let of = |label: &str, key: &str| {
        let name = body.find(&thing.at(key).text()).at("name").str();
        (!name.is_empty()).then(|| format!("{label}: {}", bold(name)))
    };
    let kind = thing.at("story_type").str();
    let details = [
        (!kind.is_empty()).then(|| format!("type: {}", bold(kind))),
        of("project", "project_id"),
        of("epic", "epic_id"),
        of("status", "workflow_state_id"),
        of("status", "epic_state_id"),
        of("iteration", "iteration_id"),
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    let description = quote(thing.at("description").str());
    vec![said, capitalized(&details.join(", ")), description]
}

fn task(body: Body<'_>, task: Node<'_>, action: &str) -> String {
    let story = name(body.parent(task));
    let text = bold_or(task.at("description").str(), "without a text");
    let complete = task.at("changes/complete/new");
    match action {
        "create" => format!("Task {text} was added to {story}."),
        "delete" => format!("Task {text} was deleted from {story}."),
        _ if complete.is_true() => format!("Task {text} of {story} was completed."),
        _ if complete.exists() => format!("Task {text} of {story} was reopened."),
        _ => format!("Task {text} of {story} was updated."),
    }
}

fn comment(body: Body<'_>, comment: Node<'_>, action: &str) -> Vec<String> {
    let story = name(body.parent(comment));
    let url = comment.first(&["app_url", "url"]).str();
    let who = body.who();
    let said = match (action, who.is_empty()) {
        ("delete", true) => format!("A comment on {story} was deleted."),
        ("delete", false) => format!("{who} deleted a comment on {story}."),
        ("create", true) => format!("{} was added to {story}:", linked("A comment", url)),
        ("create", false) => format!("{who} {} on {story}:", linked("commented", url)),
        (_, true) => format!("{} on {story} was edited:", linked("A comment", url)),
        (_, false) => format!("{who} edited {} on {story}:", linked("a comment", url)),
    };
    let text = comment.first(&["text", "changes/text/new"]).str();
    vec![said, quote(text)]
}

/// A link between two stories.
fn relation(body: Body<'_>, link: Node<'_>) -> String {
    let side = |key: &str| {
        let id = link.at(key).text();
        match body.find(&id) {
            story if story.exists() => named(story),
            _ => format!("#{}", escape(&id)),
        }
    };
    let verb = escape(link.at("verb").str());
    format!("Story {} {verb} {}.", side("subject_id"), side("object_id"))
}
