//! Stripe: charges and payments, invoices, subscriptions, customers, disputes, refunds, payouts and other things.
//!
//! Every kind of event becomes a message; kinds outside the list have the event `other`. Left out: `balance.available`,
//! which follows each payment, and updates in which only texts for machines change. Stripe repeats the id of a
//! delivery in the body, not in a header.

mod details;
mod money;
mod update;

use crate::changes::{Change, capitalized, changed};
use crate::text::{escape, link, linked};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

const EVENTS: &[&str] = &[
    "account.updated",
    "charge.captured",
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.dispute.funds_reinstated",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.updated",
    "charge.expired",
    "charge.failed",
    "charge.pending",
    "charge.refund.updated",
    "charge.refunded",
    "charge.succeeded",
    "charge.updated",
    "checkout.session.completed",
    "checkout.session.expired",
    "coupon.created",
    "coupon.deleted",
    "coupon.updated",
    "credit_note.created",
    "customer.created",
    "customer.deleted",
    "customer.discount.created",
    "customer.discount.deleted",
    "customer.discount.updated",
    "customer.subscription.created",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.trial_will_end",
    "customer.subscription.updated",
    "customer.updated",
    "invoice.created",
    "invoice.deleted",
    "invoice.finalized",
    "invoice.marked_uncollectible",
    "invoice.paid",
    "invoice.payment_action_required",
    "invoice.payment_failed",
    "invoice.payment_succeeded",
    "invoice.sent",
    "invoice.upcoming",
    "invoice.updated",
    "invoice.voided",
    "invoiceitem.created",
    "invoiceitem.deleted",
    "invoiceitem.updated",
    "other",
    "payment_intent.canceled",
    "payment_intent.created",
    "payment_intent.payment_failed",
    "payment_intent.processing",
    "payment_intent.requires_action",
    "payment_intent.succeeded",
    "payment_method.attached",
    "payment_method.detached",
    "payout.canceled",
    "payout.created",
    "payout.failed",
    "payout.paid",
    "payout.updated",
    "price.created",
    "price.deleted",
    "price.updated",
    "product.created",
    "product.deleted",
    "product.updated",
    "radar.early_fraud_warning.created",
    "refund.created",
    "refund.failed",
    "refund.updated",
    "review.closed",
    "review.opened",
    "transfer.created",
    "transfer.reversed",
];

pub(crate) static STRIPE: Integration = Integration {
    name: "stripe",
    display_name: "Stripe",
    setup: "Developers > Webhooks > Add endpoint\n\
            Endpoint URL: ADDRESS\n\
            Signing secret: SECRET",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Stripe),
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (kind, thing) = (body.at("type").str(), body.at("data/object"));
    if kind.is_empty() || !thing.exists() {
        return Outcome::Unknown;
    }
    if kind == "balance.available" {
        return Outcome::Ignored;
    }
    let is_live = !(body.at("livemode").value() == Some(&serde_json::Value::Bool(false)));
    let name = name(thing, is_live);
    let event = EVENTS.iter().copied().find(|known| *known == kind);
    let previous = body.at("data/previous_attributes");
    let said = if kind.ends_with(".updated") {
        let changes: Vec<Change> = update::changes(thing, previous);
        if changes.is_empty() && previous.fields().next().is_some() {
            return Outcome::Ignored;
        }
        changed("", &name, &changes)
    } else {
        format!("{} {}.", capitalized(&name), verb(kind))
    };
    let test = if is_live { "" } else { "(Test mode)" };
    let details = details::lines(thing, kind, is_live);
    Message::new(
        event.unwrap_or("other"),
        topic(thing),
        [&*said, &*details, test],
    )
    .into()
}

