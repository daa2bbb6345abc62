//! What else a thing says: its customer, plan, state, reason and times.

use super::{address, money};
use crate::Node;
use crate::changes::capitalized;
use crate::text::{bold, escape, link, linked};
use crate::time::time;

pub(super) fn lines(thing: Node<'_>, kind: &str, is_live: bool) -> String {
    let is_update = kind.ends_with(".updated");
    let of = |label: &str, paths: &[&str]| match thing.first(paths).text() {
        value if value.is_empty() => None,
        value => Some(format!("{label}: {}", bold(&value))),
    };
    let moment = |label: &str, path: &str| match thing.at(path).text() {
        value if value.is_empty() => None,
        value => Some(format!("{label}: {}", time(&value))),
    };
    let object = thing.at("object").str();
    let mut parts = vec![customer(thing, is_live), plan(thing)];
    match object {
        "customer" if thing.at("name").exists() => parts.push(of("email", &["email"])),
        "subscription" => parts.push(of("quantity", &["quantity"])),
        "dispute" => parts.extend([of("status", &["status"]), of("reason", &["reason"])]),
        "refund" | "payout" if !is_update => parts.push(of("status", &["status"])),
        "discount" | "coupon" => parts.push(discount(thing)),
        _ => {}
    }
    if ["charge", "invoice", "payment_intent", "checkout.session"].contains(&object) && !is_update {
        parts.push(of("description", &["description"]));
    }
    match kind {
        "customer.subscription.trial_will_end" => parts.push(moment("trial ends", "trial_end")),
        "invoice.payment_failed" => {
            parts.push(of("attempts", &["attempt_count"]));
            parts.push(moment("next attempt", "next_payment_attempt"));
        }
        "invoice.finalized" | "invoice.sent" => parts.push(moment("due", "due_date")),
        "payout.created" => parts.push(moment("arrives", "arrival_date")),
        "charge.dispute.created" => parts.push(moment("evidence due", "evidence_details/due_by")),
        _ => {}
    }
    parts.push(card(thing).filter(|_| !is_update));
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let reason = [
        "failure_message",
        "last_payment_error/message",
        "failure_reason",
    ];
    let reason = match thing.first(&reason).str() {
        "" => String::new(),
        reason => format!("Reason: {}", escape(reason)),
    };
    let page = linked("Page of the invoice", thing.at("hosted_invoice_url").str());
    let page = if thing.at("hosted_invoice_url").exists() {
        page
    } else {
        String::new()
    };
    let lines = [capitalized(&parts.join(", ")), reason, page];
    let lines: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("\n")
}

fn customer(thing: Node<'_>, is_live: bool) -> Option<String> {
    let id = thing.first(&["customer", "customer/id"]).str();
    if id.is_empty() {
        return None;
    }
    let name = [
        "customer_name",
        "customer_details/name",
        "billing_details/name",
    ];
    let email = [
        "customer_email",
        "customer_details/email",
        "billing_details/email",
        "receipt_email",
    ];
    let shown = match (thing.first(&name).str(), thing.first(&email).str()) {
        ("", "") => id.to_owned(),
        (name, "") | ("", name) => name.to_owned(),
        (name, email) => format!("{name} ({email})"),
    };
    let url = address("customer", id, is_live);
    Some(format!("customer: {}", link(&shown, &url)))
}

fn plan(thing: Node<'_>) -> Option<String> {
    let plan = thing.first(&["plan", "items/data/0/plan", "items/data/0/price"]);
    let name = plan.first(&["nickname", "name", "id"]).str();
    if name.is_empty() {
        return None;
    }
    let price = plan.first(&["amount", "unit_amount"]).number();
    let price = price.map(|amount| money::written(amount, plan.at("currency").str()));
    let interval = plan.first(&["interval", "recurring/interval"]).str();
    let count = plan
        .first(&["interval_count", "recurring/interval_count"])
        .number();
    let interval = match count {
        Some(count) if count > 1 => format!("{count} {interval}s"),
        _ => interval.to_owned(),
    };
    let price = price.map(|price| format!(" ({price} per {})", escape(&interval)));
    Some(format!("plan: {}{}", bold(name), price.unwrap_or_default()))
}

fn discount(thing: Node<'_>) -> Option<String> {
    let paths = [
        "percent_off_precise",
        "coupon/percent_off_precise",
        "percent_off",
        "coupon/percent_off",
    ];
    let percent = thing.first(&paths).text();
    (!percent.is_empty()).then(|| format!("discount: {}", bold(&format!("{percent} %"))))
}

fn card(thing: Node<'_>) -> Option<String> {
    let card = thing.first(&["payment_method_details/card", "card", "source"]);
    let (brand, digits) = (card.at("brand").str(), card.at("last4").str());
    let is_card = !brand.is_empty() && !digits.is_empty();
    is_card.then(|| format!("card: {}", bold(&format!("{brand} ···{digits}"))))
}
