//! GitLab: wikis, releases, milestones, feature flags, reactions, tokens, vulnerabilities, members and projects.

use super::{last, past};
use crate::Outcome;
use crate::forge::Hook;
use crate::text::{bold, code, escape, link, linked};

pub(super) fn wiki_page(hook: &Hook<'_>) -> Outcome {
    let page = hook.at("object_attributes");
    let changes = match linked("changes", page.at("diff_url").str()) {
        changes if changes == "changes" => String::new(),
        changes => format!(" ({changes})"),
    };
    let it = link(page.at("title").str(), page.at("url").str());
    let deed = format!(
        "{} the wiki page {it}{changes}",
        past(page.at("action").str())
    );
    hook.did("wiki", &deed, page.at("message").str())
}

pub(super) fn release(hook: &Hook<'_>) -> Outcome {
    let (tag, name) = (hook.str("tag"), hook.str("name"));
    let named = if name.is_empty() || name == tag {
        tag.to_owned()
    } else {
        format!("{tag} {name}")
    };
    let it = link(&named, hook.str("url"));
    let action = hook.str("action");
    let by = match hook.event.who {
        "" => String::new(),
        _ => format!(" by {}", hook.who()),
    };
    // The body does not say who it was.
    let sentence = format!("The release {it} was {}{by}", past(action));
    let quoted = if action == "delete" {
        ""
    } else {
        hook.str("description")
    };
    hook.said(&format!("release {tag}"), &sentence, quoted)
}

pub(super) fn milestone(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("object_attributes");
    let title = node.at("title").str();
    let it = link(
        title,
        &hook.page(&format!("-/milestones/{}", node.at("iid").text())),
    );
    let action = node.first(&["action"]).str();
    let action = if action.is_empty() {
        hook.str("action")
    } else {
        action
    };
    let due = match node.at("due_date").str() {
        "" => String::new(),
        date => format!(", due on {}", escape(date)),
    };
    let (due, quoted) = match action {
        "create" => (due, node.at("description").str()),
        _ => (String::new(), ""),
    };
    let about = format!("milestone {title}");
    // Bodies of milestones name no person yet.
    if hook.event.who.is_empty() {
        return hook.said(
            &about,
            &format!("The milestone {it} was {}{due}", past(action)),
            quoted,
        );
    }
    hook.did(
        &about,
        &format!("{} the milestone {it}{due}", past(action)),
        quoted,
    )
}

pub(super) fn feature_flag(hook: &Hook<'_>) -> Outcome {
    let flag = hook.at("object_attributes");
    let state = if flag.at("active").is_true() {
        "on"
    } else {
        "off"
    };
    let name = flag.at("name").str();
    let deed = format!("turned {} the feature flag {}", bold(state), code(name));
    hook.did(
        &format!("feature flag {name}"),
        &deed,
        flag.at("description").str(),
    )
}

pub(super) fn emoji(hook: &Hook<'_>) -> Outcome {
    let emoji = hook.at("object_attributes");
    let name = code(emoji.at("name").str());
    let url = emoji.at("awarded_on_url").str();
    let (topic, it) = [
        ("issue", "issue #"),
        ("merge_request", "MR !"),
        ("project_snippet", "snippet $"),
    ]
    .iter()
    .find(|(key, _)| hook.at(key).exists())
    .map_or_else(
        || (String::new(), linked("something", url)),
        |(key, noun)| {
            let node = hook.at(key);
            let (number, title) = (node.first(&["iid", "id"]).text(), node.at("title").str());
            let topic = format!("{noun}{number} {title}");
            let it = link(&topic, url);
            (topic, it)
        },
    );
    let it = if hook.at("note").exists() {
        format!("a comment on {it}")
    } else {
        it
    };
    let deed = match hook.first(&["event_type", "object_attributes/action"]) {
        "revoke" => format!("removed the reaction {name} from {it}"),
        _ => format!("reacted with {name} to {it}"),
    };
    hook.did(&topic, &deed, "")
}

pub(super) fn access_token(hook: &Hook<'_>) -> Outcome {
    let token = hook.at("object_attributes");
    let place = bold(hook.event.place);
    let name = bold(token.at("name").str());
    let date = escape(token.at("expires_at").str());
    hook.said(
        "access tokens",
        &format!("The access token {name} of {place} expires on {date}"),
        "",
    )
}

pub(super) fn vulnerability(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("object_attributes");
    let title = node.at("title").str();
    let it = link(title, node.at("url").str());
    let severity = match node.at("severity").str() {
        "" => String::new(),
        severity => format!(" of {} severity", bold(severity)),
    };
    let place = match node.at("location/file").str() {
        "" => String::new(),
        file => format!(" in {}", code(file)),
    };
    let sentence = match node.at("state").str() {
        "detected" | "" => format!("GitLab found the vulnerability {it}{severity}{place}"),
        state => format!(
            "The vulnerability {it}{severity}{place} was {}",
            bold(state)
        ),
    };
    hook.said(&format!("vulnerability {title}"), &sentence, "")
}

