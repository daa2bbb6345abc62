//! Tests of the integration.

use serde_json::{Value, json};

use super::PAGERDUTY;
use crate::testing::message;

fn incident(kind: &str) -> Value {
    json!({"event": {"event_type": kind, "agent": {"summary": "Ann *A*"}, "data": {"type": "incident", "number": 10,
        "title": "Disk [full] @**all**", "html_url": "https://x.pagerduty.com/i/1", "urgency": "high", "priority": null,
        "service": {"summary": "db_1", "html_url": "https://x.pagerduty.com/s/1"},
        "assignees": [{"summary": "Bob", "html_url": "https://x.pagerduty.com/u/1"}]}}})
}

#[test]
fn incidents_name_who_did_what() {
    let shown = "[#10 Disk [full] @&#42;&#42;all&#42;&#42;](https://x.pagerduty.com/i/1)";
    let details = "Service [db_1](https://x.pagerduty.com/s/1) · urgency `high`";
    let bob = "[Bob](https://x.pagerduty.com/u/1)";
    let ann = "Ann &#42;A&#42;";
    for (kind, said) in [
        (
            "incident.triggered",
            format!("Incident {shown} was **triggered** by {ann} and is assigned to {bob}."),
        ),
        (
            "incident.acknowledged",
            format!("Incident {shown} was **acknowledged** by {ann}."),
        ),
        (
            "incident.reassigned",
            format!("Incident {shown} was **reassigned** to {bob} by {ann}."),
        ),
        (
            "incident.resolved",
            format!("Incident {shown} was **resolved** by {ann}."),
        ),
        (
            "incident.priority_updated",
            format!("The priority of incident {shown} was changed to **none** by {ann}."),
        ),
    ] {
        let said_here = message(&PAGERDUTY, &[], &incident(kind));
        assert_eq!(
            (said_here.event, &*said_here.topic),
            (kind, "Disk [full] @**all**")
        );
        assert_eq!(said_here.content, format!("{said}\n{details}"));
    }
    let said = message(&PAGERDUTY, &[], &incident("incident.new_kind"));
    assert_eq!(said.event, "");
    assert_eq!(
        said.content,
        format!("Incident {shown}: **new kind** by {ann}.\n{details}")
    );
}

#[test]
fn notes_responders_and_services() {
    let event = |kind: &str, data: Value| json!({"event": {"event_type": kind, "agent": {"summary": "Ann"}, "data": data}});
    let incident = json!({"summary": "Disk full", "html_url": "https://x.pagerduty.com/i/1"});
    let shown = "incident [Disk full](https://x.pagerduty.com/i/1)";
    for (kind, data, said) in [
        (
            "incident.annotated",
            json!({"incident": incident, "content": "*on it*"}),
            format!("A **note** was added to {shown} by Ann:\n```quote\n&#42;on it&#42;\n```"),
        ),
        (
            "incident.responder.added",
            json!({"incident": incident, "user": {"summary": "Bob"}}),
            format!("**Bob** was asked to **respond** to {shown} by Ann."),
        ),
        (
            "incident.custom_field_values.updated",
            json!({"incident": incident, "changed_fields": ["a"], "custom_fields":
            [{"name": "a", "display_name": "Area", "value": ["x", "y"]}, {"name": "b", "value": 1}]}),
            format!("Fields of {shown} were changed by Ann:\n* **Area**: x, y"),
        ),
        (
            "service.created",
            json!({"summary": "db", "html_url": "https://x.pagerduty.com/s/1"}),
            "The service [db](https://x.pagerduty.com/s/1) was **created** by Ann.".to_owned(),
        ),
        (
            "pagey.ping",
            json!({"message": "Hello", "type": "ping"}),
            "PagerDuty tests the webhook.\nHello".to_owned(),
        ),
    ] {
        let said_here = message(&PAGERDUTY, &[], &event(kind, data));
        assert_eq!((said_here.event, said_here.content), (kind, said));
    }
}

#[test]
fn older_webhooks() {
    let body = json!({"messages": [{"type": "incident.resolve", "data": {"incident": {"incident_number": 2,
        "html_url": "https://x.pagerduty.com/i/2", "trigger_summary_data": {"subject": "new"},
        "service": {"name": "db"}, "last_status_change_by": null}}}]});
    let said = message(&PAGERDUTY, &[], &body);
    assert_eq!((said.event, &*said.topic), ("incident.resolved", "new"));
    assert_eq!(
        said.content,
        "Incident [#2 new](https://x.pagerduty.com/i/2) was **resolved** automatically.\nService db"
    );
    let body = json!({"messages": [{"event": "incident.assign", "incident": {"incident_number": 33, "title": "My incident",
        "service": {"name": "db"}, "assignments": [{"assignee": {"summary": "Bob"}}]}}]});
    let said = message(&PAGERDUTY, &[], &body);
    assert_eq!(
        (said.event, &*said.content),
        (
            "incident.reassigned",
            "Incident #33 My incident was **assigned** to Bob.\nService db"
        )
    );
}
