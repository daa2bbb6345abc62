//! Alerts in groups, as Prometheus Alertmanager and Grafana send them.

use crate::Node;
use crate::text::{code, count, escape, joined, link, quote_plain};
use crate::time::timestamp;

/// Most alerts in a message.
const ALERTS: usize = 20;
/// Most labels of an alert.
const LABELS: usize = 20;

/// The names of the alerts, each once.
pub(crate) fn topic(body: Node<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in body
        .at("alerts")
        .list()
        .take(ALERTS)
        .map(|alert| name(body, alert))
    {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// All alerts of a group, the firing ones first.
pub(crate) fn markdown(body: Node<'_>) -> String {
    let all: Vec<Node<'_>> = body.at("alerts").list().collect();
    let (resolved, firing): (Vec<_>, Vec<_>) =
        all.iter().copied().partition(|alert| is_resolved(*alert));
    let mut parts = Vec::new();
    if all.len() > 1 {
        let number = |alerts: &[Node<'_>], what: &str| match alerts.len() {
            0 => String::new(),
            number => format!("{number} **{what}**"),
        };
        let counts = joined(
            [number(&firing, "firing"), number(&resolved, "resolved")],
            ", ",
        );
        let common = labels(body.at("commonLabels"), |name| name == "alertname");
        let head = format!("{}: {counts}", count(all.len(), "alert"));
        parts.push(joined([head, common], "\n"));
    }
    let shown = firing.iter().chain(&resolved).take(ALERTS);
    parts.extend(shown.map(|alert| markdown_of(body, *alert, all.len() > 1)));
    let truncated = body
        .at("truncatedAlerts")
        .number()
        .and_then(|number| usize::try_from(number).ok());
    let more = all.len().saturating_sub(ALERTS) + truncated.unwrap_or_default();
    if more > 0 {
        parts.push(format!("and {} not shown", count(more, "alert")));
    }
    joined(parts, "\n\n")
}

fn is_resolved(alert: Node<'_>) -> bool {
    alert.at("status").str() == "resolved"
}

fn name<'a>(body: Node<'a>, alert: Node<'a>) -> &'a str {
    let name = alert.at("labels/alertname").str();
    if name.is_empty() {
        body.first(&["commonLabels/alertname", "groupLabels/alertname"])
            .str()
    } else {
        name
    }
}

fn markdown_of(body: Node<'_>, alert: Node<'_>, is_one_of_many: bool) -> String {
    let (state, since) = if is_resolved(alert) {
        ("**Resolved**", alert.at("endsAt").str())
    } else {
        ("**Firing**", alert.at("startsAt").str())
    };
    let since = match timestamp(since) {
        time if time.is_empty() => time,
        time if is_resolved(alert) => format!(" at {time}"),
        time => format!(" since {time}"),
    };
    let annotations = alert.at("annotations");
    let description = annotations.first(&["description", "message"]).str();
    let summary = annotations.at("summary").str();
    let (summary, description) = match summary {
        "" if !description.trim().contains('\n') => (description, ""),
        summary if summary == description => (summary, ""),
        summary => (summary, description),
    };
    let summary = escape(summary);
    let summary = if summary.is_empty() {
        summary
    } else {
        format!(": {summary}")
    };
    let name = match name(body, alert) {
        "" => "alert",
        name => name,
    };
    let name = link(name, alert.at("generatorURL").str());
    let head = format!("{state} {name}{since}{summary}");
    let common = body.at("commonLabels");
    let labels = labels(alert.at("labels"), |name| {
        name == "alertname" || (is_one_of_many && common.at(name) == alert.at("labels").at(name))
    });
    joined(
        [
            head,
            quote_plain(description),
            labels,
            values(alert),
            links(alert),
        ],
        "\n",
    )
}

fn labels(labels: Node<'_>, is_known: impl Fn(&str) -> bool) -> String {
    let labels = labels
        .fields()
        .filter(|(name, _)| !is_known(name))
        .take(LABELS);
    joined(
        labels.map(|(name, value)| code(&format!("{name}={}", value.text()))),
        " ",
    )
}

/// The values that Grafana compared.
fn values(alert: Node<'_>) -> String {
    let values = alert.at("values").fields().take(LABELS);
    let values = joined(
        values.map(|(name, value)| code(&format!("{name}={}", value.text()))),
        " ",
    );
    let values = if values.is_empty() {
        code(alert.at("valueString").str())
    } else {
        values
    };
    if values.is_empty() {
        values
    } else {
        format!("Values: {values}")
    }
}

fn links(alert: Node<'_>) -> String {
    let links = [
        ("runbook", "annotations/runbook_url"),
        ("dashboard", "dashboardURL"),
        ("panel", "panelURL"),
        ("silence", "silenceURL"),
        ("image", "imageURL"),
    ];
    let links = links.map(|(label, path)| match alert.at(path).str() {
        "" => String::new(),
        url => link(label, url),
    });
    joined(links, " · ")
}
