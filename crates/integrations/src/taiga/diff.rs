//! The fields that a change names.

use crate::Node;
use crate::changes::Change;
use crate::text::{escape, link};

/// The changes of a thing, without those of its place on a board and what follows from others.
pub(super) fn changes(diff: Node<'_>) -> Vec<Change> {
    diff.fields()
        .flat_map(|(name, change)| field(name, change))
        .collect()
}

fn field(name: &str, change: Node<'_>) -> Vec<Change> {
    let (from, to) = (value(change.at("from")), value(change.at("to")));
    let named = |name: &str| vec![Change::value(name, &from, &to)];
    match name {
        "assigned_to" => named("assignee"),
        "assigned_users" => named("assigned users"),
        "subject" | "name" => named("title"),
        "milestone" => named("sprint"),
        "due_date" => named("due date"),
        "user_story" => named("user story"),
        "estimated_start" => named("start"),
        "estimated_finish" => named("end"),
        "client_requirement" => named("client requirement"),
        "team_requirement" => named("team requirement"),
        "priority" | "severity" | "status" | "tags" | "type" => named(name),
        "is_blocked" if change.at("to").is_true() => vec![Change::done("blocked")],
        "is_blocked" => vec![Change::done("unblocked")],
        "description_diff" => vec![Change::unseen("description")],
        "content_diff" => vec![Change::unseen("text")],
        "custom_attributes" => vec![Change::unseen("custom fields")],
        "attachments" => attachments(change),
        "points" => change
            .fields()
            .map(|(role, change)| {
                let (from, to) = (value(change.at("from")), value(change.at("to")));
                Change::value(&format!("{role} points"), &from, &to)
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn attachments(change: Node<'_>) -> Vec<Change> {
    let name = |file: Node<'_>| escape(file.at("filename").str());
    let linked = |file: Node<'_>| link(file.at("filename").str(), file.at("url").str());
    let added = change.at("new").list();
    let removed = change.at("deleted").list();
    let added = added.map(|file| Change::added("attachment", linked(file)));
    added
        .chain(removed.map(|file| Change::removed("attachment", name(file))))
        .collect()
}

fn value(node: Node<'_>) -> String {
    let list: Vec<String> = node.list().map(Node::text).collect();
    if !list.is_empty() {
        return list.join(", ");
    }
    match &*node.text() {
        "None" => String::new(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        text => text.to_owned(),
    }
}
