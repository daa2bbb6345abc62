//! GitHub: pushes, branches, tags and comments on commits.

use crate::Outcome;
use crate::forge::{Change, Hook, Push, short};
use crate::message::Commit;
use crate::text::{code, link, linked};

pub(super) fn push(hook: &Hook<'_>) -> Outcome {
    let (is_tag, name) = Push::reference(hook.str("ref"));
    let change = if hook.at("deleted").is_true() {
        Change::Deleted
    } else if hook.at("created").is_true() {
        Change::Created
    } else if hook.at("forced").is_true() {
        Change::Forced
    } else {
        Change::Updated
    };
    let who = hook.body.first(&["sender/login", "pusher/name"]).str();
    let pushers = [who, hook.str("pusher/name")];
    let commits: Vec<Commit<'_>> = hook
        .at("commits")
        .list()
        .map(|commit| {
            let author = commit.first(&["author/username", "author/name"]).str();
            Commit {
                id: commit.at("id").str(),
                message: commit.at("message").str(),
                url: commit.at("url").str(),
                author: Some(author).filter(|author| !pushers.contains(author)),
            }
        })
        .collect();
    let url = if is_tag {
        hook.page(&format!("releases/tag/{name}"))
    } else {
        hook.page(&format!("tree/{name}"))
    };
    Push {
        change,
        name,
        is_tag,
        url: &url,
        compare: hook.str("compare"),
        total: commits.len(),
        commits,
        has_more: false,
    }
    .outcome(&hook.event, hook.option)
}

pub(super) fn created(hook: &Hook<'_>) -> Outcome {
    // Without a header, a deletion looks like this too, but names no default branch.
    let name = hook.str("ref");
    let (path, kind) = if hook.str("ref_type") == "tag" {
        ("releases/tag", "tag")
    } else {
        ("tree", "branch")
    };
    let page = hook.page(&format!("{path}/{name}"));
    hook.did(
        name,
        &format!("created the {kind} {}", linked(&code(name), &page)),
        "",
    )
}

pub(super) fn deleted(hook: &Hook<'_>) -> Outcome {
    if hook.at("master_branch").exists() {
        return created(hook);
    }
    let name = hook.str("ref");
    let kind = if hook.str("ref_type") == "tag" {
        "tag"
    } else {
        "branch"
    };
    hook.did(name, &format!("deleted the {kind} {}", code(name)), "")
}

pub(super) fn comment(hook: &Hook<'_>) -> Outcome {
    let comment = hook.at("comment");
    let id = comment.at("commit_id").str();
    let commit = link(&short(id), &hook.page(&format!("commit/{id}")));
    let mut deed = format!(
        "{} on commit {commit}",
        linked("commented", comment.at("html_url").str())
    );
    match (comment.at("path").str(), comment.at("line").number()) {
        ("", _) => {}
        (path, None) => deed.push_str(&format!(", {}", code(path))),
        (path, Some(line)) => deed.push_str(&format!(", {}", code(&format!("{path}:{line}")))),
    }
    hook.did(
        &format!("commit {}", short(id)),
        &deed,
        comment.at("body").str(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::github::GITHUB;
    use crate::testing::{message, outcome};

    fn push(name: &str, changes: Value) -> Value {
        let mut body = json!({"ref": name, "compare": "https://g.example/c", "commits": [],
            "repository": {"name": "shop", "html_url": "https://g.example/shop"},
            "pusher": {"name": "ann"}, "sender": {"login": "ann"}});
        for (key, value) in changes.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    }

    #[test]
    fn pushes_say_what_they_did() {
        let commits = json!([
            {"id": "0123456789", "message": "Fix *it*\n\nLong", "url": "https://g.example/1", "author": {"username": "ann"}},
            {"id": "1123456789", "message": "Test it", "url": "https://g.example/2", "author": {"name": "Bob"}}]);
        let list = "\n* Fix &#42;it&#42; ([0123456](https://g.example/1))\n\
                    * Test it ([1123456](https://g.example/2)) – Bob";
        let two = "[2 commits](https://g.example/c)";
        let main = "[`main`](https://g.example/shop/tree/main)";
        for (changes, said) in [
            (
                json!({"commits": commits}),
                format!("ann pushed {two} to {main}.{list}"),
            ),
            (
                json!({"commits": commits, "created": true}),
                format!("ann pushed {two} to the new branch {main}.{list}"),
            ),
            (
                json!({"commits": commits, "forced": true}),
                format!("ann force-pushed {two} to {main}.{list}"),
            ),
            (
                json!({"forced": true}),
                format!("ann force-pushed {main} and [removed commits](https://g.example/c)."),
            ),
            (
                json!({"created": true}),
                format!("ann created the branch {main}."),
            ),
            (
                json!({"deleted": true}),
                "ann deleted the branch `main`.".to_owned(),
            ),
        ] {
            let read = message(
                &GITHUB,
                &[("x-github-event", "push")],
                &push("refs/heads/main", changes),
            );
            assert_eq!(read.topic, "shop / main");
            assert_eq!(read.content, said);
        }
    }

    #[test]
    fn tags_are_not_branches() {
        let tag = |changes| message(&GITHUB, &[], &push("refs/tags/v1", changes)).content;
        assert_eq!(
            tag(json!({"created": true})),
            "ann pushed the tag [`v1`](https://g.example/shop/releases/tag/v1)."
        );
        assert_eq!(tag(json!({"deleted": true})), "ann deleted the tag `v1`.");
        let body = json!({"ref": "v1", "ref_type": "tag", "master_branch": "main", "pusher_type": "user",
            "repository": {"name": "shop", "html_url": "https://g.example/shop"}, "sender": {"login": "ann"}});
        let said = message(&GITHUB, &[("x-github-event", "create")], &body);
        assert_eq!(
            said.content,
            "ann created the tag [`v1`](https://g.example/shop/releases/tag/v1)."
        );
        let body = json!({"ref": "dev", "ref_type": "branch", "pusher_type": "user",
            "repository": {"name": "shop"}, "sender": {"login": "ann"}});
        let said = message(&GITHUB, &[("x-github-event", "delete")], &body);
        assert_eq!(said.content, "ann deleted the branch `dev`.");
    }

    #[test]
    fn the_address_selects_branches() {
        let body = push("refs/heads/main", json!({"created": true}));
        let call = crate::Call {
            header: &|_| None,
            body: &body,
            option: &|_| Some("dev".to_owned()),
        };
        assert_eq!((GITHUB.read)(&call), Outcome::Ignored);
        assert_ne!(outcome(&GITHUB, &[], &body), Outcome::Ignored);
    }

    #[test]
    fn comments_on_commits_name_the_line() {
        let body = json!({"action": "created", "repository": {"name": "shop", "html_url": "https://g.example/shop"},
            "sender": {"login": "ann"}, "comment": {"commit_id": "0123456789", "path": "a.rs", "line": 3,
            "html_url": "https://g.example/c1", "body": "Why?"}});
        let said = message(&GITHUB, &[("x-github-event", "commit_comment")], &body);
        assert_eq!(said.topic, "shop / commit 0123456");
        assert_eq!(
            said.content,
            "ann [commented](https://g.example/c1) on commit \
             [0123456](https://g.example/shop/commit/0123456789), `a.rs:3`:\n```quote\nWhy?\n```"
        );
    }
}
