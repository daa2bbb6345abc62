//! CircleCI: workflows and jobs that end.

use crate::message::{Commit, commits, event};
use crate::text::{bold, code, escape, link};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

pub(crate) static CIRCLECI: Integration = Integration {
    name: "circleci",
    display_name: "CircleCI",
    setup: "Project Settings > Webhooks > Add Webhook\n\
            Receiver URL: ADDRESS\n\
            Secret token: SECRET\n\
            Events: Workflow Completed, Job Completed",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "circleci-signature",
        prefix: "v1=",
    }),
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &["job-completed", "workflow-completed"];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let kind = event(EVENTS, body.at("type").str());
    let workflow = body.at("workflow");
    let project = project(body);
    let url = workflow.at("url").str();
    let what = match kind {
        "job-completed" => {
            let job = body.at("job");
            let number = job.at("number").text();
            let number = if number.is_empty() {
                number
            } else {
                format!(" #{number}")
            };
            let name = link(&format!("{}{number}", job.at("name").str()), url);
            format!("Job {name} of workflow {}", bold(workflow.at("name").str()))
        }
        "workflow-completed" => format!("Workflow {}", link(workflow.at("name").str(), url)),
        _ => return Outcome::Unknown,
    };
    let state = match body.first(&["job/status", "workflow/status"]).str() {
        "success" => "**succeeded**".to_owned(),
        "failed" => "**failed**".to_owned(),
        "error" => "ended with an **error**".to_owned(),
        "canceled" => "was **canceled**".to_owned(),
        "unauthorized" => "was **not authorized**".to_owned(),
        "" => "ended".to_owned(),
        other => format!("ended: {}", bold(other)),
    };
    let (reference, tag) = reference(body.at("pipeline"));
    let on = match (reference.is_empty(), tag) {
        (true, _) => String::new(),
        (false, true) => format!(" for tag {}", code(reference)),
        (false, false) => format!(" on {}", code(reference)),
    };
    let pipeline = escape(&body.at("pipeline/number").text());
    let said = format!("{what} (pipeline {pipeline}){on} {state}.");
    let topic = if reference.is_empty() {
        project.to_owned()
    } else {
        format!("{project} / {reference}")
    };
    Message::new(kind, topic, [&*said, &*commit(body.at("pipeline"))]).into()
}

/// The repository; people name the projects of hooks as they like.
fn project(body: Node<'_>) -> &str {
    let repository = body.first(&[
        "pipeline/vcs/target_repository_url",
        "pipeline/trigger_parameters/gitlab/repo_name",
    ]);
    let name = repository.str().trim_end_matches(".git").rsplit('/').next();
    match name.unwrap_or_default() {
        "" => body.at("project/name").str(),
        name => name,
    }
}

/// The branch or tag, and whether it is a tag.
fn reference(pipeline: Node<'_>) -> (&str, bool) {
    let tag = pipeline
        .first(&["vcs/tag", "trigger_parameters/git/tag"])
        .str();
    if !tag.is_empty() {
        return (tag, true);
    }
    let branch = pipeline.first(&["vcs/branch", "trigger_parameters/git/branch"]);
    (branch.str(), false)
}

fn commit(pipeline: Node<'_>) -> String {
    let vcs = pipeline.at("vcs");
    // The name of the trigger is that of its provider.
    let trigger = pipeline
        .at("trigger_parameters")
        .fields()
        .find(|(_, node)| node.at("commit_sha").exists());
    let trigger = trigger.map(|(_, node)| node);
    let id = vcs.at("revision").str();
    let id = if id.is_empty() {
        trigger.map_or("", |node| node.at("commit_sha").str())
    } else {
        id
    };
    if id.is_empty() {
        return String::new();
    }
    let url = match (
        vcs.first(&["origin_repository_url", "target_repository_url"])
            .str(),
        trigger,
    ) {
        ("", Some(node)) => format!("{}/-/commit/{id}", node.at("web_url").str()),
        (url, _) if vcs.at("provider_name").str() == "bitbucket" => format!("{url}/commits/{id}"),
        (url, _) => format!("{url}/commit/{id}"),
    };
    let subject = vcs.at("commit/subject").str();
    let (message, author) = match trigger {
        Some(node) if subject.is_empty() => (
            node.at("commit_title").str(),
            node.at("commit_author_name").str(),
        ),
        _ => (subject, vcs.at("commit/author/name").str()),
    };
    let commit = Commit {
        id,
        message,
        url: &url,
        author: Some(author),
    };
    commits([commit].into_iter(), 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::CIRCLECI;
    use crate::testing::message;

    #[test]
    fn workflows_and_jobs_name_branch_and_commit() {
        let mut body = json!({"type": "workflow-completed", "project": {"name": "hook"},
            "workflow": {"name": "test", "url": "https://app.circleci.com/w", "status": "failed"},
            "pipeline": {"number": 4, "vcs": {"provider_name": "bitbucket", "branch": "a_b",
                "target_repository_url": "https://bitbucket.org/x/tools", "revision": "8ab595d2de95",
                "commit": {"subject": "Fix @**all** [x](y)", "author": {"name": "Ann"}}}}});
        let said = message(&CIRCLECI, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("workflow-completed", "tools / a_b")
        );
        assert_eq!(
            said.content,
            "Workflow [test](https://app.circleci.com/w) (pipeline 4) on `a_b` **failed**.\n\
             * Fix @&#42;&#42;all&#42;&#42; [x]&#40;y) ([8ab595d](https://bitbucket.org/x/tools/commits/8ab595d2de95)) – Ann"
        );
        body["type"] = json!("job-completed");
        body["job"] = json!({"name": "build", "number": 6, "status": "success"});
        body["pipeline"]["vcs"] =
            json!({"tag": "v1", "target_repository_url": "https://github.com/x/tools"});
        let said = message(&CIRCLECI, &[], &body);
        assert_eq!((said.event, &*said.topic), ("job-completed", "tools / v1"));
        assert_eq!(
            said.content,
            "Job [build #6](https://app.circleci.com/w) of workflow **test** (pipeline 4) for tag `v1` **succeeded**."
        );
    }
}
