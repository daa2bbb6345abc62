//! Bitbucket Server: pushes, comments on commits and repositories.

use super::{Hook, comment, own_page};
use crate::forge::{Change, Push, in_path, page, short};
use crate::text::{bold, link};
use crate::{Node, Outcome};

/// The address of a repository without its last part, `browse`.
fn base(repository: Node<'_>) -> &str {
    own_page(repository).trim_end_matches("/browse")
}

pub(super) fn push(hook: &Hook<'_>) -> Outcome {
    let base = base(hook.body.at("repository"));
    let changes: Vec<Node<'_>> = hook.body.at("changes").list().collect();
    let pages: Vec<(String, String)> = changes
        .iter()
        .map(|change| {
            let (from, to) = (change.at("fromHash").str(), change.at("toHash").str());
            let reference = in_path(change.at("ref/id").str());
            let compare = format!("compare/commits?targetBranch={from}&sourceBranch={to}");
            match base {
                "" => (String::new(), String::new()),
                base => (
                    format!("{base}/browse?at={reference}"),
                    format!("{base}/{compare}"),
                ),
            }
        })
        .collect();
    // The body has no commits.
    let pushes = changes
        .iter()
        .zip(&pages)
        .map(|(change, (url, compare))| Push {
            change: match change.at("type").str() {
                "ADD" => Change::Created,
                "DELETE" => Change::Deleted,
                _ => Change::Updated,
            },
            name: change.at("ref/displayId").str(),
            is_tag: change.at("ref/type").str() == "TAG",
            url,
            compare,
            commits: Vec::new(),
            total: 0,
            has_more: true,
        });
    Push::all(pushes.collect(), &hook.event, hook.option)
}

pub(super) fn commit_comment(hook: &Hook<'_>) -> Outcome {
    let id = hook.body.at("commit").str();
    let url = page(base(hook.body.at("repository")), &format!("commits/{id}"));
    let it = format!("commit {}", link(&short(id), &url));
    comment(hook, &format!("commit {}", short(id)), &it, &url)
}

pub(super) fn repository(hook: &Hook<'_>) -> Outcome {
    let body = hook.body;
    let repository = body.at("repository");
    let it = link(repository.at("name").str(), own_page(repository));
    let deed = match hook.event.kind {
        "repo:forked" => {
            let origin = repository.at("origin");
            format!(
                "forked {} to {it}",
                link(origin.at("name").str(), own_page(origin))
            )
        }
        "repo:secret_detected" => format!("pushed a **secret** to {it}"),
        // Of a project or a repository.
        _ => {
            let (old, new) = (body.at("old/name").str(), body.at("new/name").str());
            let it = link(new, own_page(body.at("new")));
            let kind = if hook.event.kind.starts_with("project") {
                "project"
            } else {
                "repository"
            };
            match old == new {
                true => format!("changed the {kind} {it}"),
                false => format!("renamed the {kind} {} to {it}", bold(old)),
            }
        }
    };
    hook.did("", &deed, "")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::bitbucket3::BITBUCKET3;
    use crate::bitbucket3::tests::said;
    use crate::testing::message;

    #[test]
    fn pushes_say_what_they_did() {
        let change = |kind: &str| {
            json!({"changes": [{"type": kind, "fromHash": "1", "toHash": "2",
            "ref": {"id": "refs/heads/main", "displayId": "main", "type": "BRANCH"}}]})
        };
        let main = "[`main`](https://b.example/shop/browse?at=refs/heads/main)";
        for (kind, expected) in [
            (
                "UPDATE",
                format!(
                    "Ann pushed [commits](https://b.example/shop/compare/commits?targetBranch=1&sourceBranch=2) to {main}."
                ),
            ),
            ("ADD", format!("Ann created the branch {main}.")),
            ("DELETE", "Ann deleted the branch `main`.".to_owned()),
        ] {
            assert_eq!(
                said("repo:refs_changed", change(kind)),
                ("shop / main".to_owned(), expected)
            );
        }
    }

    #[test]
    fn commits_and_repositories() {
        let (topic, content) = said(
            "repo:comment:added",
            json!({"commit": "0123456789", "comment": {"id": 3, "text": "Why?"}}),
        );
        assert_eq!(topic, "shop / commit 0123456");
        assert_eq!(
            content,
            "Ann [commented](https://b.example/shop/commits/0123456789?commentId=3) on commit \
             [0123456](https://b.example/shop/commits/0123456789):\n```quote\nWhy?\n```"
        );
        let names = json!({"repository": null, "old": {"name": "kiosk"}, "new": {"name": "shop"}});
        assert_eq!(
            said("repo:modified", names).1,
            "Ann renamed the repository **kiosk** to shop."
        );
        let said = message(&BITBUCKET3, &[], &json!({"test": true}));
        assert_eq!(said.content, "The webhook is set up.");
    }
}
