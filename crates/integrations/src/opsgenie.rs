//! Opsgenie: actions on alerts. Nothing is ignored; a custom action becomes a message with its name.

use crate::message::{event, fields};
use crate::text::{bold, code, escape, joined, link, quote_plain};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static OPSGENIE: Integration = Integration {
    name: "opsgenie",
    display_name: "Opsgenie",
    setup: "Settings > Integrations > Add integration > Webhook\n\
            Webhook URL: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "Acknowledge",
    "AddDetails",
    "AddNote",
    "AddRecipient",
    "AddResponder",
    "AddTags",
    "AddTeam",
    "AssignOwnership",
    "Close",
    "Create",
    "CustomAction",
    "Delete",
    "Escalate",
    "RemoveDetails",
    "RemoveTags",
    "Snooze",
    "SnoozeEnded",
    "TakeOwnership",
    "UnAcknowledge",
    "UpdateDescription",
    "UpdateMessage",
    "UpdatePriority",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (action, alert) = (body.at("action").str(), body.at("alert"));
    let message = alert.at("message").str();
    if action.is_empty() || message.is_empty() {
        return Outcome::Unknown;
    }
    let number = alert.at("tinyId").text();
    let name = if number.is_empty() {
        message.to_owned()
    } else {
        format!("#{number} {message}")
    };
    let url = match alert.at("alertId").str() {
        "" => String::new(),
        id => format!("https://app.opsgenie.com/alert/detail/{id}"),
    };
    let shown = format!("alert {}", link(&name, &url));
    let who = escape(alert.first(&["username", "source"]).str());
    let said = done(action, &who, &shown, alert);
    let text = match action {
        "AddNote" => quote_plain(alert.at("note").str()),
        "Create" | "UpdateDescription" => quote_plain(alert.at("description").str()),
        _ => match alert.at("note").str() {
            "" => String::new(),
            note => quote_plain(note),
        },
    };
    let kind = match event(EVENTS, action) {
        "" if action.eq_ignore_ascii_case("EscalateNext") => "Escalate",
        "" => "CustomAction",
        kind => kind,
    };
    let details = if kind == "Create" {
        details(alert)
    } else {
        String::new()
    };
    Message::new(kind, name, [&*said, &*details, &*text]).into()
}

fn done(action: &str, who: &str, alert: &str, node: Node<'_>) -> String {
    let capital = alert.replacen("alert", "Alert", 1);
    let value = |path: &str| bold(node.at(path).str());
    let by = if who.is_empty() {
        String::new()
    } else {
        format!(" by {who}")
    };
    match action {
        "Create" => format!("{capital} was **created**{by}."),
        "Acknowledge" => format!("{capital} was **acknowledged**{by}."),
        "UnAcknowledge" => format!("{capital} is **no longer acknowledged**{by}."),
        "Close" => format!("{capital} was **closed**{by}."),
        "Delete" => format!("{capital} was **deleted**{by}."),
        "AddNote" => format!("A **note** was added to {alert}{by}:"),
        "AddRecipient" => format!(
            "The recipient {} was **added** to {alert}{by}.",
            value("recipient")
        ),
        "AddResponder" => format!(
            "A responder was **added** to {alert}{by}: {}.",
            responders(node)
        ),
        "AddTeam" => format!("The team {} was **added** to {alert}{by}.", value("team")),
        "AddTags" => format!(
            "Tags were **added** to {alert}{by}: {}.",
            tags(node.at("addedTags"))
        ),
        "RemoveTags" => format!(
            "Tags were **removed** from {alert}{by}: {}.",
            tags(node.at("removedTags"))
        ),
        "AssignOwnership" => format!("{capital} was **assigned** to {}{by}.", value("owner")),
        "TakeOwnership" => format!("{capital} is now **owned**{by}."),
        "Escalate" | "EscalateNext" => {
            format!("{capital} was **escalated** to {}.", responders(node))
        }
        "Snooze" => format!("{capital} was **snoozed**{by}."),
        "SnoozeEnded" => format!("{capital} is **no longer snoozed**."),
        "UpdateMessage" => format!(
            "{capital} was **renamed**{by}; it was {}.",
            value("oldMessage")
        ),
        "UpdatePriority" => {
            let new = node.first(&["priority", "newPriority"]).str();
            let old = match node.at("oldPriority").str() {
                "" => String::new(),
                old => format!(" from {}", bold(old)),
            };
            format!(
                "The priority of {alert} was changed{old} to {}{by}.",
                bold(new)
            )
        }
        "UpdateDescription" => format!("The **description** of {alert} was changed{by}:"),
        other => format!("{capital}: action {}{by}.", code(other)),
    }
}

