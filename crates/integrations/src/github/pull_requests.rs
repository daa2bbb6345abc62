//! GitHub: pull requests and their reviews.

use super::issues::{change, commented, item};
use crate::forge::{Hook, draft_or_not, names, short};
use crate::text::{code, escape, linked};
use crate::{Node, Outcome};

pub(super) fn pull_request(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("pull_request");
    let item = item("PR", node);
    let it = item.link();
    let (head, base) = branches(node);
    let mut quoted = "";
    let deed = match hook.action() {
        "opened" => {
            quoted = node.at("body").str();
            let draft = draft_or_not(node.at("draft").is_true());
            let people = names(node.at("assignees").list().map(|one| one.at("login").str()));
            let assigned = if people.is_empty() {
                String::new()
            } else {
                format!(" (assigned to {people})")
            };
            format!("opened {draft}{it} from {head} to {base}{assigned}")
        }
        "closed" if node.at("merged").is_true() => format!("merged {it} from {head} into {base}"),
        "closed" => format!("closed {it} without merging it"),
        "synchronize" => {
            let (before, after) = (hook.str("before"), hook.str("after"));
            let compare = hook.page(&format!("compare/{before}...{after}"));
            let known = !before.is_empty() && !after.is_empty();
            let pushed = linked("new commits", if known { &compare } else { "" });
            format!("pushed {pushed} to {it}")
        }
        "review_requested" => format!("asked {} to review {it}", reviewer(hook)),
        "review_request_removed" => format!("no longer asks {} to review {it}", reviewer(hook)),
        "ready_for_review" => format!("marked {it} as ready for review"),
        "converted_to_draft" => format!("turned {it} into a draft"),
        "auto_merge_enabled" => format!("enabled automatic merging of {it} into {base}"),
        "auto_merge_disabled" => match hook.str("reason") {
            "" => format!("disabled automatic merging of {it}"),
            reason => format!("disabled automatic merging of {it} ({})", escape(reason)),
        },
        "enqueued" => format!("added {it} to the merge queue of {base}"),
        "dequeued" => match hook.str("reason") {
            "" => format!("took {it} out of the merge queue"),
            reason => format!(
                "took {it} out of the merge queue ({})",
                escape(&reason.replace('_', " "))
            ),
        },
        _ => return change(hook, &item, node),
    };
    hook.did(&item.topic(), &deed, quoted)
}

/// The branches that a pull request goes from and to; one of a fork with its owner.
fn branches(node: Node<'_>) -> (String, String) {
    let (head, base) = (node.at("head"), node.at("base"));
    let owner = |end: Node<'_>| {
        end.first(&["repo/full_name", "user/login"])
            .str()
            .to_owned()
    };
    let from = if owner(head) == owner(base) {
        head.at("ref").str()
    } else {
        head.first(&["label", "ref"]).str()
    };
    (code(from), code(base.at("ref").str()))
}

fn reviewer(hook: &Hook<'_>) -> String {
    if hook.at("requested_team").exists() {
        return format!("the team {}", escape(hook.str("requested_team/name")));
    }
    names([hook.str("requested_reviewer/login")])
}

pub(super) fn review(hook: &Hook<'_>) -> Outcome {
    let (review, item) = (hook.at("review"), item("PR", hook.at("pull_request")));
    let (it, url) = (item.link(), review.at("html_url").str());
    let quoted = review.at("body").str();
    let state = review.at("state").str().to_ascii_lowercase();
    let deed = match (hook.action(), &*state) {
        // The comments of such a review are events of their own.
        (_, "commented") if quoted.trim().is_empty() => return Outcome::Ignored,
        ("submitted", "approved") => format!("{} {it}", linked("approved", url)),
        ("submitted", "changes_requested") => {
            format!("{} in {it}", linked("requested changes", url))
        }
        ("submitted", _) => format!("{} {it}", linked("reviewed", url)),
        (action, _) => {
            let author = escape(review.at("user/login").str());
            format!(
                "{} the {} of {it} by {author}",
                escape(action),
                linked("review", url)
            )
        }
    };
    hook.did(&item.topic(), &deed, quoted)
}

pub(super) fn comment(hook: &Hook<'_>) -> Outcome {
    let (comment, item) = (hook.at("comment"), item("PR", hook.at("pull_request")));
    if hook.action() != "created" {
        return commented(hook, &item);
    }
    let url = linked("commented", comment.at("html_url").str());
    let path = comment.at("path").str();
    let place = match comment.first(&["line", "original_line"]).number() {
        Some(line) => code(&format!("{path}:{line}")),
        None => code(path),
    };
    let id = short(comment.at("commit_id").str());
    let place = if place.is_empty() { id } else { place };
    hook.did(
        &item.topic(),
        &format!("{url} on {place} in {}", item.link()),
        comment.at("body").str(),
    )
}

