//! Sprints, versions, projects and logged work.

use super::issue::duration;
use super::{person, site, wiki};
use crate::text::{bold, escape, link, quote};
use crate::time::time;
use crate::{Message, Node, Outcome};

pub(super) fn read(body: Node<'_>, kind: &str) -> Outcome {
    match kind {
        "sprint_created" => sprint(body, "sprint_created", "was created"),
        "sprint_updated" => sprint(body, "sprint_updated", "was updated"),
        "sprint_deleted" => sprint(body, "sprint_deleted", "was deleted"),
        "sprint_started" => sprint(body, "sprint_started", "started"),
        "sprint_closed" => sprint(body, "sprint_closed", "was closed"),
        "version_created" => version(body, "version_created", "created"),
        "version_updated" => version(body, "version_updated", "updated"),
        "version_deleted" => version(body, "version_deleted", "deleted"),
        "version_released" => version(body, "version_released", "released"),
        "version_unreleased" => version(body, "version_unreleased", "unreleased"),
        "project_created" => project(body, "project_created", "created"),
        "project_updated" => project(body, "project_updated", "updated"),
        "project_deleted" | "project_soft_deleted" => project(body, "project_deleted", "deleted"),
        "worklog_created" => worklog(body, "worklog_created", "logged"),
        "worklog_updated" => worklog(body, "worklog_updated", "changed the logged work to"),
        "worklog_deleted" => worklog(body, "worklog_deleted", "deleted logged work of"),
        _ => Outcome::Unknown,
    }
}

fn sprint(body: Node<'_>, event: &'static str, what: &str) -> Outcome {
    let sprint = body.at("sprint");
    let name = sprint.at("name").str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let said = format!("Sprint {} {what}.", bold(name));
    let until = match sprint.at("endDate").str() {
        end if !end.is_empty() && event != "sprint_closed" && event != "sprint_deleted" => {
            format!("It ends {}.", time(end))
        }
        _ => String::new(),
    };
    let goal = quote(sprint.at("goal").str());
    Message::new(event, format!("Sprint {name}"), [&*said, &*until, &*goal]).into()
}

fn version(body: Node<'_>, event: &'static str, what: &str) -> Outcome {
    let version = body.at("version");
    let name = version.at("name").str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let said = format!("Version {} was {what}.", bold(name));
    let description = quote(version.at("description").str());
    let parts = [&*said, &*description];
    Message::new(event, format!("Version {name}"), parts).into()
}

fn project(body: Node<'_>, event: &'static str, what: &str) -> Outcome {
    let project = body.at("project");
    let (key, name) = (project.at("key").str(), project.at("name").str());
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let url = match site(project.at("self").str()) {
        "" => String::new(),
        site => format!("{site}/browse/{key}"),
    };
    let name = format!("{key}: {name}");
    let said = if event == "project_deleted" {
        format!("Project {} was deleted.", bold(&name))
    } else {
        format!("Project {} was {what}.", link(&name, &url))
    };
    Message::new(event, &*name, [&*said]).into()
}

/// Logged work names its issue by a number that people do not see.
fn worklog(body: Node<'_>, event: &'static str, what: &str) -> Outcome {
    let work = body.at("worklog");
    let issue = work.at("issueId").text();
    if issue.is_empty() {
        return Outcome::Unknown;
    }
    let spent = match work.at("timeSpent").str() {
        "" => duration(work.at("timeSpentSeconds").number().unwrap_or_default()),
        spent => escape(spent),
    };
    let who = person(work.first(&["updateAuthor", "author"]));
    let said = format!("{who} {what} **{spent}** on issue {}.", escape(&issue));
    let comment = quote(&wiki::markdown(&wiki::source(work.at("comment"))));
    let parts = [&*said, &*comment];
    Message::new(event, format!("Work on issue {issue}"), parts).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::jira::JIRA;
    use crate::testing::message;

    #[test]
    fn sprints_versions_and_projects_are_named() {
        for (body, topic, content) in [
            (
                json!({"webhookEvent": "sprint_started", "sprint": {"name": "Week 9", "goal": "Ship",
                    "endDate": "2026-03-04T12:00:00.000Z"}}),
                "Sprint Week 9",
                "Sprint **Week 9** started.\nIt ends <time:2026-03-04T12:00:00.000Z>.\n```quote\nShip\n```",
            ),
            (
                json!({"webhookEvent": "jira:version_released", "version": {"name": "v1.0"}}),
                "Version v1.0",
                "Version **v1.0** was released.",
            ),
            (
                json!({"webhookEvent": "project_created", "project": {"key": "A", "name": "Apes",
                    "self": "https://j.example.org/rest/api/2/project/1"}}),
                "A: Apes",
                "Project [A: Apes](https://j.example.org/browse/A) was created.",
            ),
            (
                json!({"webhookEvent": "worklog_created", "worklog": {"issueId": "17", "timeSpent": "2h",
                    "author": {"displayName": "Ann"}, "comment": "read"}}),
                "Work on issue 17",
                "Ann logged **2h** on issue 17.\n```quote\nread\n```",
            ),
        ] {
            let said = message(&JIRA, &[], &body);
            assert_eq!((&*said.topic, &*said.content), (topic, content));
        }
    }
}
