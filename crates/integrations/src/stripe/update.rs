//! What an update changes.

use super::money;
use crate::Node;
use crate::changes::Change;
use crate::time::time;

/// The changes of fields that people know. Ids, addresses of files and nested things are left out.
pub(super) fn changes(thing: Node<'_>, previous: Node<'_>) -> Vec<Change> {
    let fields = previous.fields();
    fields
        .filter_map(|(name, old)| change(name, old, thing))
        .collect()
}

fn change(name: &str, old: Node<'_>, thing: Node<'_>) -> Option<Change> {
    let new = thing.at(name);
    let is_nested = |node: Node<'_>| {
        let value = node.value();
        value.is_some_and(|value| value.is_object() || value.is_array())
    };
    let ends = [
        "_url",
        "_pdf",
        "_id",
        "_intent",
        "_key",
        "_token",
        "_at",
        "_settings",
    ];
    let machine = [
        "billing_cycle_anchor",
        "charge",
        "current_period_start",
        "default_source",
        "ending_balance",
        "latest_charge",
        "latest_invoice",
        "payment_method",
        "start",
        "trial_start",
    ];
    let is_machine = ends.iter().any(|end| name.ends_with(end)) || machine.contains(&name);
    if is_machine || is_nested(old) || is_nested(new) {
        return None;
    }
    let label = name.replace('_', " ");
    let is_time = name.ends_with("_end") && name != "cancel_at_period_end"
        || name.ends_with("_date")
        || ["cancel_at", "date", "due_by"].contains(&name);
    let is_money = name.starts_with("amount") || ["total", "subtotal", "balance"].contains(&name);
    let currency = thing.at("currency").str();
    let shown = |node: Node<'_>| match (node.number(), &*node.text()) {
        (Some(amount), _) if is_money => money::written(amount, currency),
        (_, "true") => "yes".to_owned(),
        (_, "false") => "no".to_owned(),
        (_, text) => text.to_owned(),
    };
    if is_time {
        let shown = |node: Node<'_>| match node.text() {
            text if text.is_empty() => text,
            text => time(&text),
        };
        return Some(Change::markdown(&label, shown(old), shown(new)));
    }
    Some(Change::value(&label, &shown(old), &shown(new)))
}