pub(super) fn thread(hook: &Hook<'_>) -> Outcome {
    let item = item("PR", hook.at("pull_request"));
    let first = hook.at("thread/comments/0");
    let thread = linked("conversation", first.at("html_url").str());
    let place = match first.at("path").str() {
        "" => String::new(),
        path => format!(" on {}", code(path)),
    };
    let done = match hook.action() {
        "unresolved" => "reopened".to_owned(),
        _ => hook.action_words(),
    };
    let deed = format!("{done} a {thread}{place} in {}", item.link());
    hook.did(&item.topic(), &deed, "")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::github::GITHUB;
    use crate::testing::{message, outcome};

    const IT: &str = "[PR #9 Speed](https://g.example/9)";

    fn body(action: &str, more: Value) -> Value {
        let mut body = json!({"action": action, "sender": {"login": "ann"},
            "repository": {"name": "shop", "html_url": "https://g.example/shop"},
            "pull_request": {"number": 9, "title": "Speed", "html_url": "https://g.example/9", "body": "Faster",
                "head": {"ref": "fast", "label": "ann:fast", "user": {"login": "ann"}},
                "base": {"ref": "main", "label": "org:main", "user": {"login": "org"}}}});
        for (key, value) in more.as_object().unwrap() {
            match key.strip_prefix("pull_request.") {
                Some(key) => body["pull_request"][key] = value.clone(),
                None => body[key] = value.clone(),
            }
        }
        body
    }

    fn said(action: &str, more: Value) -> String {
        let said = message(&GITHUB, &[], &body(action, more));
        assert_eq!(said.topic, "shop / PR #9 Speed");
        said.content
    }

    #[test]
    fn pull_requests_change() {
        for (action, more, expected) in [
            (
                "opened",
                json!({}),
                format!("ann opened {IT} from `ann:fast` to `main`:\n```quote\nFaster\n```"),
            ),
            (
                "opened",
                json!({"pull_request.draft": true, "pull_request.body": null, "pull_request.assignees": [{"login": "bob"}]}),
                format!("ann opened the draft {IT} from `ann:fast` to `main` (assigned to bob)."),
            ),
            (
                "closed",
                json!({"pull_request.merged": true}),
                format!("ann merged {IT} from `ann:fast` into `main`."),
            ),
            (
                "closed",
                json!({}),
                format!("ann closed {IT} without merging it."),
            ),
            (
                "synchronize",
                json!({"before": "1", "after": "2"}),
                format!("ann pushed [new commits](https://g.example/shop/compare/1...2) to {IT}."),
            ),
            (
                "review_requested",
                json!({"requested_reviewer": {"login": "bob"}}),
                format!("ann asked bob to review {IT}."),
            ),
            (
                "review_requested",
                json!({"requested_team": {"name": "core"}}),
                format!("ann asked the team core to review {IT}."),
            ),
            (
                "auto_merge_disabled",
                json!({"reason": "New push"}),
                format!("ann disabled automatic merging of {IT} (New push)."),
            ),
            (
                "edited",
                json!({"changes": {"base": {"ref": {"from": "dev"}}}}),
                format!("ann changed the base of {IT} from `dev` to `main`."),
            ),
            (
                "labeled",
                json!({"label": {"name": "bug"}}),
                format!("ann added the label **bug** to {IT}."),
            ),
        ] {
            assert_eq!(said(action, more), expected);
        }
    }

    #[test]
    fn reviews_say_their_verdict() {
        let review = |state: &str, text: &str| {
            json!({"review": {"state": state, "body": text, "html_url": "https://g.example/r",
            "user": {"login": "bob"}}})
        };
        assert_eq!(
            said("submitted", review("approved", "")),
            format!("ann [approved](https://g.example/r) {IT}.")
        );
        assert_eq!(
            said("submitted", review("changes_requested", "No")),
            format!("ann [requested changes](https://g.example/r) in {IT}:\n```quote\nNo\n```")
        );
        assert_eq!(
            said("dismissed", review("dismissed", "")),
            format!("ann dismissed the [review](https://g.example/r) of {IT} by bob.")
        );
        assert_eq!(
            outcome(&GITHUB, &[], &body("submitted", review("commented", ""))),
            Outcome::Ignored
        );
    }

    #[test]
    fn comments_name_the_line() {
        let comment = json!({"comment": {"html_url": "https://g.example/c", "path": "a.rs", "line": 3, "body": "Why?"}});
        assert_eq!(
            said("created", comment),
            format!(
                "ann [commented](https://g.example/c) on `a.rs:3` in {IT}:\n```quote\nWhy?\n```"
            )
        );
        let thread =
            json!({"thread": {"comments": [{"html_url": "https://g.example/c", "path": "a.rs"}]}});
        assert_eq!(
            said("resolved", thread),
            format!("ann resolved a [conversation](https://g.example/c) on `a.rs` in {IT}.")
        );
    }
}
