//! Jira, cloud and data center: issues, comments, sprints, versions, projects and logged work.
//!
//! Jira reports a comment as an event of its own (`comment_created`) and as an update of the issue, whose kind here is
//! `issue_commented`; a webhook that is set to send both can leave one out with `exclude_events`. The transitions of
//! workflows send a call without a kind, which is `transition`, and rules of automation send the issue alone, which is
//! `issue_other`, like kinds that are not known.
//!
//! Left out: boards, filters, options, users and properties of issues, which are settings; attachments and links, which
//! updates of the issue report with their names; versions that are moved in their list; and updates of an issue that
//! only change its rank or the sums of logged time.

mod comment;
mod issue;
mod planning;
mod wiki;

use crate::text::{bold, escape, link};
use crate::{Call, Integration, Node, Outcome, Proof};

pub(crate) static JIRA: Integration = Integration {
    name: "jira",
    display_name: "Jira",
    setup: "Settings > System > WebHooks > Create a WebHook\n\
            URL: ADDRESS\n\
            Secret: SECRET",
    events: &[
        "comment_created",
        "comment_deleted",
        "comment_updated",
        "issue_comment_deleted",
        "issue_comment_edited",
        "issue_commented",
        "issue_created",
        "issue_deleted",
        "issue_other",
        "issue_updated",
        "project_created",
        "project_deleted",
        "project_updated",
        "sprint_closed",
        "sprint_created",
        "sprint_deleted",
        "sprint_started",
        "sprint_updated",
        "transition",
        "version_created",
        "version_deleted",
        "version_released",
        "version_unreleased",
        "version_updated",
        "worklog_created",
        "worklog_deleted",
        "worklog_updated",
    ],
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "x-hub-signature",
        prefix: "sha256=",
    }),
    delivery_header: Some("x-atlassian-webhook-identifier"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let named = body.at("webhookEvent").str();
    let kind = named.strip_prefix("jira:").unwrap_or(named);
    let has_issue = !body.at("issue/key").str().is_empty();
    match kind {
        "" if body.at("transition").exists() && has_issue => issue::transition(body),
        "issue_created" if has_issue => issue::created(body),
        "issue_updated" if has_issue => match body.at("issue_event_type_name").str() {
            "issue_comment_deleted" => comment::read(body, "issue_comment_deleted"),
            "issue_comment_edited" => comment::read(body, "issue_comment_edited"),
            _ if body.at("comment").exists() => comment::read(body, "issue_commented"),
            _ => issue::updated(body),
        },
        "issue_deleted" if has_issue => issue::deleted(body),
        "comment_created" => comment::read(body, "comment_created"),
        "comment_updated" => comment::read(body, "comment_updated"),
        "comment_deleted" => comment::read(body, "comment_deleted"),
        _ if is_left_out(kind) => Outcome::Ignored,
        // Jira has also sent bodies with nothing but an account.
        "" if body.at("accountId").exists() && !has_issue => Outcome::Ignored,
        _ => match planning::read(body, kind) {
            Outcome::Unknown if has_issue => issue::other(body, kind),
            outcome => outcome,
        },
    }
}

fn is_left_out(kind: &str) -> bool {
    let groups = [
        "attachment_",
        "board_",
        "filter_",
        "issue_property_",
        "issuelink_",
        "issuetype_",
        "option_",
        "user_",
    ];
    groups.iter().any(|group| kind.starts_with(group)) || kind == "version_moved"
}

/// The name of a person; Jira hides it where privacy asks for it.
fn person(node: Node<'_>) -> String {
    let name = node.first(&["displayName", "name", "key"]).str();
    if name.is_empty() {
        "An unnamed person".to_owned()
    } else {
        escape(name)
    }
}

/// The address of the site, from the address of a thing in its API.
fn site(address: &str) -> &str {
    let site = address.split_once("/rest/").map(|(site, _)| site);
    site.unwrap_or_default()
}

fn issue_url(issue: Node<'_>) -> String {
    match site(issue.at("self").str()) {
        "" => String::new(),
        site => format!("{site}/browse/{}", issue.at("key").str()),
    }
}

/// An issue with its link.
fn issue_link(issue: Node<'_>) -> String {
    link(&topic(issue), &issue_url(issue))
}

fn topic(issue: Node<'_>) -> String {
    let (key, title) = (issue.at("key").str(), issue.at("fields/summary").str());
    if title.is_empty() {
        return key.to_owned();
    }
    format!("{key}: {title}")
}

/// Type, priority and assignee of an issue, as far as it has them.
fn details(issue: Node<'_>) -> String {
    let of = |label: &str, path: &str| match issue.at(path).str() {
        "" => None,
        name => Some(format!("{label}{}", bold(name))),
    };
    let parts = [
        of("Type: ", "fields/issuetype/name"),
        of("priority: ", "fields/priority/name"),
        of("status: ", "fields/status/name"),
        of("assignee: ", "fields/assignee/displayName"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    crate::changes::capitalized(&parts.join(", "))
}
