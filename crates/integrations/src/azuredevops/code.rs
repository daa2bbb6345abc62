//! Azure DevOps: pushes and pull requests.

use super::{Hook, general, name};
use crate::forge::{Change, Item, Push, draft_or_not, for_review, in_path, is_zero, names};
use crate::message::Commit;
use crate::text::{code, escape, linked};
use crate::{Node, Outcome};

/// The page of a repository, without the name of a person in its address.
fn page(repository: Node<'_>) -> String {
    let url = repository.first(&["webUrl", "remoteUrl"]).str();
    let start = url.split_once("://").map(|(scheme, rest)| {
        let host = rest.split('/').next().unwrap_or_default();
        match host.split_once('@') {
            Some((user, _)) => format!("{scheme}://{}", &rest[user.len() + 1..]),
            None => url.to_owned(),
        }
    });
    start.unwrap_or_default()
}

pub(super) fn push(hook: Hook<'_>) -> Outcome {
    let who = name(hook.resource.at("pushedBy"));
    let hook = hook.by(who);
    let page = page(hook.resource.at("repository"));
    let updates: Vec<Node<'_>> = hook.resource.at("refUpdates").list().collect();
    let addresses: Vec<(String, String)> = updates
        .iter()
        .map(|update| {
            let (is_tag, name) = Push::reference(update.at("name").str());
            let (old, new) = (
                update.at("oldObjectId").str(),
                update.at("newObjectId").str(),
            );
            let kind = if is_tag { "GT" } else { "GB" };
            let url = format!("{page}?version={kind}{}", in_path(name));
            let compare = format!("{page}/branchCompare?baseVersion=GC{old}&targetVersion=GC{new}");
            (url, if is_zero(old) { String::new() } else { compare })
        })
        .collect();
    let commits: Vec<Node<'_>> = hook.resource.at("commits").list().collect();
    let pages: Vec<String> = commits
        .iter()
        .map(|commit| format!("{page}/commit/{}", commit.at("commitId").str()))
        .collect();
    let pushes =
        updates
            .iter()
            .zip(&addresses)
            .enumerate()
            .map(|(at, (update, (url, compare)))| {
                let (is_tag, name) = Push::reference(update.at("name").str());
                let (old, new) = (
                    update.at("oldObjectId").str(),
                    update.at("newObjectId").str(),
                );
                // The commits belong to the only branch of a usual push.
                let listed = commits
                    .iter()
                    .zip(&pages)
                    .filter(|_| at == 0)
                    .map(|(commit, url)| Commit {
                        id: commit.at("commitId").str(),
                        message: commit.at("comment").str(),
                        url,
                        author: Some(commit.at("author/name").str())
                            .filter(|author| *author != who),
                    });
                let listed: Vec<Commit<'_>> = listed.collect();
                Push {
                    change: match (is_zero(old), is_zero(new)) {
                        (_, true) => Change::Deleted,
                        (true, _) => Change::Created,
                        _ => Change::Updated,
                    },
                    name,
                    is_tag,
                    url,
                    compare,
                    total: listed.len(),
                    commits: listed,
                    has_more: false,
                }
            });
    Push::all(pushes.collect(), &hook.event, hook.option)
}

/// A pull request with its page.
fn with_item(node: Node<'_>, then: impl FnOnce(&Item<'_>) -> Outcome) -> Outcome {
    let number = node.at("pullRequestId").text();
    let built = match page(node.at("repository")) {
        page if page.is_empty() => page,
        page => format!("{page}/pullrequest/{number}"),
    };
    let url = node.at("_links/web/href").str();
    then(&Item {
        noun: "PR",
        number: format!("#{number}"),
        title: node.at("title").str(),
        url: if url.is_empty() { &built } else { url },
    })
}

