//! Semaphore: pipelines, and builds and deployments of Semaphore Classic.

use crate::message::{Commit, commits};
use crate::text::{bold, code, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

pub(crate) static SEMAPHORE: Integration = Integration {
    name: "semaphore",
    display_name: "Semaphore",
    setup: "Settings > Notifications > New notification\n\
            Webhook Endpoint: ADDRESS\n\
            Secret: WEBHOOK_SECRET=SECRET",
    events: &["branch", "build", "deploy", "pull_request", "tag"],
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "x-semaphore-signature-256",
        prefix: "",
    }),
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("pipeline").exists() {
        pipeline(body).into()
    } else if body.at("project_name").exists() && body.at("result").exists() {
        classic(body).into()
    } else {
        Outcome::Unknown
    }
}

fn pipeline(body: Node<'_>) -> Message {
    let (pipeline, revision) = (body.at("pipeline"), body.at("revision"));
    let project = body.at("project/name").str();
    let repository = body.at("repository/url").str();
    let workflow = format!(
        "https://{}.semaphoreci.com/workflows/{}",
        body.at("organization/name").str(),
        body.at("workflow/id").str()
    );
    let (event, on, topic) = match revision.at("reference_type").str() {
        "pull_request" => {
            let pull = revision.at("pull_request");
            let (number, name) = (pull.at("number").text(), pull.at("name").str());
            let url = format!("{repository}/pull/{number}");
            let on = link(&format!("pull request #{number} {name}"), &url);
            (
                "pull_request",
                on,
                format!("{project} / PR #{number} {name}"),
            )
        }
        "tag" => {
            let tag = revision.at("tag/name").str();
            (
                "tag",
                format!("tag {}", code(tag)),
                format!("{project} / {tag}"),
            )
        }
        _ => {
            let branch = revision.at("branch/name").str();
            ("branch", code(branch), format!("{project} / {branch}"))
        }
    };
    let result = pipeline.first(&["result", "state"]).str();
    let said = format!(
        "{} for {on} {}{}.",
        link(
            &format!("Pipeline {}", pipeline.at("name").str()),
            &workflow
        ),
        state(result),
        reason(pipeline.at("result_reason").str(), result),
    );
    let commit = commit(
        revision.at("commit_sha").str(),
        revision.at("commit_message").str(),
        &format!("{repository}/commit/{}", revision.at("commit_sha").str()),
        revision.at("sender/login").str(),
    );
    let error = escape(pipeline.at("error_description").str());
    Message::new(
        event,
        topic,
        [&*said, &*commit, &*failed_jobs(body), &*error],
    )
}

/// Semaphore says `test` for a job that failed, which the result says too.
fn reason(reason: &str, result: &str) -> String {
    match reason {
        "" | "test" => String::new(),
        "user" if matches!(result, "stopped" | "canceled") => " by a user".to_owned(),
        reason => format!(" ({})", escape(reason)),
    }
}

fn state(result: &str) -> String {
    match result {
        "passed" => "**passed**".to_owned(),
        "failed" => "**failed**".to_owned(),
        "stopped" => "was **stopped**".to_owned(),
        "canceled" => "was **canceled**".to_owned(),
        other => format!("is {}", bold(other)),
    }
}

fn failed_jobs(body: Node<'_>) -> String {
    let jobs = body.at("blocks").list().flat_map(|block| {
        let name = block.at("name").str();
        let failed = block
            .at("jobs")
            .list()
            .filter(|job| job.at("result").str() == "failed");
        failed.map(move |job| format!("{} in {}", bold(job.at("name").str()), escape(name)))
    });
    let jobs = joined(jobs.take(10), ", ");
    if jobs.is_empty() {
        jobs
    } else {
        format!("Failed jobs: {jobs}")
    }
}

fn commit(id: &str, message: &str, url: &str, author: &str) -> String {
    let commit = Commit {
        id,
        message,
        url,
        author: Some(author),
    };
    commits([commit].into_iter(), 1)
}

