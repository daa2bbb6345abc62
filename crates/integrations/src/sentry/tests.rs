//! Tests of the integration.

use serde_json::json;

use super::SENTRY;
use crate::Outcome;
use crate::testing::{message, outcome};

#[test]
fn alerts_show_the_place_in_the_code() {
    let body = json!({"action": "triggered", "data": {"triggered_rule": "New errors", "event": {
        "title": "ValueError: bad *x* @**all**", "web_url": "https://sentry.io/e/1",
        "url": "https://sentry.io/api/0/projects/acme/shop/events/1/", "level": "error", "platform": "python",
        "environment": "prod", "culprit": "shop in cart", "exception": {"values": [{"stacktrace": {"frames": [
            {"filename": "cart.py", "lineno": 7, "function": "<lambda>", "in_app": true, "pre_context": ["a", "b", "c"],
                "context_line": "    raise ValueError", "post_context": ["d"]},
            {"filename": "lib.py", "lineno": 1, "in_app": false}]}}]}}}});
    let said = message(&SENTRY, &[], &body);
    assert_eq!(
        (said.event, &*said.topic),
        ("event_alert", "shop / ValueError: bad *x* @**all**")
    );
    assert_eq!(
        said.content,
        "Alert **New errors**: [ValueError: bad &#42;x&#42; @&#42;&#42;all&#42;&#42;](https://sentry.io/e/1)\n\
         level `error` · environment `prod` · platform `python` · in `shop in cart`\n\
         `cart.py`, line 7, in `<lambda>`\n```python\nb\nc\n    raise ValueError\nd\n```"
    );
}

#[test]
fn events_of_the_plugin_name_the_project() {
    let body = json!({"project_name": "live", "url": "https://sentry.io/i/1", "triggering_rules": [],
        "event": {"title": "TypeError", "level": "error"}});
    let said = message(&SENTRY, &[], &body);
    assert_eq!(said.topic, "live / TypeError");
    assert_eq!(
        said.content,
        "Event: [TypeError](https://sentry.io/i/1)\nlevel `error`"
    );
}

#[test]
fn issues_are_created_assigned_and_resolved() {
    let mut body = json!({"action": "created", "actor": {"name": "Ann"}, "data": {"issue": {"title": "Boom [1]",
        "shortId": "SHOP-3", "level": "error", "count": "1", "web_url": "https://sentry.io/i/3", "project": {"name": "shop"}}}});
    let said = message(&SENTRY, &[], &body);
    assert_eq!((said.event, &*said.topic), ("issue", "shop / Boom [1]"));
    let issue = "[Boom [1]](https://sentry.io/i/3) (SHOP-3)";
    let details = "level `error` · events `1`";
    assert_eq!(said.content, format!("New issue {issue}.\n{details}"));
    for (action, key, value, expected) in [
        (
            "assigned",
            "assignee",
            json!({"type": "team", "name": "core"}),
            format!("Ann **assigned** {issue} to team **core**."),
        ),
        (
            "resolved",
            "x",
            json!(null),
            format!("Ann **resolved** {issue} in the next release."),
        ),
        (
            "archived",
            "x",
            json!(null),
            format!("Ann **archived** {issue}."),
        ),
        (
            "unresolved",
            "x",
            json!(null),
            format!("Ann marked {issue} as **unresolved**."),
        ),
    ] {
        body["action"] = json!(action);
        body["data"]["issue"]["statusDetails"] = json!({"inNextRelease": true});
        body["data"][key] = value;
        assert_eq!(
            message(&SENTRY, &[], &body).content,
            format!("{expected}\n{details}")
        );
    }
}

#[test]
fn metrics_and_comments() {
    let body = json!({"action": "critical", "data": {"description_title": "Critical: Too many errors", "web_url": "https://sentry.io/a",
        "description_text": "1000 events\\nFilter: x", "metric_alert": {"alert_rule": {"name": "Too many errors"}}}});
    let said = message(&SENTRY, &[], &body);
    assert_eq!(
        (said.event, &*said.topic),
        ("metric_alert", "Too many errors")
    );
    assert_eq!(
        said.content,
        "**Critical**: [Critical: Too many errors](https://sentry.io/a)\n```quote\n1000 events\nFilter: x\n```"
    );
    let body = json!({"action": "created", "actor": {"name": "Ann"},
        "data": {"comment": "see *this*", "comment_id": 1, "issue_id": 9, "project_slug": "shop"}});
    let said = message(&SENTRY, &[], &body);
    assert_eq!((said.event, &*said.topic), ("comment", "shop / issue 9"));
    assert_eq!(
        said.content,
        "Ann **commented** on issue 9:\n```quote\nsee *this*\n```"
    );
}

#[test]
fn installations_are_ignored() {
    let body = json!({"action": "created", "data": {"installation": {"status": "installed"}}});
    assert_eq!(outcome(&SENTRY, &[], &body), Outcome::Ignored);
}
