//! GitLab: pipelines, jobs and deployments.

use crate::forge::{Hook, listed, short, wants};
use crate::text::{bold, code, count, escape, link, linked};
use crate::{Message, Outcome};

/// What a final status says; none for the others.
fn verdict(status: &str) -> Option<String> {
    Some(bold(match status {
        "success" => "passed",
        "failed" => "failed",
        "canceled" => "was cancelled",
        "manual" => "waits for a manual job",
        _ => return None,
    }))
}

pub(super) fn pipeline(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("object_attributes");
    let reference = node.at("ref").str();
    let Some(verdict) = verdict(node.at("status").str()) else {
        return Outcome::Ignored;
    };
    if !wants(hook.option, reference) {
        return Outcome::Ignored;
    }
    let id = node.at("id").text();
    let url = node.at("url").str();
    let url = if url.is_empty() {
        hook.page(&format!("-/pipelines/{id}"))
    } else {
        url.to_owned()
    };
    let name = match node.at("name").str() {
        // GitLab's own names repeat the branch.
        name if name.is_empty() || name.starts_with("Pipeline ") => format!("Pipeline #{id}"),
        name => format!("Pipeline #{id} {name}"),
    };
    let commit = commit(hook, node.at("sha").str());
    let took = node.at("duration").number().map_or_else(String::new, took);
    let sentence = format!(
        "{} on {}{commit} {verdict}{took}",
        link(&name, &url),
        code(reference)
    );
    let failed = hook
        .at("builds")
        .list()
        .filter(|job| job.at("status").str() == "failed" && !job.at("allow_failure").is_true());
    let failed: Vec<String> = failed
        .take(20)
        .map(|job| {
            link(
                job.at("name").str(),
                &hook.page(&format!("-/jobs/{}", job.at("id").text())),
            )
        })
        .collect();
    let failed = match failed.len() {
        0 => String::new(),
        number => format!(
            "Failed {}: {}",
            if number == 1 { "job" } else { "jobs" },
            listed(&failed)
        ),
    };
    let about = match hook.at("merge_request") {
        request if request.exists() => {
            format!(
                "MR !{} {}",
                request.at("iid").text(),
                request.at("title").str()
            )
        }
        _ => reference.to_owned(),
    };
    Message::new(
        hook.event.kind,
        hook.event.topic(&about),
        [&*format!("{sentence}."), &*failed],
    )
    .into()
}

/// ` after 2 minutes`
fn took(seconds: i64) -> String {
    match usize::try_from(seconds) {
        Ok(seconds @ 120..) => format!(" after {}", count(seconds / 60, "minute")),
        Ok(seconds @ 1..) => format!(" after {}", count(seconds, "second")),
        _ => String::new(),
    }
}

/// A commit in brackets, with its title where the body has it.
fn commit(hook: &Hook<'_>, id: &str) -> String {
    let node = hook.at("commit");
    let id = if id.is_empty() {
        node.at("id").str()
    } else {
        id
    };
    if id.is_empty() {
        return String::new();
    }
    let title = node
        .first(&["title", "message"])
        .str()
        .lines()
        .next()
        .unwrap_or_default();
    let title = escape(title);
    let url = match node.at("url").str() {
        "" => hook.page(&format!("-/commit/{id}")),
        url => url.to_owned(),
    };
    let gap = if title.is_empty() { "" } else { " " };
    format!(" ({}{gap}{title})", link(&short(id), &url))
}

pub(super) fn job(hook: &Hook<'_>) -> Outcome {
    let reference = hook.str("ref");
    let status = hook.str("build_status");
    // Jobs that wait for a person are named by their pipeline.
    let Some(verdict) = verdict(status).filter(|_| status != "manual") else {
        return Outcome::Ignored;
    };
    if !wants(hook.option, reference) {
        return Outcome::Ignored;
    }
    let url = hook.page(&format!("-/jobs/{}", hook.at("build_id").text()));
    let (name, stage) = (
        link(hook.str("build_name"), &url),
        escape(hook.str("build_stage")),
    );
    let stage = if stage.is_empty() {
        stage
    } else {
        format!(" of the stage {stage}")
    };
    let commit = commit(hook, hook.str("sha"));
    let mut why = String::new();
    if status == "failed" {
        match hook.str("build_failure_reason") {
            "" | "unknown_failure" => {}
            reason => why = format!(" ({})", escape(&reason.replace('_', " "))),
        }
        if hook.at("build_allow_failure").is_true() {
            why.push_str(", which is allowed");
        }
    }
    hook.said(
        reference,
        &format!(
            "Job {name}{stage} on {}{commit} {verdict}{why}",
            code(reference)
        ),
        "",
    )
}

