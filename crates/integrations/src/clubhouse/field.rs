//! The fields of a story or epic that an action changes.

use super::{Body, named};
use crate::Node;
use crate::changes::Change;
use crate::text::{bold, code, count, escape, linked};
use crate::time::time;

pub(super) fn changes(body: Body<'_>, action: Node<'_>) -> Vec<Change> {
    let fields = action.at("changes").fields();
    fields
        .flat_map(|(name, change)| field(body, name, change))
        .collect()
}

fn field(body: Body<'_>, name: &str, change: Node<'_>) -> Vec<Change> {
    let (old, new) = (change.at("old"), change.at("new"));
    let reference = |label: &str| {
        let name = |id: Node<'_>| match body.find(&id.text()).at("name").str() {
            // A name that the call leaves out.
            "" if id.exists() => "another".to_owned(),
            name => name.to_owned(),
        };
        vec![Change::value(label, &name(old), &name(new))]
    };
    let plain = |label: &str| vec![Change::value(label, &old.text(), &new.text())];
    let moment = |label: &str| {
        let shown = |value: Node<'_>| match value.str() {
            "" => String::new(),
            text => time(text),
        };
        vec![Change::markdown(label, shown(old), shown(new))]
    };
    let switch = |on: &'static str, off: &'static str| {
        vec![Change::done(if new.is_true() { on } else { off })]
    };
    match name {
        "name" => plain("title"),
        "story_type" => plain("type"),
        "state" => plain("status"),
        "workflow_state_id" | "epic_state_id" => reference("status"),
        "project_id" => reference("project"),
        "epic_id" => reference("epic"),
        "iteration_id" => reference("iteration"),
        "group_id" => reference("team"),
        "milestone_id" => reference("milestone"),
        "deadline" => moment("due date"),
        "planned_start_date" => moment("start"),
        "archived" => switch("archived", "unarchived"),
        "blocked" => switch("blocked", "unblocked"),
        "description" if new.str().is_empty() => vec![Change::cleared("description")],
        "description" => vec![Change::unseen("description")],
        "estimate" => {
            let points = |value: Node<'_>| match value.number() {
                Some(points) => count(usize::try_from(points).unwrap_or_default(), "point"),
                None => String::new(),
            };
            vec![Change::value("estimate", &points(old), &points(new))]
        }
        "owner_ids" => members(body, "owner", change),
        "label_ids" => members(body, "label", change),
        "file_ids" | "linked_file_ids" => members(body, "attachment", change),
        "branch_ids" => members(body, "branch", change),
        "pull_request_ids" => members(body, "pull request", change),
        "commit_ids" => members(body, "commit", change),
        _ => Vec::new(),
    }
}

/// Values that a field gets and loses.
fn members(body: Body<'_>, label: &str, change: Node<'_>) -> Vec<Change> {
    let shown = |id: Node<'_>, is_new: bool| {
        let thing = body.find(&id.text());
        let name = thing
            .first(&["name", "title", "profile/name", "message"])
            .str();
        match label {
            _ if name.is_empty() => String::new(),
            "branch" => linked(&code(name), thing.at("url").str()),
            "pull request" => named(thing),
            _ if is_new => bold(name),
            _ => escape(name),
        }
    };
    let adds: Vec<String> = change.at("adds").list().map(|id| shown(id, true)).collect();
    let removes = change.at("removes").list().map(|id| shown(id, false));
    let removes: Vec<String> = removes.collect();
    if adds.iter().chain(&removes).any(String::is_empty) {
        let plural = if label == "branch" { "es" } else { "s" };
        return vec![Change::unseen(&format!("{label}{plural}"))];
    }
    let added = adds.into_iter().map(|name| Change::added(label, name));
    let removed = removes.into_iter().map(|name| Change::removed(label, name));
    added.chain(removed).collect()
}
