//! Bitbucket Cloud: pushes, builds, comments on commits, forks and repositories.

use super::{Hook, name, page};
use crate::forge::{Change, Push, listed, short, verdict, wants};
use crate::message::Commit;
use crate::text::{bold, code, escape, link, linked};
use crate::{Node, Outcome};

pub(super) fn push(hook: &Hook<'_>) -> Outcome {
    let pushes = hook
        .at("push/changes")
        .list()
        .map(|change| of_change(hook, change));
    Push::all(pushes.collect(), &hook.event, hook.option)
}

fn of_change<'a>(hook: &Hook<'a>, change: Node<'a>) -> Push<'a> {
    let (old, new) = (change.at("old"), change.at("new"));
    let reference = if new.exists() { new } else { old };
    let commits = change.at("commits").list().map(|commit| Commit {
        id: commit.at("hash").str(),
        message: commit.at("message").str(),
        url: page(commit),
        author: Some(author(commit.at("author"))).filter(|author| *author != hook.event.who),
    });
    let commits: Vec<Commit<'_>> = commits.collect();
    Push {
        change: if !new.exists() {
            Change::Deleted
        } else if change.at("created").is_true() || !old.exists() {
            Change::Created
        } else if change.at("forced").is_true() {
            Change::Forced
        } else {
            Change::Updated
        },
        name: reference.at("name").str(),
        is_tag: matches!(reference.at("type").str(), "tag" | "annotated_tag"),
        url: page(reference),
        compare: page(change),
        total: commits.len(),
        commits,
        has_more: change.at("truncated").is_true(),
    }
}

/// The author of a commit: a user, or a name with a mail address.
fn author(node: Node<'_>) -> &str {
    match name(node.at("user")) {
        "" => node
            .at("raw")
            .str()
            .split('<')
            .next()
            .unwrap_or_default()
            .trim(),
        name => name,
    }
}

pub(super) fn commit_status(hook: &Hook<'_>) -> Outcome {
    let status = hook.at("commit_status");
    let verdict = match status.at("state").str() {
        "INPROGRESS" => return Outcome::Ignored,
        "SUCCESSFUL" => verdict("success"),
        "FAILED" => verdict("failure"),
        "STOPPED" => bold("was stopped"),
        other => verdict(&other.to_ascii_lowercase()),
    };
    let branch = status.at("refname").str();
    if !branch.is_empty() && !wants(hook.option, branch) {
        return Outcome::Ignored;
    }
    let id = match status.at("commit/hash").str() {
        "" => {
            let address = status.at("links/commit/href").str();
            address.rsplit('/').next().unwrap_or_default()
        }
        id => id,
    };
    let url = match page(status.at("commit")) {
        "" => crate::forge::page(page(hook.at("repository")), &format!("commits/{id}")),
        url => url.to_owned(),
    };
    let build = link(status.first(&["name", "key"]).str(), status.at("url").str());
    let on = if branch.is_empty() {
        String::new()
    } else {
        format!(" on {}", code(branch))
    };
    let commit = if id.is_empty() {
        String::new()
    } else {
        format!(" ({})", link(&short(id), &url))
    };
    let about = if branch.is_empty() {
        format!("commit {}", short(id))
    } else {
        branch.to_owned()
    };
    hook.said(
        &about,
        &format!("Build {build} {verdict}{on}{commit}"),
        status.at("description").str(),
    )
}

pub(super) fn commit_comment(hook: &Hook<'_>) -> Outcome {
    let (comment, commit) = (hook.at("comment"), hook.at("commit"));
    let id = commit.at("hash").str();
    let page_of_commit = page(commit);
    let url = if page_of_commit.is_empty() {
        page(comment.at("commit"))
    } else {
        page_of_commit
    };
    let title = commit
        .at("message")
        .str()
        .lines()
        .next()
        .unwrap_or_default();
    let it = format!("commit {} {}", link(&short(id), url), escape(title));
    let place = match (
        comment.at("inline/path").str(),
        comment.first(&["inline/to", "inline/from"]).number(),
    ) {
        ("", _) => String::new(),
        (path, Some(line)) => format!("{} in ", code(&format!("{path}:{line}"))),
        (path, None) => format!("{} in ", code(path)),
    };
    let deed = format!(
        "{} on {place}{}",
        linked("commented", page(comment)),
        it.trim()
    );
    hook.did(
        &format!("commit {}", short(id)),
        &deed,
        comment.at("content/raw").str(),
    )
}

fn this(hook: &Hook<'_>) -> String {
    let repository = hook.at("repository");
    link(
        repository.first(&["full_name", "name"]).str(),
        page(repository),
    )
}

pub(super) fn fork(hook: &Hook<'_>) -> Outcome {
    let fork = hook.at("fork");
    let new = link(fork.at("full_name").str(), page(fork));
    hook.did("forks", &format!("forked {} to {new}", this(hook)), "")
}

pub(super) fn repository(hook: &Hook<'_>) -> Outcome {
    let it = this(hook);
    let changes = hook.at("changes");
    let deed = match hook.key.trim_start_matches("repo:") {
        "created" => format!("created the repository {it}"),
        "deleted" => format!("deleted the repository {it}"),
        "imported" => format!("imported the repository {it}"),
        "transfer" => format!("transferred the repository {it}"),
        _ => {
            let parts: Vec<String> = changes
                .fields()
                .filter_map(|(key, change)| changed(key, change))
                .collect();
            if parts.is_empty() {
                format!("updated the repository {it}")
            } else {
                format!("updated the repository {it}: {}", listed(&parts))
            }
        }
    };
    hook.did("", &deed, changes.at("description/new").str())
}