/// What happened, from the end of a kind.
fn verb(kind: &str) -> String {
    let end = kind.rsplit('.').next().unwrap_or_default();
    let verb = match end {
        "succeeded" | "failed" | "expired" | "completed" => return end.to_owned(),
        "payment_failed" | "payment_succeeded" if kind.starts_with("payment_intent") => {
            if end == "payment_failed" {
                "failed"
            } else {
                "succeeded"
            }
        }
        "payment_failed" => "could not be paid",
        "payment_succeeded" | "paid" if kind.starts_with("invoice") => "was paid",
        "paid" => "was paid out",
        "pending" | "processing" | "upcoming" => return format!("is {end}"),
        "payment_action_required" | "requires_action" => "needs an action of the customer",
        "trial_will_end" => "is about to leave its trial",
        "marked_uncollectible" => "was marked as uncollectible",
        "funds_reinstated" => "gave the money back",
        "funds_withdrawn" => "took the money",
        "deleted" if kind.starts_with("customer.subscription") => "was canceled",
        "attached" | "canceled" | "captured" | "closed" | "created" | "deleted" | "detached"
        | "finalized" | "opened" | "paused" | "refunded" | "resumed" | "reversed" | "sent"
        | "voided" => return format!("was {end}"),
        other => return format!("has the event {}", crate::text::code(other)),
    };
    verb.to_owned()
}

/// The kind of a thing, as a noun.
fn noun(thing: Node<'_>) -> String {
    match thing.at("object").str() {
        "checkout.session" => "checkout session".to_owned(),
        "invoiceitem" => "invoice item".to_owned(),
        "payment_intent" => "payment".to_owned(),
        "radar.early_fraud_warning" => "early fraud warning".to_owned(),
        "" => "thing".to_owned(),
        other => escape(&other.replace(['_', '.'], " ")),
    }
}

/// A thing with its link, and how much money it is about.
fn name(thing: Node<'_>, is_live: bool) -> String {
    let noun = noun(thing);
    let kind = thing.at("object").str();
    let paths: &[&str] = match kind {
        "customer" => &["name", "email", "id"],
        "discount" => &["coupon/name", "coupon/id", "source/coupon"],
        "invoiceitem" => &["description", "id"],
        "account" => &["business_profile/name", "email", "id"],
        _ => &["number", "name", "id"],
    };
    let title = thing.first(paths).str();
    let url = match kind {
        // A refund is shown with its payment.
        "refund" => {
            let payment = thing.first(&["payment_intent", "charge"]).str();
            address("charge", payment, is_live)
        }
        _ => address(kind, thing.at("id").str(), is_live),
    };
    let linked = match kind {
        // Ids of these mean nothing to people, so the noun is the link.
        "charge" | "dispute" | "payment_intent" | "payout" | "refund" | "subscription" => {
            linked(&noun, &url)
        }
        _ => format!("{noun} {}", link(title, &url)),
    };
    match money::of(thing) {
        amount if amount.is_empty() => linked,
        amount => format!("{linked} of **{amount}**"),
    }
}

/// The page of a thing in Stripe's dashboard.
fn address(kind: &str, id: &str, is_live: bool) -> String {
    if id.is_empty() {
        return String::new();
    }
    let part = match kind {
        "charge" | "payment_intent" => "payments",
        "account" => "connect/accounts",
        "transfer" => "connect/transfers",
        "coupon" | "customer" | "dispute" | "invoice" | "payout" | "price" | "product"
        | "subscription" => {
            let mode = if is_live { "" } else { "test/" };
            return format!("https://dashboard.stripe.com/{mode}{kind}s/{id}");
        }
        _ => return String::new(),
    };
    let mode = if is_live { "" } else { "test/" };
    format!("https://dashboard.stripe.com/{mode}{part}/{id}")
}

