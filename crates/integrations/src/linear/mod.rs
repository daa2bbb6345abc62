//! Linear: issues, comments, projects and their updates, cycles, documents and initiatives.
//!
//! Left out: reactions, attachments, labels and people of the workspace; and updates in which only the order, the
//! subscribers or times of an issue change.

mod issue;

use crate::changes::{Change, capitalized, changed};
use crate::text::{bold, escape, link, linked, quote};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

const EVENTS: &[&str] = &[
    "comment_create",
    "comment_remove",
    "comment_update",
    "cycle_create",
    "cycle_remove",
    "cycle_update",
    "document_create",
    "document_remove",
    "document_update",
    "initiative_create",
    "initiative_remove",
    "initiative_update",
    "issue_create",
    "issue_remove",
    "issue_sla",
    "issue_update",
    "other",
    "project_create",
    "project_remove",
    "project_update",
    "project_update_create",
    "project_update_remove",
    "project_update_update",
];

pub(crate) static LINEAR: Integration = Integration {
    name: "linear",
    display_name: "Linear",
    setup: "Settings > API > Webhooks > New webhook\n\
            URL: ADDRESS\n\
            Signing secret: SECRET",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "linear-signature",
        prefix: "",
    }),
    delivery_header: Some("linear-delivery"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (kind, action) = (body.at("type").str(), body.at("action").str());
    if kind.is_empty() || action.is_empty() || !body.at("data").exists() {
        return Outcome::Unknown;
    }
    let of = |kind: &str| event(&format!("{kind}_{action}"));
    match kind {
        "Issue" => issue::read(body, action, of("issue")),
        "IssueSLA" => issue::agreement(body, action),
        "Comment" => comment(body, action, of("comment")),
        "ProjectUpdate" => project_update(body, action, of("project_update")),
        "Attachment" | "AuditEntry" | "IssueAttachment" | "IssueLabel" | "Reaction" | "User" => {
            Outcome::Ignored
        }
        _ => thing(body, kind, action, of(&kind.to_lowercase())),
    }
}

fn event(name: &str) -> &'static str {
    let found = EVENTS.iter().copied().find(|known| *known == name);
    found.unwrap_or("other")
}

/// Who did it; older calls do not say.
fn who(body: Node<'_>) -> String {
    escape(body.at("actor/name").str())
}

fn comment(body: Node<'_>, action: &str, event: &'static str) -> Outcome {
    let data = body.at("data");
    let url = body.at("url").str();
    let page = url.split('#').next().unwrap_or_default();
    let place = data.at("issue");
    let (topic, thing) = if place.exists() {
        let name = issue::titled(place, page);
        let thing = format!("issue {}", link(&name, page));
        (name, thing)
    } else {
        let paths = [
            "projectUpdate/project/name",
            "project/name",
            "documentContent/document/title",
            "initiative/name",
        ];
        match data.first(&paths).str() {
            "" => ("Comments".to_owned(), linked("a page", page)),
            name => (name.to_owned(), link(name, page)),
        }
    };
    let author = escape(data.first(&["user/name", "botActor/name"]).str());
    let who = match who(body) {
        who if who.is_empty() => author.clone(),
        who => who,
    };
    let who = if who.is_empty() {
        "An unnamed person"
    } else {
        &*who
    };
    let said = match action {
        "create" => format!("{who} {} on {thing}:", linked("commented", url)),
        "update" => format!("{who} edited {} on {thing}:", linked("a comment", url)),
        // Calls of this kind name the author, if not the person who did it.
        _ if body.at("actor").exists() => format!("{who} deleted a comment on {thing}."),
        _ => format!("The comment of {who} on {thing} was deleted."),
    };
    let text = if action == "remove" {
        ""
    } else {
        data.at("body").str()
    };
    Message::new(event, topic, [&*said, &*quote(text)]).into()
}

fn project_update(body: Node<'_>, action: &str, event: &'static str) -> Outcome {
    let data = body.at("data");
    let project = data.at("project/name").str();
    let health = match data.at("health").str() {
        "onTrack" => "on track",
        "atRisk" => "at risk",
        "offTrack" => "off track",
        other => other,
    };
    let state = if health.is_empty() {
        String::new()
    } else {
        format!(" ({})", bold(health))
    };
    let who = match (who(body), data.at("user/name").str()) {
        (who, author) if who.is_empty() => escape(author),
        (who, _) => who,
    };
    let did = match action {
        "create" => "posted",
        "update" => "edited",
        _ => "deleted",
    };
    let update = linked("an update", body.at("url").str());
    let text = match action {
        "remove" => "",
        _ => data.at("body").str(),
    };
    let end = if text.is_empty() { "." } else { ":" };
    let said = format!(
        "{who} {did} {update} of project {}{state}{end}",
        bold(project)
    );
    let topic = if project.is_empty() {
        "Projects"
    } else {
        project
    };
    Message::new(event, topic, [&*said, &*quote(text)]).into()
}