/// A change of a repository's field in words.
fn changed(key: &str, change: Node<'_>) -> Option<String> {
    let (old, new) = (change.at("old").text(), change.at("new").text());
    Some(match key {
        "name" => format!("renamed it (before: {})", bold(&old)),
        "description" => "changed the description".to_owned(),
        "is_private" if new == "true" => "made it private".to_owned(),
        "is_private" => "made it public".to_owned(),
        "full_name" | "slug" | "links" => return None,
        key if new.is_empty() => format!("removed the {}", escape(&key.replace('_', " "))),
        key => format!(
            "set the {} to {}",
            escape(&key.replace('_', " ")),
            escape(&new)
        ),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::bitbucket2::BITBUCKET2;
    use crate::testing::{message, outcome};

    fn body(more: Value) -> Value {
        let mut body = json!({"actor": {"display_name": "Ann"}, "repository": {"name": "shop", "full_name": "org/shop",
            "links": {"html": {"href": "https://b.example/shop"}}}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    }

    fn reference(kind: &str, name: &str) -> Value {
        json!({"type": kind, "name": name, "links": {"html": {"href": format!("https://b.example/{name}")}}})
    }

    #[test]
    fn pushes_say_what_they_did() {
        let commit = json!({"hash": "0123456789", "message": "Fix\n", "author": {"raw": "Bob <b@b.example>"},
            "links": {"html": {"href": "https://b.example/c"}}});
        let update = json!({"old": reference("branch", "main"), "new": reference("branch", "main"), "commits": [commit],
            "links": {"html": {"href": "https://b.example/diff"}}, "truncated": true});
        let said = message(
            &BITBUCKET2,
            &[],
            &body(json!({"push": {"changes": [update]}})),
        );
        assert_eq!(said.topic, "shop / main");
        let pushed = "Ann pushed [more than 1 commit](https://b.example/diff) to [`main`](https://b.example/main).\n\
                      * Fix ([0123456](https://b.example/c)) – Bob\n* and more";
        assert_eq!(said.content, pushed);
        let gone = json!({"old": reference("tag", "v1"), "new": null});
        let said = message(
            &BITBUCKET2,
            &[],
            &body(json!({"push": {"changes": [update, gone]}})),
        );
        assert_eq!(said.topic, "shop");
        assert_eq!(
            said.content,
            format!("{pushed}\n\nAnn deleted the tag `v1`.")
        );
        let empty = body(json!({"push": {"changes": []}}));
        assert_eq!(outcome(&BITBUCKET2, &[], &empty), Outcome::Ignored);
    }

    #[test]
    fn builds_say_how_they_ended() {
        let mut status = json!({"name": "Tests", "state": "FAILED", "url": "https://ci.example", "refname": "main",
            "commit": {"hash": "0123456789"}});
        let said = message(&BITBUCKET2, &[], &body(json!({"commit_status": status})));
        assert_eq!(said.topic, "shop / main");
        assert_eq!(
            said.content,
            "Build [Tests](https://ci.example) **failed** on `main` ([0123456](https://b.example/shop/commits/0123456789))."
        );
        status["state"] = json!("INPROGRESS");
        let said = outcome(&BITBUCKET2, &[], &body(json!({"commit_status": status})));
        assert_eq!(said, Outcome::Ignored);
    }

    #[test]
    fn repositories_change() {
        let it = "[org/shop](https://b.example/shop)";
        let said = message(
            &BITBUCKET2,
            &[],
            &body(json!({"changes": {"name": {"old": "kiosk", "new": "shop"}, "slug": {}}})),
        );
        assert_eq!(
            said.content,
            format!("Ann updated the repository {it}: renamed it (before: **kiosk**).")
        );
        let fork = json!({"fork": {"full_name": "bob/shop", "links": {"html": {"href": "https://b.example/bob"}}}});
        let said = message(&BITBUCKET2, &[], &body(fork));
        assert_eq!(
            said.content,
            format!("Ann forked {it} to [bob/shop](https://b.example/bob).")
        );
        let comment = json!({"comment": {"content": {"raw": "Why?"}}, "commit": {"hash": "0123456789", "message": "Fix\n"}});
        let said = message(&BITBUCKET2, &[], &body(comment));
        assert_eq!(said.topic, "shop / commit 0123456");
        assert_eq!(
            said.content,
            "Ann commented on commit 0123456 Fix:\n```quote\nWhy?\n```"
        );
    }

    #[test]
    fn texts_of_outsiders_arrive_letter_by_letter() {
        let evil = "`@**all** *x* [y](z) #1";
        let mut body =
            body(json!({"push": {"changes": [{"old": reference("branch", evil), "new": null}]}}));
        body["actor"]["display_name"] = json!(evil);
        let said = message(&BITBUCKET2, &[], &body);
        let shown = "&#96;@&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z) #1";
        assert_eq!(
            said.content,
            format!("{shown} deleted the branch `` `@**all** *x* [y](z) #1 ``.")
        );
    }
}