/// The customer, if a thing belongs to one, so that all about a customer is in one place.
fn topic(thing: Node<'_>) -> String {
    let kind = thing.at("object").str();
    let customer = thing.first(&["customer", "customer/id"]).str();
    let customer = if kind == "customer" {
        thing.at("id").str()
    } else {
        customer
    };
    if customer.is_empty() {
        format!("{}s", capitalized(&noun(thing)))
    } else {
        format!("Customer {customer}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::STRIPE;
    use crate::testing::{message, outcome};
    use crate::{Message, Outcome};

    fn body(kind: &str, object: &Value, previous: &Value) -> Value {
        json!({"type": kind, "livemode": true, "data": {"object": object, "previous_attributes": previous}})
    }

    fn said(kind: &str, object: &Value) -> Message {
        message(&STRIPE, &[], &body(kind, object, &json!(null)))
    }

    #[test]
    fn charges_have_an_amount_and_a_customer() {
        let charge = json!({"object": "charge", "id": "ch_1", "amount": 1250, "currency": "eur", "customer": "cus_1",
            "failure_message": "Your card was *declined*.", "billing_details": {"name": "Ann", "email": "a@x.org"},
            "payment_method_details": {"card": {"brand": "visa", "last4": "4242"}}});
        let said = said("charge.failed", &charge);
        assert_eq!(
            (said.event, &*said.topic),
            ("charge.failed", "Customer cus_1")
        );
        assert_eq!(
            said.content,
            "[Charge](https://dashboard.stripe.com/payments/ch_1) of **12.50 EUR** failed.\n\
             Customer: [Ann (a@x.org)](https://dashboard.stripe.com/customers/cus_1), card: **visa ···4242**\n\
             Reason: Your card was &#42;declined&#42;."
        );
    }

    #[test]
    fn updates_say_from_and_to() {
        let invoice = json!({"object": "invoice", "id": "in_1", "number": "A-1", "total": 500, "currency": "jpy",
            "status": "open", "due_date": 1767225600, "invoice_pdf": "x"});
        let previous = json!({"status": "draft", "due_date": null, "invoice_pdf": null});
        let said = message(&STRIPE, &[], &body("invoice.updated", &invoice, &previous));
        assert_eq!(said.topic, "Invoices");
        assert_eq!(
            said.content,
            "Invoice [A-1](https://dashboard.stripe.com/invoices/in_1) of **500 JPY** was updated:\n\
             * Due date: <time:2026-01-01T00:00:00Z>\n* Status: draft → **open**"
        );
        let machine = body("invoice.updated", &invoice, &json!({"invoice_pdf": null}));
        assert_eq!(outcome(&STRIPE, &[], &machine), Outcome::Ignored);
    }

    #[test]
    fn other_things_have_their_own_words() {
        for (kind, object, topic, content) in [
            (
                "customer.created",
                json!({"object": "customer", "id": "cus_1", "name": "@**all**"}),
                "Customer cus_1",
                "Customer [@&#42;&#42;all&#42;&#42;](https://dashboard.stripe.com/customers/cus_1) was created.",
            ),
            (
                "charge.dispute.closed",
                json!({"object": "dispute", "id": "dp_1", "amount": 100, "currency": "usd", "reason": "general",
                    "status": "won"}),
                "Disputes",
                "[Dispute](https://dashboard.stripe.com/disputes/dp_1) of **1.00 USD** was closed.\n\
                 Status: **won**, reason: **general**",
            ),
            (
                "customer.subscription.deleted",
                json!({"object": "subscription", "id": "sub_1", "customer": "cus_1", "quantity": 2, "plan":
                    {"nickname": "Gold", "amount": 900, "currency": "usd", "interval": "month", "interval_count": 1}}),
                "Customer cus_1",
                "[Subscription](https://dashboard.stripe.com/subscriptions/sub_1) was canceled.\n\
                 Customer: [cus\\_1](https://dashboard.stripe.com/customers/cus_1), plan: **Gold** (9.00 USD per month), \
                 quantity: **2**",
            ),
            (
                "tax_rate.strange",
                json!({"object": "tax_rate", "id": "txr_1"}),
                "Tax rates",
                "Tax rate txr_1 has the event `strange`.",
            ),
        ] {
            let said = said(kind, &object);
            let content = content.replace("\\_", "_");
            assert_eq!((&*said.topic, said.content), (topic, content));
        }
    }
}