/// Tags come as a list, or as text with commas.
fn tags(tags: Node<'_>) -> String {
    let list = tags.list().map(Node::str).chain(tags.str().split(','));
    let list = list.map(str::trim).filter(|tag| !tag.is_empty());
    joined(list.take(20).map(code), ", ")
}

fn responders(alert: Node<'_>) -> String {
    let one = alert
        .first(&[
            "escalationName",
            "escalationNotify/name",
            "responder/name",
            "recipient",
            "team",
        ])
        .str();
    if !one.is_empty() {
        return bold(one);
    }
    let all = ["responders", "responder", "escalationNotify"].map(|key| alert.at(key).list());
    joined(
        all.into_iter()
            .flatten()
            .take(20)
            .map(|one| bold(one.first(&["name", "id"]).str())),
        ", ",
    )
}

fn details(alert: Node<'_>) -> String {
    let label = |name: &str, text: String| match text {
        text if text.is_empty() => text,
        text => format!("{name} {text}"),
    };
    let labels = [
        label("priority", bold(alert.at("priority").str())),
        label("entity", code(alert.at("entity").str())),
        label(
            "teams",
            joined(
                alert.at("teams").list().map(|team| escape(team.str())),
                ", ",
            ),
        ),
        label("tags", tags(alert.at("tags"))),
    ];
    joined(
        [joined(labels, " · "), fields(alert.at("details").fields())],
        "\n",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::OPSGENIE;
    use crate::testing::message;

    fn alert(action: &str, more: &Value) -> Value {
        let mut alert = json!({"tinyId": "23", "alertId": "052-a", "message": "disk *full* @**all**", "username": "ann@x.org"});
        for (name, value) in more.as_object().into_iter().flatten() {
            alert[name] = value.clone();
        }
        json!({"action": action, "alert": alert})
    }

    #[test]
    fn actions_name_who_did_what() {
        let shown = "[#23 disk &#42;full&#42; @&#42;&#42;all&#42;&#42;](https://app.opsgenie.com/alert/detail/052-a)";
        for (action, more, said) in [
            (
                "Acknowledge",
                json!({}),
                format!("Alert {shown} was **acknowledged** by ann@x.org."),
            ),
            (
                "AddNote",
                json!({"note": "*on it*"}),
                format!(
                    "A **note** was added to alert {shown} by ann@x.org:\n```quote\n&#42;on it&#42;\n```"
                ),
            ),
            (
                "AddTags",
                json!({"addedTags": "a_b,c"}),
                format!("Tags were **added** to alert {shown} by ann@x.org: `a_b`, `c`."),
            ),
            (
                "AddTeam",
                json!({"team": "core"}),
                format!("The team **core** was **added** to alert {shown} by ann@x.org."),
            ),
            (
                "TakeOwnership",
                json!({}),
                format!("Alert {shown} is now **owned** by ann@x.org."),
            ),
            (
                "UpdatePriority",
                json!({"oldPriority": "P3", "priority": "P1"}),
                format!(
                    "The priority of alert {shown} was changed from **P3** to **P1** by ann@x.org."
                ),
            ),
        ] {
            let said_here = message(&OPSGENIE, &[], &alert(action, &more));
            assert_eq!(
                (said_here.event, &*said_here.topic),
                (action, "#23 disk *full* @**all**")
            );
            assert_eq!(said_here.content, said);
        }
        let said = message(&OPSGENIE, &[], &alert("Restart", &json!({})));
        assert_eq!(said.event, "CustomAction");
        assert_eq!(
            said.content,
            format!("Alert {shown}: action `Restart` by ann@x.org.")
        );
    }

    #[test]
    fn new_alerts_have_details() {
        let more = json!({"description": "97 %", "priority": "P1", "entity": "db", "tags": ["a"], "teams": ["core"], "details": {"host": "db_1"}});
        let said = message(&OPSGENIE, &[], &alert("Create", &more));
        assert_eq!(
            said.content.split_once('\n').map(|(_, rest)| rest),
            Some(
                "priority **P1** · entity `db` · teams core · tags `a`\n* **host**: db_1\n```quote\n97 %\n```"
            )
        );
    }
}