/// The branches that a pull request goes from and to; one of a fork with its repository.
fn branches(node: Node<'_>) -> (String, String) {
    let branch = |path: &str| Push::reference(node.at(path).str()).1;
    let fork = node.at("forkSource/repository/name").str();
    let head = branch("sourceRefName");
    let head = if fork.is_empty() {
        head.to_owned()
    } else {
        format!("{fork}:{head}")
    };
    (code(&head), code(branch("targetRefName")))
}

pub(super) fn created(hook: Hook<'_>) -> Outcome {
    let node = hook.resource;
    let hook = hook.by(name(node.at("createdBy")));
    let (head, base) = branches(node);
    with_item(node, |item| {
        let draft = draft_or_not(node.at("isDraft").is_true());
        let people = names(node.at("reviewers").list().map(name));
        let reviewers = for_review(&people);
        let deed = format!(
            "opened {draft}{} from {head} to {base}{reviewers}",
            item.link()
        );
        hook.did(&item.topic(), &deed, node.at("description").str())
    })
}

/// Only the sentence of the service says who did what.
pub(super) fn updated(hook: &Hook<'_>) -> Outcome {
    let node = hook.resource;
    let (head, base) = branches(node);
    with_item(node, |item| {
        let (number, title) = (node.at("pullRequestId").text(), node.at("title").str());
        let said = hook.sentence().trim_end_matches('.');
        let markers = [
            format!("pull request {number} ({title})"),
            format!("pull request {number}"),
            "the pull request".to_owned(),
        ];
        let Some((before, after)) = markers.iter().find_map(|marker| said.split_once(&**marker))
        else {
            return general(hook, &item.topic());
        };
        let (before, after) = (escape(before), after.trim());
        let it = item.link();
        // The topic names the repository.
        let place = format!("in {}", hook.event.place);
        let after = if after.is_empty() || after == place {
            String::new()
        } else {
            format!(" {}", escape(after))
        };
        let merged = match (node.at("status").str(), before.ends_with("completed")) {
            ("completed", true) => format!(" from {head} into {base}"),
            _ => String::new(),
        };
        hook.said(&item.topic(), &format!("{before} {it}{after}{merged}"), "")
    })
}

/// A merge, or the test of one after each push.
pub(super) fn merged(hook: &Hook<'_>) -> Outcome {
    let node = hook.resource;
    let (head, base) = branches(node);
    with_item(node, |item| {
        let it = item.link();
        let sentence = match (node.at("status").str(), node.at("mergeStatus").str()) {
            ("completed", "succeeded") => format!("{it} was merged from {head} into {base}"),
            (_, "conflicts") => format!("{it} has conflicts with {base}"),
            (_, "failure" | "rejectedByPolicy") => format!("{it} could not be merged into {base}"),
            _ => return Outcome::Ignored,
        };
        hook.said(&item.topic(), &sentence, "")
    })
}

pub(super) fn comment(hook: Hook<'_>) -> Outcome {
    let (node, comment) = (hook.resource.at("pullRequest"), hook.resource.at("comment"));
    let hook = hook.by(name(comment.at("author")));
    with_item(node, |item| {
        let it = item.link();
        if comment.at("isDeleted").is_true() {
            return hook.did(&item.topic(), &format!("deleted a comment on {it}"), "");
        }
        let is_edited = hook.sentence().contains(" edited ");
        let url = hook.url_of_comment();
        let deed = match is_edited {
            true => format!("edited a {} on {it}", linked("comment", &url)),
            false => format!("{} on {it}", linked("commented", &url)),
        };
        hook.did(&item.topic(), &deed, comment.at("content").str())
    })
}

