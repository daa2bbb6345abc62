//! GitLab: projects, groups and system hooks.
//!
//! The body names its kind.
//!
//! Ignored:
//! * pipelines, jobs and deployments before they end or need a person, and skipped ones;
//! * notes that GitLab itself writes;
//! * events of system hooks for programs of administrators: accounts, keys, `repository_update`.

mod ci;
mod items;
mod notes;
mod others;

use crate::forge::{BRANCHES, Change, Event, Hook, Push, is_zero};
use crate::message::Commit;
use crate::text::escape;
use crate::{Call, Integration, Outcome, Proof};

pub(crate) static GITLAB: Integration = Integration {
    name: "gitlab",
    display_name: "GitLab",
    setup: "Settings > Webhooks > Add new webhook\n\
            URL: ADDRESS\n\
            Secret token: SECRET",
    events: &[
        "access_token",
        "confidential_issue",
        "confidential_note",
        "deployment",
        "emoji",
        "feature_flag",
        "issue",
        "job",
        "member",
        "merge_request",
        "milestone",
        "note",
        "pipeline",
        "project",
        "push",
        "release",
        "tag_push",
        "vulnerability",
        "wiki_page",
    ],
    url_options: &[BRANCHES],
    proof: Some(Proof::Token("x-gitlab-token")),
    // `x-gitlab-event-uuid` is the same for all events of one cause.
    delivery_header: Some("idempotency-key"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let project = body.at("project/name").str();
    let own = body.first(&[
        "repository/name",
        "project_name",
        "group/group_name",
        "group_name",
    ]);
    let url = body.at("object_attributes/url").str();
    let place = match (project, own.str()) {
        // Vulnerabilities name their project only in their address.
        ("", "") => url.split_once("/-/").map_or("", |(page, _)| last(page)),
        ("", own) => last(own),
        (project, _) => project,
    };
    let hook = |kind| Hook {
        event: Event {
            kind,
            who: body
                .first(&["user/name", "user_name", "user/username"])
                .str(),
            place,
        },
        body,
        option: call.option,
        repository: body
            .first(&["project/web_url", "project/homepage", "repository/homepage"])
            .str(),
    };
    let is_confidential = body.at("event_type").str().starts_with("confidential")
        || body.at("object_attributes/confidential").is_true();
    match body.first(&["object_kind", "event_name"]).str() {
        "push" => push(&hook("push")),
        "tag_push" => push(&hook("tag_push")),
        "issue" | "work_item" if is_confidential => items::issue(&hook("confidential_issue")),
        "issue" | "work_item" => items::issue(&hook("issue")),
        "merge_request" => items::merge_request(&hook("merge_request")),
        "note" if body.at("object_attributes/system").is_true() => Outcome::Ignored,
        "note" if body.at("event_type").str().starts_with("confidential") => {
            notes::note(&hook("confidential_note"))
        }
        "note" => notes::note(&hook("note")),
        "pipeline" => ci::pipeline(&hook("pipeline")),
        "build" => ci::job(&hook("job")),
        "deployment" => ci::deployment(&hook("deployment")),
        "wiki_page" => others::wiki_page(&hook("wiki_page")),
        "release" => others::release(&hook("release")),
        "milestone" => others::milestone(&hook("milestone")),
        "feature_flag" => others::feature_flag(&hook("feature_flag")),
        "emoji" => others::emoji(&hook("emoji")),
        "access_token" => others::access_token(&hook("access_token")),
        "vulnerability" => others::vulnerability(&hook("vulnerability")),
        name if name.starts_with("user_") && name.contains("_group") || name.contains("_team") => {
            others::member(&hook("member"), name)
        }
        name if name.starts_with("project_") || name.starts_with("subgroup_") => {
            others::project(&hook("project"), name)
        }
        name if [
            "user_",
            "key_",
            "group_",
            "gitlab_subscription",
            "repository_update",
        ]
        .iter()
        .any(|start| name.starts_with(start)) =>
        {
            Outcome::Ignored
        }
        _ => Outcome::Unknown,
    }
}

/// The part of a path after its last slash: `group / project`.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default().trim()
}

