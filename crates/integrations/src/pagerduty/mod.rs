//! PagerDuty: incidents and services, in webhooks of version 3 and of the older versions 1 and 2.
//!
//! Nothing is ignored; an event of an unknown kind becomes a message with its name.

mod event;
mod older;

use crate::message::event;
use crate::{Call, Integration, Outcome, Proof};

pub(crate) static PAGERDUTY: Integration = Integration {
    name: "pagerduty",
    display_name: "PagerDuty",
    setup: "Integrations > Generic Webhooks (v3) > New Webhook\n\
            Webhook URL: ADDRESS\n\
            Webhook signing secret: SECRET",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "x-pagerduty-signature",
        prefix: "v1=",
    }),
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "incident.acknowledged",
    "incident.annotated",
    "incident.conference_bridge.updated",
    "incident.custom_field_values.updated",
    "incident.delegated",
    "incident.escalated",
    "incident.incident_type.changed",
    "incident.priority_updated",
    "incident.reassigned",
    "incident.reopened",
    "incident.resolved",
    "incident.responder.added",
    "incident.responder.replied",
    "incident.role.assigned",
    "incident.role.unassigned",
    "incident.service_updated",
    "incident.status_update_published",
    "incident.triggered",
    "incident.unacknowledged",
    "incident.workflow.completed",
    "incident.workflow.started",
    "pagey.ping",
    "service.created",
    "service.custom_field_values.updated",
    "service.deleted",
    "service.updated",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let kind = body.at("event/event_type").str();
    if !kind.is_empty() {
        return event::read(event(EVENTS, kind), kind, body.at("event")).into();
    }
    older::read(body.at("messages")).into()
}

#[cfg(test)]
mod tests;