pub(super) fn member(hook: &Hook<'_>, name: &str) -> Outcome {
    let place = bold(hook.first(&["group_name", "project_name"]));
    let who = bold(hook.first(&["user_name", "user_username"]));
    let role = match hook.first(&["group_access", "access_level", "project_access"]) {
        "" => String::new(),
        role => format!(" as {}", escape(role)),
    };
    let sentence = if name.contains("_add_") {
        format!("{who} joined {place}{role}")
    } else if name.contains("_remove_") {
        format!("{who} left {place}")
    } else if name.contains("_update_") {
        format!("{who} is in {place}{role} now")
    } else if name.contains("denied") {
        format!("The request of {who} to join {place} was denied")
    } else {
        format!("{who} asked to join {place}")
    };
    // The name in the body is that of the member, not of the person who did it.
    let topic = hook.first(&["group_name", "project_name"]);
    let event = crate::forge::Event {
        place: topic,
        who: "",
        ..hook.event
    };
    event.said("members", &sentence, "").into()
}

pub(super) fn project(hook: &Hook<'_>, name: &str) -> Outcome {
    let path = hook.first(&["path_with_namespace", "full_path"]);
    let old = hook.first(&["old_path_with_namespace", "old_full_path"]);
    let kind = if name.starts_with("project") {
        "project"
    } else {
        "subgroup"
    };
    let done = match name.rsplit('_').next().unwrap_or_default() {
        "create" => "was created".to_owned(),
        "destroy" => "was deleted".to_owned(),
        "rename" => format!("was renamed (before: {})", bold(old)),
        "transfer" => format!("was moved (before: {})", bold(old)),
        _ => "was updated".to_owned(),
    };
    let event = crate::forge::Event {
        place: last(path),
        who: "",
        ..hook.event
    };
    event
        .said("", &format!("The {kind} {} {done}", bold(path)), "")
        .into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::gitlab::GITLAB;
    use crate::testing::message;

    fn said(kind: &str, attributes: Value, more: Value) -> (String, String) {
        let mut body = json!({"object_kind": kind, "user": {"name": "Ann"}, "object_attributes": attributes,
            "project": {"name": "Shop", "web_url": "https://g.example/shop"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let said = message(&GITLAB, &[], &body);
        (said.topic, said.content)
    }

    #[test]
    fn things_of_a_project() {
        for (kind, attributes, more, topic, content) in [
            (
                "wiki_page",
                json!({"title": "Home", "url": "https://g.example/w", "action": "update", "message": "Typo"}),
                json!({}),
                "Shop / wiki",
                "Ann updated the wiki page [Home](https://g.example/w):\n```quote\nTypo\n```",
            ),
            (
                "release",
                json!({}),
                json!({"user": null, "tag": "v1", "name": "First", "action": "create", "url": "https://g.example/v1",
                "description": "New"}),
                "Shop / release v1",
                "The release [v1 First](https://g.example/v1) was created:\n```quote\nNew\n```",
            ),
            (
                "milestone",
                json!({"title": "M1", "iid": 4, "action": "close"}),
                json!({}),
                "Shop / milestone M1",
                "Ann closed the milestone [M1](https://g.example/shop/-/milestones/4).",
            ),
            (
                "feature_flag",
                json!({"name": "new_cart", "active": true}),
                json!({}),
                "Shop / feature flag new_cart",
                "Ann turned **on** the feature flag `new_cart`.",
            ),
            (
                "emoji",
                json!({"name": "tada", "awarded_on_url": "https://g.example/7"}),
                json!({"event_type": "award",
                "issue": {"iid": 7, "title": "It breaks"}}),
                "Shop / issue #7 It breaks",
                "Ann reacted with `tada` to [issue #7 It breaks](https://g.example/7).",
            ),
            (
                "access_token",
                json!({"name": "ci", "expires_at": "2026-01-26"}),
                json!({}),
                "Shop / access tokens",
                "The access token **ci** of **Shop** expires on 2026-01-26.",
            ),
            (
                "vulnerability",
                json!({"title": "Overflow", "url": "https://g.example/s", "severity": "high", "state": "dismissed"}),
                json!({}),
                "Shop / vulnerability Overflow",
                "The vulnerability [Overflow](https://g.example/s) of **high** severity was **dismissed**.",
            ),
        ] {
            assert_eq!(
                said(kind, attributes, more),
                (topic.to_owned(), content.to_owned())
            );
        }
    }

    #[test]
    fn members_and_projects_of_groups() {
        let body = json!({"event_name": "user_add_to_group", "group_name": "Org", "user_name": "Bob", "group_access": "Guest"});
        let said = message(&GITLAB, &[], &body);
        assert_eq!(
            (&*said.topic, &*said.content),
            ("Org / members", "**Bob** joined **Org** as Guest.")
        );
        let body = json!({"event_name": "project_rename", "path_with_namespace": "org/shop", "old_path_with_namespace": "org/old"});
        let said = message(&GITLAB, &[], &body);
        assert_eq!(
            (&*said.topic, &*said.content),
            (
                "shop",
                "The project **org/shop** was renamed (before: **org/old**)."
            )
        );
    }
}