/// What an action is called in a sentence: `close` becomes `closed`.
fn past(action: &str) -> String {
    match action {
        "open" => "opened".to_owned(),
        "reopen" => "reopened".to_owned(),
        "close" => "closed".to_owned(),
        "create" => "created".to_owned(),
        "update" => "updated".to_owned(),
        "delete" => "deleted".to_owned(),
        "merge" => "merged".to_owned(),
        other => escape(&other.replace('_', " ")),
    }
}

fn push(hook: &Hook<'_>) -> Outcome {
    let (before, after) = (hook.str("before"), hook.str("after"));
    let (is_tag, name) = Push::reference(hook.str("ref"));
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let change = match (is_zero(before), is_zero(after)) {
        (_, true) => Change::Deleted,
        (true, _) => Change::Created,
        _ => Change::Updated,
    };
    let pushers = [hook.str("user_name"), hook.str("user_username")];
    let commits = hook.at("commits").list().map(|commit| Commit {
        id: commit.at("id").str(),
        message: commit.first(&["title", "message"]).str(),
        url: commit.at("url").str(),
        author: Some(commit.at("author/name").str()).filter(|author| !pushers.contains(author)),
    });
    let commits: Vec<Commit<'_>> = commits.collect();
    let total = hook.at("total_commits_count").number();
    let total = total
        .and_then(|total| usize::try_from(total).ok())
        .unwrap_or(commits.len());
    let compare = match change {
        Change::Updated => hook.page(&format!("-/compare/{before}...{after}")),
        _ => hook.page(&format!("-/commits/{name}")),
    };
    let url = hook.page(&format!(
        "-/{}/{name}",
        if is_tag { "tags" } else { "tree" }
    ));
    Push {
        change,
        name,
        is_tag,
        url: &url,
        compare: &compare,
        // A new branch comes without commits, even if it has some.
        total: total.max(commits.len()),
        commits,
        has_more: false,
    }
    .outcome(&hook.event, hook.option)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{message, outcome};

    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn pushed(reference: &str, before: &str, after: &str, commits: Value) -> Value {
        json!({"object_kind": "push", "ref": reference, "before": before, "after": after, "user_name": "Ann Lee",
            "project": {"name": "Shop", "web_url": "https://g.example/shop"},
            "total_commits_count": commits.as_array().map(Vec::len), "commits": commits})
    }

    #[test]
    fn pushes_say_what_they_did() {
        let commit = json!({"id": "0123456789", "message": "Fix\n\nLong", "url": "https://g.example/c", "author": {"name": "Bob"}});
        let said = message(
            &GITLAB,
            &[],
            &pushed("refs/heads/main", "1", "2", json!([commit])),
        );
        assert_eq!(said.topic, "Shop / main");
        assert_eq!(
            said.content,
            "Ann Lee pushed [1 commit](https://g.example/shop/-/compare/1...2) to \
             [`main`](https://g.example/shop/-/tree/main).\n* Fix ([0123456](https://g.example/c)) – Bob"
        );
        let said = |reference, before, after| {
            message(&GITLAB, &[], &pushed(reference, before, after, json!([]))).content
        };
        assert_eq!(
            said("refs/heads/x", ZERO, "2"),
            "Ann Lee created the branch [`x`](https://g.example/shop/-/tree/x)."
        );
        assert_eq!(
            said("refs/heads/x", "1", ZERO),
            "Ann Lee deleted the branch `x`."
        );
        assert_eq!(
            said("refs/tags/v1", ZERO, "2"),
            "Ann Lee pushed the tag [`v1`](https://g.example/shop/-/tags/v1)."
        );
    }

    #[test]
    fn system_hooks_for_programs_are_ignored() {
        for name in ["repository_update", "user_create", "key_destroy"] {
            let body = json!({"event_name": name, "user_name": "Ann"});
            assert_eq!(outcome(&GITLAB, &[], &body), Outcome::Ignored, "{name}");
        }
    }

    #[test]
    fn texts_of_outsiders_arrive_letter_by_letter() {
        let evil = "`@**all** *x* [y](z) #1";
        let body = json!({"object_kind": "issue", "user": {"name": evil}, "project": {"name": evil},
            "object_attributes": {"iid": 7, "title": evil, "url": "https://g.example/a)b", "action": "open", "description": evil}});
        let said = message(&GITLAB, &[], &body);
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