fn classic(body: Node<'_>) -> Message {
    let (project, branch) = (body.at("project_name").str(), body.at("branch_name").str());
    let server = body.at("server_name").str();
    let is_deployment = body.at("event").str() == "deploy" || !server.is_empty();
    let what = if is_deployment {
        let number = format!("Deployment #{}", body.at("number").text());
        let build = format!("build #{}", body.at("build_number").text());
        format!(
            "{} of {} to {}",
            link(&number, body.at("html_url").str()),
            link(&build, body.at("build_html_url").str()),
            bold(server)
        )
    } else {
        let number = format!("Build #{}", body.at("build_number").text());
        link(&number, body.first(&["build_url", "build_html_url"]).str())
    };
    let said = format!(
        "{what} on {} {}.",
        code(branch),
        state(body.at("result").str())
    );
    let commit = commit(
        body.at("commit/id").str(),
        body.at("commit/message").str(),
        body.at("commit/url").str(),
        body.at("commit/author_name").str(),
    );
    let event = if is_deployment { "deploy" } else { "build" };
    Message::new(event, format!("{project} / {branch}"), [&*said, &*commit])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SEMAPHORE;
    use crate::testing::message;

    #[test]
    fn pipelines_name_what_they_ran_for() {
        let mut body = json!({"organization": {"name": "acme"}, "project": {"name": "tools"}, "workflow": {"id": "w1"},
            "repository": {"url": "https://github.com/acme/tools"},
            "pipeline": {"name": "Test", "result": "failed", "result_reason": "test"},
            "revision": {"reference_type": "pull_request", "pull_request": {"number": "3", "name": "A *b*"},
                "commit_sha": "0387f435823058", "commit_message": "Add docs\n\nx", "sender": {"login": "ann"}},
            "blocks": [{"name": "Unit", "jobs": [{"name": "pytest", "result": "failed"}, {"name": "lint", "result": "passed"}]}]});
        let said = message(&SEMAPHORE, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("pull_request", "tools / PR #3 A *b*")
        );
        assert_eq!(
            said.content,
            "[Pipeline Test](https://acme.semaphoreci.com/workflows/w1) for \
             [pull request #3 A &#42;b&#42;](https://github.com/acme/tools/pull/3) **failed**.\n\
             * Add docs ([0387f43](https://github.com/acme/tools/commit/0387f435823058)) – ann\n\n\
             Failed jobs: **pytest** in Unit"
        );
        body["revision"]["reference_type"] = json!("branch");
        body["revision"]["branch"] = json!({"name": "a_b"});
        body["pipeline"] = json!({"name": "Test", "result": "stopped", "result_reason": "user"});
        let said = message(&SEMAPHORE, &[], &body);
        assert_eq!((said.event, &*said.topic), ("branch", "tools / a_b"));
        assert!(said.content.starts_with(
            "[Pipeline Test](https://acme.semaphoreci.com/workflows/w1) for `a_b` was **stopped** by a user.\n"
        ));
    }

    #[test]
    fn classic_builds_and_deployments() {
        let mut body = json!({"event": "build", "project_name": "tools", "branch_name": "main", "build_number": 314,
            "build_url": "https://semaphoreci.com/b/314", "result": "passed",
            "commit": {"id": "a490b8d508", "url": "https://github.com/x/tools/commit/a490b8d508", "author_name": "Ann", "message": "Fix"}});
        let said = message(&SEMAPHORE, &[], &body);
        assert_eq!((said.event, &*said.topic), ("build", "tools / main"));
        let commit = "* Fix ([a490b8d](https://github.com/x/tools/commit/a490b8d508)) – Ann";
        assert_eq!(
            said.content,
            format!("[Build #314](https://semaphoreci.com/b/314) on `main` **passed**.\n{commit}")
        );
        body["event"] = json!("deploy");
        body["server_name"] = json!("web-1");
        body["number"] = json!(17);
        body["html_url"] = json!("https://semaphoreci.com/d/17");
        let said = message(&SEMAPHORE, &[], &body);
        assert_eq!(said.event, "deploy");
        assert_eq!(
            said.content,
            format!(
                "[Deployment #17](https://semaphoreci.com/d/17) of build #314 to **web-1** on `main` **passed**.\n{commit}"
            )
        );
    }
}
