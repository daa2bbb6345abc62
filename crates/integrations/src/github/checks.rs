//! GitHub: checks, workflows and statuses, once they have ended.

use crate::Outcome;
use crate::forge::{Hook, on_branch, short, verdict, wants};
use crate::text::{escape, link};

/// The message about something that ran for a commit of a branch.
fn ended(
    hook: &Hook<'_>,
    what: &str,
    conclusion: &str,
    branch: &str,
    id: &str,
    quoted: &str,
) -> Outcome {
    let Some(on) = on_branch(hook.option, branch) else {
        return Outcome::Ignored;
    };
    let commit = commit(hook, id);
    let sentence = format!("{what} {}{on}{commit}", verdict(conclusion));
    let about = if branch.is_empty() {
        format!("commit {}", short(id))
    } else {
        branch.to_owned()
    };
    hook.said(&about, &sentence, quoted)
}

/// A commit in brackets.
pub(super) fn commit(hook: &Hook<'_>, id: &str) -> String {
    match link(&short(id), &hook.page(&format!("commit/{id}"))) {
        link if link.is_empty() => link,
        link => format!(" ({link})"),
    }
}

pub(super) fn check_run(hook: &Hook<'_>) -> Outcome {
    let run = hook.at("check_run");
    let conclusion = run.at("conclusion").str();
    if hook.action() != "completed" || conclusion == "skipped" {
        return Outcome::Ignored;
    }
    let name = link(
        run.at("name").str(),
        run.first(&["html_url", "details_url"]).str(),
    );
    let branch = run.at("check_suite/head_branch").str();
    let title = run.at("output/title").str();
    ended(
        hook,
        &format!("Check {name}"),
        conclusion,
        branch,
        run.at("head_sha").str(),
        title,
    )
}

pub(super) fn check_suite(hook: &Hook<'_>) -> Outcome {
    let suite = hook.at("check_suite");
    let conclusion = suite.at("conclusion").str();
    if hook.action() != "completed" || conclusion == "skipped" {
        return Outcome::Ignored;
    }
    let what = match suite.at("app/name").str() {
        "" => "The check suite".to_owned(),
        app => format!("The check suite of {}", escape(app)),
    };
    ended(
        hook,
        &what,
        conclusion,
        suite.at("head_branch").str(),
        suite.at("head_sha").str(),
        "",
    )
}

pub(super) fn workflow_run(hook: &Hook<'_>) -> Outcome {
    let run = hook.at("workflow_run");
    let conclusion = run.at("conclusion").str();
    if hook.action() != "completed" || conclusion == "skipped" {
        return Outcome::Ignored;
    }
    let name = run.first(&["name", "path"]).str();
    let named = format!("{name} #{}", run.at("run_number").text());
    let mut what = format!("Workflow {}", link(&named, run.at("html_url").str()));
    match run.at("run_attempt").number() {
        Some(attempt) if attempt > 1 => what.push_str(&format!(" (attempt {attempt})")),
        _ => {}
    }
    let title = run.first(&["display_title", "head_commit/message"]).str();
    let title = title.lines().next().unwrap_or_default();
    ended(
        hook,
        &what,
        conclusion,
        run.at("head_branch").str(),
        run.at("head_sha").str(),
        title,
    )
}

pub(super) fn workflow_job(hook: &Hook<'_>) -> Outcome {
    let job = hook.at("workflow_job");
    let conclusion = job.at("conclusion").str();
    if hook.action() != "completed" || conclusion == "skipped" {
        return Outcome::Ignored;
    }
    let name = link(job.at("name").str(), job.at("html_url").str());
    let what = match job.at("workflow_name").str() {
        "" => format!("Job {name}"),
        workflow => format!("Job {name} of {}", escape(workflow)),
    };
    ended(
        hook,
        &what,
        conclusion,
        job.at("head_branch").str(),
        job.at("head_sha").str(),
        "",
    )
}

pub(super) fn status(hook: &Hook<'_>) -> Outcome {
    let state = hook.str("state");
    if state == "pending" {
        return Outcome::Ignored;
    }
    let name = link(hook.str("context"), hook.str("target_url"));
    let branches = hook.at("branches").list();
    let wanted = branches
        .map(|one| one.at("name").str())
        .find(|name| wants(hook.option, name));
    let is_of_branches = hook.at("branches/0").exists();
    match wanted {
        None if is_of_branches => Outcome::Ignored,
        branch => {
            let branch = branch.unwrap_or_default();
            ended(
                hook,
                &format!("Status {name}"),
                state,
                branch,
                hook.str("sha"),
                hook.str("description"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::github::GITHUB;
    use crate::testing::{message, outcome};

    fn body(action: &str, key: &str, value: Value) -> Value {
        let repository = json!({"name": "shop", "html_url": "https://g.example/shop"});
        json!({"action": action, "sender": {"login": "ann"}, "repository": repository, key: value})
    }

    #[test]
    fn workflows_and_checks_say_how_they_ended() {
        let commit = "([0123456](https://g.example/shop/commit/0123456789))";
        for (key, value, expected) in [
            (
                "workflow_run",
                json!({"name": "CI", "run_number": 12, "run_attempt": 2, "conclusion": "failure",
                "head_branch": "main", "head_sha": "0123456789", "html_url": "https://g.example/r", "display_title": "Fix it"}),
                format!(
                    "Workflow [CI #12](https://g.example/r) (attempt 2) **failed** on `main` {commit}:\n```quote\nFix it\n```"
                ),
            ),
            (
                "workflow_job",
                json!({"name": "test", "workflow_name": "CI", "conclusion": "cancelled", "head_branch": "main",
                "head_sha": "0123456789", "html_url": "https://g.example/j"}),
                format!(
                    "Job [test](https://g.example/j) of CI **was cancelled** on `main` {commit}."
                ),
            ),
            (
                "check_run",
                json!({"name": "lint", "conclusion": "success", "head_sha": "0123456789",
                "html_url": "https://g.example/l", "check_suite": {"head_branch": "main"}, "output": {"title": "No problems"}}),
                format!(
                    "Check [lint](https://g.example/l) **passed** on `main` {commit}:\n```quote\nNo problems\n```"
                ),
            ),
            (
                "check_suite",
                json!({"conclusion": "timed_out", "head_branch": "main", "head_sha": "0123456789", "app": {"name": "Bot"}}),
                format!("The check suite of Bot **timed out** on `main` {commit}."),
            ),
        ] {
            let said = message(&GITHUB, &[], &body("completed", key, value.clone()));
            assert_eq!(said.event, key);
            assert_eq!(said.topic, "shop / main");
            assert_eq!(said.content, expected);
            assert_eq!(
                outcome(&GITHUB, &[], &body("in_progress", key, value)),
                Outcome::Ignored
            );
        }
    }

    #[test]
    fn statuses_name_their_commit() {
        let mut body = json!({"sha": "0123456789", "state": "error", "context": "ci/x", "description": "No disk",
            "target_url": "https://ci.example", "branches": [{"name": "main"}], "repository": {"name": "shop"}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.topic, "shop / main");
        assert_eq!(
            said.content,
            "Status [ci/x](https://ci.example) **ended with an error** on `main` (0123456):\n```quote\nNo disk\n```"
        );
        body["state"] = json!("pending");
        assert_eq!(outcome(&GITHUB, &[], &body), Outcome::Ignored);
    }
}
