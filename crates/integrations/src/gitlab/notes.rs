//! GitLab: notes on issues, merge requests, commits and snippets.

use super::items::{issue_of, item};
use crate::Outcome;
use crate::forge::{Hook, Item, short};
use crate::text::{code, escape, link, linked};

pub(super) fn note(hook: &Hook<'_>) -> Outcome {
    let note = hook.at("object_attributes");
    let url = note.at("url").str();
    let verb = match note.at("action").str() {
        "update" => format!("edited a {} on", linked("comment", url)),
        _ => format!("{} on", linked("commented", url)),
    };
    let text = note.at("note").str();
    let path = note
        .first(&["position/new_path", "position/old_path", "st_diff/new_path"])
        .str();
    let line = note
        .first(&["position/new_line", "position/old_line"])
        .number();
    let place = match (path, line) {
        ("", _) => String::new(),
        (path, Some(line)) => format!(" {} in", code(&format!("{path}:{line}"))),
        (path, None) => format!(" {} in", code(path)),
    };
    let item = match note.at("noteable_type").str() {
        "MergeRequest" => item("MR", '!', hook.at("merge_request")),
        "Snippet" => item("snippet", '$', hook.at("snippet")),
        "Commit" => {
            let commit = hook.at("commit");
            let id = short(commit.at("id").str());
            let title = commit
                .at("message")
                .str()
                .lines()
                .next()
                .unwrap_or_default();
            let it = format!(
                "commit {} {}",
                link(&id, commit.at("url").str()),
                escape(title)
            );
            return hook.did(
                &format!("commit {id}"),
                &format!("{verb}{place} {it}"),
                text,
            );
        }
        _ => issue_of(hook.at("issue")),
    };
    // Bodies of older versions have no addresses of the items.
    let page = url.split('#').next().unwrap_or_default();
    let item = Item {
        url: if item.url.is_empty() { page } else { item.url },
        ..item
    };
    hook.did(
        &item.topic(),
        &format!("{verb}{place} {}", item.link()),
        text,
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::gitlab::GITLAB;
    use crate::testing::message;

    fn body(attributes: Value, more: Value) -> Value {
        let mut body = json!({"object_kind": "note", "user": {"name": "Ann"}, "object_attributes": attributes,
            "project": {"name": "Shop", "web_url": "https://g.example/shop"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    }

    #[test]
    fn notes_are_quoted() {
        let note = |kind: &str| {
            json!({"noteable_type": kind, "note": "Why?", "url": "https://g.example/n#1",
            "position": {"new_path": "a.rs", "new_line": 3}})
        };
        let request =
            json!({"merge_request": {"iid": 3, "title": "Speed", "url": "https://g.example/3"}});
        let said = message(&GITLAB, &[], &body(note("MergeRequest"), request));
        assert_eq!(said.topic, "Shop / MR !3 Speed");
        assert_eq!(
            said.content,
            "Ann [commented](https://g.example/n#1) on `a.rs:3` in [MR !3 Speed](https://g.example/3):\n```quote\nWhy?\n```"
        );
        let snippet = json!({"snippet": {"id": 2, "title": "Loop"}});
        let said = message(&GITLAB, &[], &body(note("Snippet"), snippet));
        assert_eq!(said.topic, "Shop / snippet $2 Loop");
        let commit = json!({"commit": {"id": "0123456789", "message": "Fix\n", "url": "https://g.example/c"}});
        let said = message(&GITLAB, &[], &body(note("Commit"), commit));
        assert_eq!(
            said.content,
            "Ann [commented](https://g.example/n#1) on `a.rs:3` in commit [0123456](https://g.example/c) Fix:\n```quote\nWhy?\n```"
        );
    }
}
