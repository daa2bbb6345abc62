//! GitHub: repositories and organizations.
//!
//! The header names the event. Where it is missing or does not fit, the body decides.
//!
//! Ignored:
//! * checks, workflows, statuses and deployments before they end, and skipped ones;
//! * reviews without a text, which only carry comments: each comment is an event of its own;
//! * `created`, `released` and `prereleased` of a release that is not a draft: `published` comes for the same act;
//! * `parent_issue_…` of sub-issues: `sub_issue_…` comes for the same act;
//! * pages that are still being built;
//! * events for programs ([`FOR_PROGRAMS`]).
//!
//! Some acts are two events, `push` with `create` or `delete` and `watch` with `star`. A webhook may be subscribed to
//! only one of them, so each is a message.

mod alerts;
mod checks;
mod deployments;
mod discussions;
mod issues;
mod people;
mod projects;
mod pull_requests;
mod pushes;
mod releases;
mod repositories;

use crate::forge::{BRANCHES, Event, Hook};
use crate::{Call, Integration, Outcome, Proof};

pub(crate) static GITHUB: Integration = Integration {
    name: "github",
    display_name: "GitHub",
    setup: "Settings > Webhooks > Add webhook\n\
            Payload URL: ADDRESS\n\
            Content type: application/json\n\
            Secret: SECRET\n\
            Which events would you like to trigger this webhook: Send me everything",
    events: EVENTS,
    url_options: &[BRANCHES],
    proof: Some(Proof::Sha256 {
        header: "x-hub-signature-256",
        prefix: "sha256=",
    }),
    delivery_header: Some("x-github-delivery"),
    read,
};

/// An event of GitHub.
struct Kind {
    event: &'static str,
    /// What its body has; a body without a useful header is of the first kind whose parts it has.
    has: &'static [&'static str],
    read: fn(&Hook<'_>) -> Outcome,
}

const fn kind(
    event: &'static str,
    has: &'static [&'static str],
    read: fn(&Hook<'_>) -> Outcome,
) -> Kind {
    Kind { event, has, read }
}

#[rustfmt::skip]
static KINDS: &[Kind] = &[
    kind("push", &["ref", "commits"], pushes::push),
    kind("delete", &["ref", "ref_type", "pusher_type"], pushes::deleted),
    kind("create", &["ref", "ref_type"], pushes::created),
    kind("issue_comment", &["issue", "comment"], issues::comment),
    kind("pull_request_review_comment", &["pull_request", "comment"], pull_requests::comment),
    kind("pull_request_review_thread", &["pull_request", "thread"], pull_requests::thread),
    kind("pull_request_review", &["pull_request", "review"], pull_requests::review),
    kind("pull_request", &["pull_request"], pull_requests::pull_request),
    kind("sub_issues", &["sub_issue", "parent_issue"], issues::sub_issue),
    kind("issues", &["issue"], issues::issue),
    kind("discussion_comment", &["discussion", "comment"], discussions::comment),
    kind("discussion", &["discussion"], discussions::discussion),
    kind("commit_comment", &["comment/commit_id"], pushes::comment),
    kind("workflow_job", &["workflow_job"], checks::workflow_job),
    kind("deployment_status", &["deployment", "deployment_status"], deployments::status),
    kind("deployment_review", &["workflow_run", "reviewers"], deployments::review),
    kind("deployment", &["deployment"], deployments::deployment),
    kind("workflow_run", &["workflow_run"], checks::workflow_run),
    kind("check_run", &["check_run"], checks::check_run),
    kind("check_suite", &["check_suite"], checks::check_suite),
    kind("page_build", &["build"], deployments::page_build),
    kind("status", &["state", "context", "sha"], checks::status),
    kind("release", &["release"], releases::release),
    kind("registry_package", &["registry_package"], releases::registry_package),
    kind("package", &["package"], releases::package),
    kind("gollum", &["pages"], repositories::wiki),
    kind("fork", &["forkee"], repositories::fork),
    kind("sponsorship", &["sponsorship"], people::sponsorship),
    kind("membership", &["member", "team"], people::team_member),
    kind("member", &["member"], people::member),
    kind("organization", &["organization"], people::organization),
    kind("org_block", &["blocked_user"], people::blocked),
    kind("team_add", &["team", "repository"], people::team_add),
    kind("team", &["team"], people::team),
    kind("repository_vulnerability_alert", &["alert/affected_package_name"], alerts::vulnerability),
    kind("secret_scanning_alert", &["alert/secret_type"], alerts::secret),
    kind("code_scanning_alert", &["alert/rule"], alerts::code_scanning),
    kind("dependabot_alert", &["alert"], alerts::dependabot),
    kind("repository_advisory", &["repository_advisory"], alerts::advisory),
    kind("security_advisory", &["security_advisory"], alerts::global_advisory),
    kind("milestone", &["milestone"], issues::milestone),
    kind("label", &["label"], issues::label),
    kind("project_card", &["project_card"], projects::card),
    kind("project_column", &["project_column"], projects::column),
    kind("project", &["project"], projects::project),
    kind("projects_v2", &["projects_v2"], projects::project_v2),
    kind("deploy_key", &["key"], repositories::deploy_key),
    kind("branch_protection_rule", &["rule"], repositories::branch_rule),
    kind("repository_ruleset", &["repository_ruleset"], repositories::ruleset),
    kind("ping", &["zen"], repositories::ping),
    kind("meta", &["hook"], repositories::meta),
    // The events below have no part of their own: only the header or the action names them.
    kind("watch", &["repository"], repositories::watch),
    kind("star", &["repository"], repositories::star),
    kind("public", &["repository"], repositories::public),
    kind("repository", &["repository"], repositories::repository),
];