/// A project, a cycle, or another thing with a name.
fn thing(body: Node<'_>, kind: &str, action: &str, event: &'static str) -> Outcome {
    let data = body.at("data");
    let title = match data.first(&["name", "title"]).str() {
        "" => format!("#{}", data.first(&["number", "id"]).text()),
        title => title.to_owned(),
    };
    let noun = spaced(kind);
    let name = format!("{} {}", escape(&noun), link(&title, body.at("url").str()));
    let who = who(body);
    let changes = fields(body);
    if action == "update" && body.at("updatedFrom").exists() && changes.is_empty() {
        return Outcome::Ignored;
    }
    let done = match action {
        "create" => "created",
        "update" => "updated",
        "remove" => "deleted",
        _ => "changed",
    };
    let said = match (action, who.is_empty()) {
        ("update", _) => changed(&who, &name, &changes),
        (_, true) => format!("{} was {done}.", capitalized(&name)),
        (_, false) => format!("{who} {done} {name}."),
    };
    let text = if action == "create" {
        data.first(&["description", "content"]).str()
    } else {
        ""
    };
    let topic = capitalized(&format!("{noun} {title}"));
    Message::new(event, topic, [&*said, &*quote(text)]).into()
}

/// `CustomerNeed` as `customer need`.
fn spaced(kind: &str) -> String {
    let mut words = String::new();
    for letter in kind.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// The changes of a thing that is not an issue.
fn fields(body: Node<'_>) -> Vec<Change> {
    let (old, new) = (body.at("updatedFrom"), body.at("data"));
    let field = |name: &str| {
        let plain = |label: &str| {
            Some(Change::value(
                label,
                &old.at(name).text(),
                &new.at(name).text(),
            ))
        };
        let named = |label: &str, path: &str| match new.at(path).str() {
            "" => Some(Change::cleared(label)),
            to => Some(Change::value(label, "", to)),
        };
        match name {
            "name" | "title" => plain("title"),
            "state" => plain("status"),
            "statusId" => named("status", "status/name"),
            "leadId" => named("lead", "lead/name"),
            "ownerId" => named("owner", "owner/name"),
            "health" => plain("health"),
            "startDate" => plain("start date"),
            "targetDate" => plain("target date"),
            "startsAt" => plain("start"),
            "endsAt" => plain("end"),
            "description" | "content" => Some(Change::unseen(name)),
            _ => None,
        }
    };
    old.fields().filter_map(|(name, _)| field(name)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::LINEAR;
    use crate::testing::{message, outcome};
    use crate::{Message, Outcome};

    #[test]
    fn comments_are_quoted() {
        let mut body = json!({"type": "Comment", "action": "create", "url": "https://linear.app/shop/issue/WEB-4#comment-1",
            "data": {"body": "Fine @**all**", "user": {"name": "Ann"}, "issue": {"title": "Cart"}}});
        let said = message(&LINEAR, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("comment_create", "WEB-4: Cart")
        );
        let issue = "issue [WEB-4: Cart](https://linear.app/shop/issue/WEB-4)";
        assert_eq!(
            said.content,
            format!(
                "Ann [commented](https://linear.app/shop/issue/WEB-4#comment-1) on {issue}:\n\
                 ```quote\nFine &#64;**all**\n```"
            )
        );
        body["action"] = json!("remove");
        assert_eq!(
            message(&LINEAR, &[], &body).content,
            format!("The comment of Ann on {issue} was deleted.")
        );
    }

    #[test]
    fn projects_report_their_health() {
        let body = json!({"type": "ProjectUpdate", "action": "create", "url": "https://linear.app/u", "actor": {"name": "Ann"},
            "data": {"body": "Late", "health": "atRisk", "project": {"name": "Shop"}}});
        let said = message(&LINEAR, &[], &body);
        assert_eq!(said.topic, "Shop");
        assert_eq!(
            said.content,
            "Ann posted [an update](https://linear.app/u) of project **Shop** (**at risk**):\n```quote\nLate\n```"
        );
    }

    #[test]
    fn things_with_a_name_change() {
        let mut body = json!({"type": "Project", "action": "update", "url": "https://linear.app/p", "actor": {"name": "Ann"},
            "data": {"name": "Shop *2*", "state": "started"}, "updatedFrom": {"state": "planned", "sortOrder": 1}});
        let Message { topic, content, .. } = message(&LINEAR, &[], &body);
        assert_eq!(topic, "Project Shop *2*");
        assert_eq!(
            content,
            "Ann moved project [Shop &#42;2&#42;](https://linear.app/p) from planned to **started**."
        );
        body["updatedFrom"] = json!({"sortOrder": 1});
        assert_eq!(outcome(&LINEAR, &[], &body), Outcome::Ignored);
        let need = json!({"type": "CustomerNeed", "action": "create", "data": {"title": "T"}});
        let said = message(&LINEAR, &[], &need);
        assert_eq!(
            (said.event, &*said.content),
            ("other", "Customer need T was created.")
        );
    }
}