pub(super) fn deployment(hook: &Hook<'_>) -> Outcome {
    let state = match hook.str("status") {
        "success" => "succeeded",
        "failed" => "failed",
        "canceled" => "was cancelled",
        "blocked" => "waits for an approval",
        _ => return Outcome::Ignored,
    };
    let environment = hook.str("environment");
    let name = linked("Deployment", hook.str("deployable_url"));
    let (id, title) = (hook.str("short_sha"), escape(hook.str("commit_title")));
    let gap = if title.is_empty() { "" } else { " " };
    let commit = format!("{}{gap}{title}", link(id, hook.str("commit_url")));
    let reference = match hook.str("ref") {
        "" => String::new(),
        reference => format!("{} ", code(reference)),
    };
    let place = link(environment, hook.str("environment_external_url"));
    let by = hook.who();
    let sentence = format!(
        "{name} of {reference}({commit}) to {place} by {by} {}",
        bold(state)
    );
    hook.said(environment, &sentence, "")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Outcome;
    use crate::gitlab::GITLAB;
    use crate::testing::{message, outcome};

    #[test]
    fn pipelines_name_their_failed_jobs() {
        let mut body = json!({"object_kind": "pipeline", "user": {"name": "Ann"},
            "project": {"name": "Shop", "web_url": "https://g.example/shop"},
            "object_attributes": {"id": 9, "ref": "main", "sha": "0123456789", "status": "failed", "duration": 150},
            "commit": {"message": "Fix\n", "url": "https://g.example/c"},
            "builds": [{"id": 1, "name": "lint", "status": "failed", "allow_failure": true},
                {"id": 2, "name": "test", "status": "failed"}]});
        let said = message(&GITLAB, &[], &body);
        assert_eq!(said.topic, "Shop / main");
        assert_eq!(
            said.content,
            "[Pipeline #9](https://g.example/shop/-/pipelines/9) on `main` ([0123456](https://g.example/c) Fix) **failed** \
             after 2 minutes.\nFailed job: [test](https://g.example/shop/-/jobs/2)"
        );
        body["object_attributes"]["status"] = json!("running");
        assert_eq!(outcome(&GITLAB, &[], &body), Outcome::Ignored);
    }

    #[test]
    fn jobs_and_deployments_say_how_they_ended() {
        let body = json!({"object_kind": "build", "ref": "main", "sha": "0123456789", "build_id": 2, "build_name": "test",
            "build_stage": "check", "build_status": "failed", "build_failure_reason": "script_failure",
            "project_name": "Org / Shop", "repository": {"homepage": "https://g.example/shop"}});
        let said = message(&GITLAB, &[], &body);
        assert_eq!((said.event, &*said.topic), ("job", "Shop / main"));
        assert_eq!(
            said.content,
            "Job [test](https://g.example/shop/-/jobs/2) of the stage check on `main` \
             ([0123456](https://g.example/shop/-/commit/0123456789)) **failed** (script failure)."
        );
        let body = json!({"object_kind": "deployment", "status": "success", "environment": "production", "ref": "main",
            "deployable_url": "https://g.example/j", "short_sha": "0123456", "commit_url": "https://g.example/c",
            "commit_title": "Fix", "user": {"name": "Ann"}, "project": {"name": "Shop"}});
        let said = message(&GITLAB, &[], &body);
        assert_eq!(said.topic, "Shop / production");
        assert_eq!(
            said.content,
            "[Deployment](https://g.example/j) of `main` ([0123456](https://g.example/c) Fix) to production by Ann **succeeded**."
        );
    }
}
