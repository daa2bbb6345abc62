//! Azure DevOps: work items.

use super::{Hook, name};
use crate::forge::listed;
use crate::html::text_of;
use crate::text::{bold, escape, link, quote};
use crate::{Message, Node, Outcome};

/// Fields whose changes people want to know, with their names.
static FIELDS: &[(&str, &str)] = &[
    ("System.State", "state"),
    ("System.AssignedTo", "assignee"),
    ("Microsoft.VSTS.Common.Priority", "priority"),
    ("Microsoft.VSTS.Common.Severity", "severity"),
    ("System.IterationPath", "iteration"),
    ("System.AreaPath", "area"),
    ("System.Tags", "tags"),
    ("Microsoft.VSTS.Scheduling.DueDate", "due date"),
    ("Microsoft.VSTS.Scheduling.StoryPoints", "story points"),
    ("Microsoft.VSTS.Scheduling.RemainingWork", "remaining work"),
];

pub(super) fn work_item(hook: Hook<'_>) -> Outcome {
    let resource = hook.resource;
    let is_update = resource.at("revision").exists();
    // An update has the changes where the other events have the work item.
    let fields = resource.at(if is_update {
        "revision/fields"
    } else {
        "fields"
    });
    let number = resource.first(&["workItemId", "id"]).text();
    let by = resource.at("revisedBy");
    let who = if by.exists() {
        name(by)
    } else {
        name(fields.at("System.ChangedBy"))
    };
    let hook = hook.by(who);
    let kind = match fields.at("System.WorkItemType").str() {
        "" => "Work item",
        kind => kind,
    };
    let named = format!("{kind} #{number} {}", fields.at("System.Title").str());
    let url = match resource
        .first(&["_links/html/href", "revision/_links/html/href"])
        .str()
    {
        "" => hook.url_of_sentence(),
        url => url,
    };
    let it = link(&named, url);
    let comment = if is_update {
        resource.at("fields/System.History/newValue").str()
    } else {
        fields.at("System.History").str()
    };
    let text = if comment.is_empty() && hook.event.kind == "workitem.created" {
        fields
            .first(&["System.Description", "Microsoft.VSTS.TCM.ReproSteps"])
            .str()
    } else {
        comment
    };
    let quoted = quote(&text_of(text));
    let deed = match hook.event.kind {
        "workitem.created" => format!("created {it}{}", assigned(fields)),
        "workitem.commented" => format!("commented on {it}"),
        "workitem.deleted" => format!("deleted {it}"),
        "workitem.restored" => format!("restored {it}"),
        _ => match listed(&changes(resource.at("fields"))) {
            parts if !parts.is_empty() => format!("updated {it}: {parts}"),
            _ if quoted.is_empty() => format!("updated {it}"),
            _ => format!("commented on {it}"),
        },
    };
    let end = if quoted.is_empty() { '.' } else { ':' };
    let sentence = format!("{} {deed}{end}", hook.event.who());
    Message::new(
        hook.event.kind,
        hook.event.topic(&named),
        [&*sentence, &*quoted],
    )
    .into()
}

fn assigned(fields: Node<'_>) -> String {
    match escape(name(fields.at("System.AssignedTo"))) {
        who if who.is_empty() => who,
        who => format!(" (assigned to {who})"),
    }
}

/// The changes that people can name.
fn changes(fields: Node<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let change = |field: &str| {
        let change = fields.at(field);
        let value = |node: Node<'_>| {
            let name = name(node);
            if name.is_empty() {
                node.text()
            } else {
                name.to_owned()
            }
        };
        change
            .exists()
            .then(|| (value(change.at("oldValue")), value(change.at("newValue"))))
    };
    if let Some((old, _)) = change("System.Title") {
        parts.push(format!("renamed it (before: {})", escape(&old)));
    }
    for (field, title) in FIELDS {
        match change(field) {
            None => {}
            Some((_, new)) if new.is_empty() => parts.push(format!("removed the {title}")),
            Some((old, new)) if old.is_empty() => {
                parts.push(format!("set the {title} to {}", bold(&new)))
            }
            Some((old, new)) => {
                parts.push(format!(
                    "changed the {title} from {} to {}",
                    bold(&old),
                    bold(&new)
                ));
            }
        }
    }
    if change("System.Description").is_some() {
        parts.push("edited the description".to_owned());
    }
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::azuredevops::AZUREDEVOPS;
    use crate::testing::message;

    const IT: &str = "[Bug #5 It breaks](https://a.example/5)";

    fn said(event: &str, resource: Value) -> String {
        let body = json!({"eventType": event, "resource": resource, "message": {"markdown": "[Bug #5](https://a.example/5) (It breaks)"}});
        let said = message(&AZUREDEVOPS, &[], &body);
        assert_eq!(said.topic, "Shop / Bug #5 It breaks");
        said.content
    }

    fn fields() -> Value {
        json!({"System.Title": "It breaks", "System.WorkItemType": "Bug", "System.TeamProject": "Shop",
            "System.ChangedBy": "Ann Lee <ann@a.example>"})
    }

    #[test]
    fn work_items_come_and_go() {
        let mut fields = fields();
        assert_eq!(
            said("workitem.deleted", json!({"id": 5, "fields": fields})),
            format!("Ann Lee deleted {IT}.")
        );
        fields["System.Description"] = json!("<div>At <b>night</b></div>");
        assert_eq!(
            said("workitem.created", json!({"id": 5, "fields": fields})),
            format!("Ann Lee created {IT}:\n```quote\nAt night\n```")
        );
        fields["System.History"] = json!("Me &amp; you");
        assert_eq!(
            said("workitem.commented", json!({"id": 5, "fields": fields})),
            format!("Ann Lee commented on {IT}:\n```quote\nMe & you\n```")
        );
    }

    #[test]
    fn updates_say_what_changed() {
        let changes = json!({"System.Rev": {"oldValue": 1, "newValue": 2}, "System.State": {"oldValue": "New", "newValue": "Done"},
            "System.AssignedTo": {"newValue": {"displayName": "Bob"}}});
        let resource = json!({"id": 2, "workItemId": 5, "revisedBy": {"displayName": "Cy"}, "fields": changes, "revision": {"fields": fields()}});
        assert_eq!(
            said("workitem.updated", resource),
            format!(
                "Cy updated {IT}: changed the state from **New** to **Done** and set the assignee to **Bob**."
            )
        );
    }
}
