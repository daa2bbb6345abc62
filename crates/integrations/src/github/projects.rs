//! GitHub: projects, and those of older versions with their columns and cards.

use crate::Outcome;
use crate::forge::Hook;
use crate::text::{bold, link};

pub(super) fn project_v2(hook: &Hook<'_>) -> Outcome {
    let title = hook.str("projects_v2/title");
    let deed = format!("{} the project {}", hook.action_words(), bold(title));
    hook.did(&format!("project {title}"), &deed, "")
}

pub(super) fn project(hook: &Hook<'_>) -> Outcome {
    let project = hook.at("project");
    let name = project.at("name").str();
    let it = link(name, project.at("html_url").str());
    let quoted = if hook.action() == "created" {
        project.at("body").str()
    } else {
        ""
    };
    hook.did(
        &format!("project {name}"),
        &format!("{} the project {it}", hook.action_words()),
        quoted,
    )
}

pub(super) fn column(hook: &Hook<'_>) -> Outcome {
    let name = bold(hook.str("project_column/name"));
    hook.did(
        "projects",
        &format!("{} the project column {name}", hook.action_words()),
        "",
    )
}

pub(super) fn card(hook: &Hook<'_>) -> Outcome {
    // A card has a note, or stands for an issue that only the API names.
    let note = hook.str("project_card/note");
    hook.did(
        "projects",
        &format!("{} a project card", hook.action_words()),
        note,
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::github::GITHUB;
    use crate::testing::message;

    #[test]
    fn projects_columns_and_cards() {
        let mut body = json!({"action": "created", "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "project": {"name": "Cart", "html_url": "https://g.example/p", "body": "Soon"}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / project Cart");
        assert_eq!(
            said.content,
            "ann created the project [Cart](https://g.example/p):\n```quote\nSoon\n```"
        );
        body["project_card"] = json!({"note": "Test it"});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(
            said.content,
            "ann created a project card:\n```quote\nTest it\n```"
        );
    }
}
