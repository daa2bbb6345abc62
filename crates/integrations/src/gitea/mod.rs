//! Gitea, and Forgejo, which sends the same.
//!
//! The body decides what happened: versions differ in the names that their headers give to reviews and comments.
//!
//! Ignored: statuses, workflows and jobs before they end, and skipped ones.

mod items;
mod others;

use crate::forge::{BRANCHES, Change, Event, Hook, Push, is_zero};
use crate::message::Commit;
use crate::{Call, Integration, Outcome, Proof};

pub(crate) static GITEA: Integration = Integration {
    name: "gitea",
    display_name: "Gitea",
    setup: "Settings > Webhooks > Add webhook > Gitea\n\
            Target URL: ADDRESS\n\
            HTTP method: POST\n\
            POST content type: application/json\n\
            Secret: SECRET\n\
            Trigger on: All events",
    events: &[
        "action_run",
        "create",
        "delete",
        "fork",
        "issue_comment",
        "issues",
        "package",
        "pull_request",
        "pull_request_review",
        "push",
        "release",
        "repository",
        "status",
        "wiki",
        "workflow_job",
        "workflow_run",
    ],
    url_options: &[BRANCHES],
    proof: Some(Proof::Sha256 {
        header: "x-gitea-signature",
        prefix: "",
    }),
    delivery_header: Some("x-gitea-delivery"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    read_as(call, false)
}

/// Reads a call of Gitea, or of Gogs, which exchanges the two repositories of a fork.
pub(crate) fn read_as(call: &Call<'_>, is_gogs: bool) -> Outcome {
    let body = call.node();
    let hook = |kind| Hook {
        event: Event {
            kind,
            who: body
                .first(&[
                    "sender/login",
                    "sender/username",
                    "pusher/login",
                    "pusher/username",
                ])
                .str(),
            place: body
                .first(&["repository/name", "organization/username"])
                .str(),
        },
        body,
        option: call.option,
        repository: body.at("repository/html_url").str(),
    };
    let has = |parts: &[&str]| parts.iter().all(|part| body.at(part).exists());
    if has(&["ref", "before", "after"]) {
        push(&hook("push"))
    } else if has(&["ref", "ref_type"]) {
        // Only a deletion says what kind of account did it.
        let is_new = !has(&["pusher_type"]);
        reference(&hook(if is_new { "create" } else { "delete" }), is_new)
    } else if has(&["comment", "issue"]) || has(&["comment", "pull_request"]) {
        items::comment(&hook("issue_comment"))
    } else if has(&["pull_request", "review"]) {
        items::review(&hook("pull_request_review"))
    } else if has(&["pull_request"]) {
        items::pull_request(&hook("pull_request"))
    } else if has(&["issue"]) {
        items::issue(&hook("issues"))
    } else if has(&["release"]) {
        others::release(&hook("release"))
    } else if has(&["forkee"]) {
        others::fork(&hook("fork"), is_gogs)
    } else if has(&["page"]) {
        others::wiki(&hook("wiki"))
    } else if has(&["package"]) {
        others::package(&hook("package"))
    } else if has(&["workflow_job"]) {
        others::workflow_job(&hook("workflow_job"))
    } else if has(&["workflow_run"]) {
        others::workflow_run(&hook("workflow_run"))
    } else if has(&["run"]) {
        others::action_run(&hook("action_run"))
    } else if has(&["sha", "state", "context"]) {
        others::status(&hook("status"))
    } else if has(&["repository", "action"]) {
        others::repository(&hook("repository"))
    } else {
        Outcome::Unknown
    }
}

/// The page of a branch or tag.
fn page_of(hook: &Hook<'_>, is_tag: bool, name: &str) -> String {
    let folder = if is_tag { "src/tag" } else { "src/branch" };
    hook.page(&format!("{folder}/{name}"))
}

fn push(hook: &Hook<'_>) -> Outcome {
    let (before, after) = (hook.str("before"), hook.str("after"));
    let (is_tag, name) = Push::reference(hook.str("ref"));
    let change = match (is_zero(before), is_zero(after)) {
        (_, true) => Change::Deleted,
        (true, _) => Change::Created,
        _ => Change::Updated,
    };
    let pusher = hook.at("pusher");
    let pushers = [
        hook.event.who,
        pusher.at("login").str(),
        pusher.at("full_name").str(),
    ];
    let commits = hook.at("commits").list().map(|commit| {
        let author = commit.first(&["author/username", "author/name"]).str();
        Commit {
            id: commit.at("id").str(),
            message: commit.at("message").str(),
            url: commit.at("url").str(),
            author: Some(author).filter(|author| !pushers.contains(author)),
        }
    });
    let commits: Vec<Commit<'_>> = commits.collect();
    let total = hook.at("total_commits").number();
    let total = total
        .and_then(|total| usize::try_from(total).ok())
        .unwrap_or_default();
    Push {
        change,
        name,
        is_tag,
        url: &page_of(hook, is_tag, name),
        compare: hook.str("compare_url"),
        total: total.max(commits.len()),
        commits,
        has_more: false,
    }
    .outcome(&hook.event, hook.option)
}

/// A branch or tag that was created or deleted.
fn reference(hook: &Hook<'_>, is_new: bool) -> Outcome {
    let (_, name) = Push::reference(hook.str("ref"));
    let is_tag = hook.str("ref_type") == "tag";
    Push {
        change: if is_new {
            Change::Created
        } else {
            Change::Deleted
        },
        name,
        is_tag,
        url: &page_of(hook, is_tag, name),
        compare: "",
        total: 0,
        commits: Vec::new(),
        has_more: false,
    }
    .outcome(&hook.event, hook.option)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::GITEA;
    use crate::testing::message;

    #[test]
    fn pushes_say_what_they_did() {
        let body = json!({"ref": "refs/heads/main", "before": "1", "after": "2", "compare_url": "https://g.example/c",
            "commits": [{"id": "0123456789", "message": "Fix\n", "url": "https://g.example/1", "author": {"username": "bob"}}],
            "total_commits": 3, "repository": {"name": "shop", "html_url": "https://g.example/shop"},
            "pusher": {"login": "ann"}, "sender": {"login": "ann"}});
        let said = message(&GITEA, &[], &body);
        assert_eq!((said.event, &*said.topic), ("push", "shop / main"));
        assert_eq!(
            said.content,
            "ann pushed [3 commits](https://g.example/c) to [`main`](https://g.example/shop/src/branch/main).\n\
             * Fix ([0123456](https://g.example/1)) – bob\n* and 2 more"
        );
    }

    #[test]
    fn references_come_and_go() {
        let mut body = json!({"ref": "v1", "ref_type": "tag", "sha": "1", "sender": {"login": "ann"},
            "repository": {"name": "shop", "html_url": "https://g.example/shop"}});
        let said = message(&GITEA, &[], &body);
        assert_eq!((said.event, &*said.topic), ("create", "shop / v1"));
        assert_eq!(
            said.content,
            "ann pushed the tag [`v1`](https://g.example/shop/src/tag/v1)."
        );
        body["pusher_type"] = json!("user");
        body["ref_type"] = json!("branch");
        let said = message(&GITEA, &[], &body);
        assert_eq!(
            (said.event, &*said.content),
            ("delete", "ann deleted the branch `v1`.")
        );
    }

    #[test]
    fn texts_of_outsiders_arrive_letter_by_letter() {
        let evil = "`@**all** *x* [y](z) #1";
        let body = json!({"action": "opened", "number": 7, "sender": {"login": evil}, "repository": {"name": evil},
            "issue": {"number": 7, "title": evil, "html_url": "https://g.example/a)b", "body": evil}});
        let said = message(&GITEA, &[], &body);
        let shown = "&#96;@&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z) #1";
        assert_eq!(said.topic, format!("{evil} / issue #7 {evil}"));
        assert_eq!(
            said.content,
            format!(
                "{shown} opened [issue #7 {shown}](https://g.example/a%29b):\n\
                 ```quote\n`&#64;**all** *x* [y](z) #1\n```"
            )
        );
    }
}