/// The names of [`KINDS`].
static EVENTS: &[&str] = &[
    "branch_protection_rule",
    "check_run",
    "check_suite",
    "code_scanning_alert",
    "commit_comment",
    "create",
    "delete",
    "dependabot_alert",
    "deploy_key",
    "deployment",
    "deployment_review",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "issue_comment",
    "issues",
    "label",
    "member",
    "membership",
    "meta",
    "milestone",
    "org_block",
    "organization",
    "package",
    "page_build",
    "ping",
    "project",
    "project_card",
    "project_column",
    "projects_v2",
    "public",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "registry_package",
    "release",
    "repository",
    "repository_advisory",
    "repository_ruleset",
    "repository_vulnerability_alert",
    "secret_scanning_alert",
    "security_advisory",
    "sponsorship",
    "star",
    "status",
    "sub_issues",
    "team",
    "team_add",
    "watch",
    "workflow_job",
    "workflow_run",
];

/// Events that programs read, not people.
static FOR_PROGRAMS: &[&str] = &[
    "branch_protection_configuration",
    "custom_property",
    "custom_property_values",
    "custom_property_promoted_to_enterprise",
    "deployment_protection_rule",
    "github_app_authorization",
    "installation",
    "installation_repositories",
    "installation_target",
    "marketplace_purchase",
    "merge_group",
    "personal_access_token_request",
    "projects_v2_item",
    "projects_v2_status_update",
    "repository_dispatch",
    "repository_import",
    "secret_scanning_alert_location",
    "secret_scanning_scan",
    "security_and_analysis",
    "workflow_dispatch",
];

fn read(call: &Call<'_>) -> Outcome {
    let (body, header) = (call.node(), call.header("x-github-event"));
    if FOR_PROGRAMS.contains(&header) {
        return Outcome::Ignored;
    }
    let has = |kind: &&Kind| kind.has.iter().all(|part| body.at(part).exists());
    let is_named = |kind: &&Kind| kind.event == header && has(kind);
    let found = KINDS.iter().find(is_named).or_else(|| {
        let action = body.at("action").str();
        KINDS.iter().find(|kind| {
            // Without a header, `created` belongs to a repository and `started` to a star.
            has(kind)
                && match kind.event {
                    "organization" => action.starts_with("member_"),
                    "watch" => action == "started",
                    "star" => body.at("starred_at").exists(),
                    "public" => false,
                    "repository" => !action.is_empty() && header.is_empty(),
                    _ => true,
                }
        })
    });
    match found {
        Some(kind) => (kind.read)(&Hook {
            event: Event {
                kind: kind.event,
                who: body.at("sender/login").str(),
                place: body
                    .first(&[
                        "repository/name",
                        "organization/login",
                        "sponsorship/sponsorable/login",
                    ])
                    .str(),
            },
            body,
            option: call.option,
            repository: body.at("repository/html_url").str(),
        }),
        None => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{message, outcome};

    #[test]
    fn the_list_of_events_is_that_of_the_kinds() {
        let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.event).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, EVENTS);
    }

    #[test]
    fn a_missing_or_wrong_header_does_no_harm() {
        let body = json!({"action": "created", "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "issue": {"number": 7, "title": "It breaks", "html_url": "https://g.example/7"},
            "comment": {"html_url": "https://g.example/7#1", "body": "Me too"}});
        for headers in [
            &[][..],
            &[("x-github-event", "created")],
            &[("x-github-event", "team_add")],
        ] {
            let said = message(&GITHUB, headers, &body);
            assert_eq!(said.event, "issue_comment");
            assert_eq!(said.topic, "shop / issue #7 It breaks");
        }
    }

    #[test]
    fn programs_keep_their_events() {
        let body =
            json!({"action": "created", "installation": {"id": 1}, "sender": {"login": "ann"}});
        let said = outcome(&GITHUB, &[("x-github-event", "installation")], &body);
        assert_eq!(said, Outcome::Ignored);
    }

    #[test]
    fn texts_of_outsiders_arrive_letter_by_letter() {
        let evil = "`@**all** *x* [y](z) #1";
        let body = json!({"action": "opened", "sender": {"login": evil}, "repository": {"name": evil},
            "issue": {"number": 7, "title": evil, "html_url": "https://g.example/a)b", "body": evil}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, format!("{evil} / issue #7 {evil}"));
        let shown = "&#96;@&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z) #1";
        assert_eq!(
            said.content,
            format!(
                "{shown} opened [issue #7 {shown}](https://g.example/a%29b):\n\
                 ```quote\n`&#64;**all** *x* [y](z) #1\n```"
            )
        );
    }
}