impl Hook<'_> {
    /// The address of a comment, which only the sentence has.
    fn url_of_comment(&self) -> String {
        let url = self.url_of_sentence();
        if url.contains("discussionId=") {
            url.to_owned()
        } else {
            String::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::azuredevops::AZUREDEVOPS;
    use crate::testing::{message, outcome};

    const ZERO: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn pushes_say_what_they_did() {
        let push = |old: &str, new: &str, commits: Value| {
            json!({"eventType": "git.push", "resource": {"pushedBy": {"displayName": "Ann"}, "commits": commits,
                "refUpdates": [{"name": "refs/heads/main", "oldObjectId": old, "newObjectId": new}],
                "repository": {"name": "shop", "remoteUrl": "https://org@a.example/org/_git/shop"}}})
        };
        let commits =
            json!([{"commitId": "0123456789", "comment": "Fix", "author": {"name": "Bob"}}]);
        let said = message(&AZUREDEVOPS, &[], &push("1", "2", commits));
        let shop = "https://a.example/org/_git/shop";
        assert_eq!(said.topic, "shop / main");
        assert_eq!(
            said.content,
            format!(
                "Ann pushed [1 commit]({shop}/branchCompare?baseVersion=GC1&targetVersion=GC2) to [`main`]({shop}?version=GBmain).\n\
                 * Fix ([0123456]({shop}/commit/0123456789)) – Bob"
            )
        );
        let said = message(&AZUREDEVOPS, &[], &push("1", ZERO, json!([])));
        assert_eq!(said.content, "Ann deleted the branch `main`.");
    }

    fn request(event: &str, text: &str, status: &str, merge: &str) -> Value {
        json!({"eventType": event, "message": {"text": text}, "resource": {"pullRequestId": 7, "title": "Speed", "status": status,
            "mergeStatus": merge, "createdBy": {"displayName": "Ann"}, "description": "Faster",
            "sourceRefName": "refs/heads/fast", "targetRefName": "refs/heads/main", "repository": {"name": "shop"},
            "_links": {"web": {"href": "https://a.example/7"}}}})
    }

    #[test]
    fn pull_requests_change() {
        let it = "[PR #7 Speed](https://a.example/7)";
        for (event, text, status, expected) in [
            (
                "created",
                "",
                "active",
                format!("Ann opened {it} from `fast` to `main`:\n```quote\nFaster\n```"),
            ),
            (
                "updated",
                "Bob updated the source branch of pull request 7 (Speed) in shop\r\nhttps://a.example",
                "active",
                format!("Bob updated the source branch of {it}."),
            ),
            (
                "updated",
                "Bob marked the pull request as completed",
                "completed",
                format!("Bob marked {it} as completed."),
            ),
            (
                "updated",
                "Bob completed pull request 7 (Speed) in shop",
                "completed",
                format!("Bob completed {it} from `fast` into `main`."),
            ),
            (
                "merged",
                "",
                "completed",
                format!("{it} was merged from `fast` into `main`."),
            ),
        ] {
            let body = request(
                &format!("git.pullrequest.{event}"),
                text,
                status,
                "succeeded",
            );
            let said = message(&AZUREDEVOPS, &[], &body);
            assert_eq!(said.topic, "shop / PR #7 Speed");
            assert_eq!(said.content, expected);
        }
        let test = request("git.pullrequest.merged", "", "active", "succeeded");
        assert_eq!(outcome(&AZUREDEVOPS, &[], &test), Outcome::Ignored);
        let test = request("git.pullrequest.merged", "", "active", "conflicts");
        assert_eq!(
            message(&AZUREDEVOPS, &[], &test).content,
            format!("{it} has conflicts with `main`.")
        );
    }

    #[test]
    fn comments_are_quoted() {
        let body = json!({"eventType": "ms.vss-code.git-pullrequest-comment-event",
            "message": {"markdown": "Bob has [commented](https://a.example/7?discussionId=3) on it"},
            "resource": {"comment": {"content": "Why?", "author": {"displayName": "Bob"}},
                "pullRequest": {"pullRequestId": 7, "title": "Speed", "repository": {"name": "shop", "webUrl": "https://a.example/shop"}}}});
        let said = message(&AZUREDEVOPS, &[], &body);
        assert_eq!(said.topic, "shop / PR #7 Speed");
        assert_eq!(
            said.content,
            "Bob [commented](https://a.example/7?discussionId=3) on [PR #7 Speed](https://a.example/shop/pullrequest/7):\n\
             ```quote\nWhy?\n```"
        );
    }
}
