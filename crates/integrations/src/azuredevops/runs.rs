//! Azure DevOps: builds, runs of pipelines, releases.

use super::{Hook, general, name};
use crate::forge::{Push, wants};
use crate::text::{bold, code, escape, link};
use crate::{Node, Outcome};

/// What a result says.
fn verdict(result: &str) -> String {
    bold(match result {
        "succeeded" => "succeeded",
        "partiallySucceeded" | "succeededWithIssues" => "succeeded with problems",
        "failed" => "failed",
        "canceled" | "stopped" | "cancelled" => "was cancelled",
        "skipped" => "was skipped",
        "abandoned" => "was abandoned",
        "rejected" => "was rejected",
        other => other,
    })
}

pub(super) fn build(hook: &Hook<'_>) -> Outcome {
    let number = hook.str("buildNumber");
    let result = hook.first(&["result", "status"]);
    if number.is_empty() {
        return general(hook, "");
    }
    // Older versions name the branch between the kind of the repository and the commit.
    let reference = match hook.str("sourceBranch") {
        "" => hook
            .str("sourceGetVersion")
            .split(':')
            .nth(1)
            .unwrap_or_default(),
        reference => reference,
    };
    let (_, branch) = Push::reference(reference);
    if !branch.is_empty() && !wants(hook.option, branch) {
        return Outcome::Ignored;
    }
    let definition = hook.str("definition/name");
    let url = match hook.str("_links/web/href") {
        "" => hook.url_of_sentence(),
        url => url,
    };
    let of = if definition.is_empty() {
        String::new()
    } else {
        format!(" of {}", bold(definition))
    };
    let on = if branch.is_empty() {
        String::new()
    } else {
        format!(" on {}", code(branch))
    };
    let person = hook.resource.at("requestedFor");
    let person = if person.exists() {
        person
    } else {
        hook.resource.at("requests/0/requestedFor")
    };
    let by = match escape(name(person)) {
        person if person.is_empty() => person,
        person => format!(", requested for {person}"),
    };
    let about = if hook.event.place == definition {
        ""
    } else {
        definition
    };
    let sentence = format!(
        "Build {}{of}{on} {}{by}",
        link(number, url),
        verdict(result)
    );
    hook.said(about, &sentence, "")
}

/// A run of a pipeline, or a stage or job of one.
pub(super) fn run(hook: &Hook<'_>) -> Outcome {
    let run = hook.resource.at("run");
    let pipeline = hook.first(&["run/pipeline/name", "pipeline/name"]);
    let url = match run.at("_links/web/href").str() {
        "" => hook.first(&["stage/_links/web/href", "_links/web/href"]),
        url => url,
    };
    let url = if url.is_empty() {
        hook.url_of_sentence()
    } else {
        url
    };
    let it = format!("{} of {}", link(run.at("name").str(), url), bold(pipeline));
    let (part, what) = match hook.event.kind {
        "ms.vss-pipelines.stage-state-changed-event" => (hook.resource.at("stage"), "Stage"),
        "ms.vss-pipelines.job-state-changed-event" => (hook.resource.at("job"), "Job"),
        _ => (run, "Run"),
    };
    if !run.exists() {
        return general(hook, "");
    }
    let result = part.at("result").str();
    if part.at("state").str() != "completed" || result == "skipped" {
        return Outcome::Ignored;
    }
    let sentence = if what == "Run" {
        format!("Run {it} {}", verdict(result))
    } else {
        let name = bold(part.first(&["displayName", "name"]).str());
        format!("{what} {name} in the run {it} {}", verdict(result))
    };
    hook.said("", &sentence, "")
}

pub(super) fn release(hook: Hook<'_>) -> Outcome {
    let resource = hook.resource;
    let pick = |paths: &[&str]| -> Node<'_> { resource.first(paths) };
    let name_of_release = pick(&[
        "release/name",
        "environment/release/name",
        "deployment/release/name",
    ])
    .str();
    if name_of_release.is_empty() {
        return general(&hook, "");
    }
    let definition = pick(&[
        "release/releaseDefinition/name",
        "environment/releaseDefinition/name",
        "deployment/releaseDefinition/name",
    ]);
    let definition = definition.str();
    let url = pick(&[
        "release/_links/web/href",
        "environment/release/_links/web/href",
        "deployment/release/_links/web/href",
    ]);
    let of = if definition.is_empty() {
        String::new()
    } else {
        format!(" of {}", bold(definition))
    };
    let it = format!("release {}{of}", link(name_of_release, url.str()));
    let environment = pick(&[
        "environment/name",
        "approval/releaseEnvironment/name",
        "deployment/releaseEnvironment/name",
    ]);
    let to = match environment.str() {
        "" => String::new(),
        environment => format!(" to {}", bold(environment)),
    };
    let kind = hook.event.kind;
    let hook = hook.by(match kind {
        "ms.vss-release.release-created-event" => name(resource.at("release/createdBy")),
        "ms.vss-release.release-abandoned-event" => name(resource.at("release/modifiedBy")),
        _ => {
            let by = name(resource.at("approval/approvedBy"));
            if by.is_empty() {
                name(resource.at("approval/approver"))
            } else {
                by
            }
        }
    });
    let status = pick(&["environment/status", "deployment/deploymentStatus"]).str();
    let about = if definition.is_empty() {
        name_of_release
    } else {
        definition
    };
    match kind {
        "ms.vss-release.deployment-started-event" => Outcome::Ignored,
        "ms.vss-release.release-created-event" => hook.did(
            about,
            &format!("created the {it}"),
            resource.at("release/description").str(),
        ),
        "ms.vss-release.release-abandoned-event" => {
            hook.did(about, &format!("abandoned the {it}"), "")
        }
        "ms.vss-release.deployment-completed-event" => hook.said(
            about,
            &format!("The deployment of the {it}{to} {}", verdict(status)),
            "",
        ),
        "ms.vss-release.deployment-approval-pending-event" => {
            let who = escape(hook.event.who);
            let by = if who.is_empty() {
                who
            } else {
                format!(" by {who}")
            };
            hook.said(
                about,
                &format!("The deployment of the {it}{to} waits for approval{by}"),
                "",
            )
        }
        _ => {
            let status = resource.at("approval/status").str();
            let verb = if status == "rejected" {
                "rejected"
            } else {
                "approved"
            };
            let why = resource.at("approval/comments").str();
            hook.did(
                about,
                &format!("{verb} the deployment of the {it}{to}"),
                why,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::azuredevops::AZUREDEVOPS;
    use crate::testing::{message, outcome};

    fn said(event: &str, resource: Value) -> (String, String) {
        let body = json!({"eventType": event, "resource": resource,
            "message": {"text": "Build 42 failed", "markdown": "Build [42](https://a.example/b) failed"}});
        let said = message(&AZUREDEVOPS, &[], &body);
        (said.topic, said.content)
    }

    #[test]
    fn builds_and_runs_say_how_they_ended() {
        let build = json!({"buildNumber": "42", "status": "failed", "sourceGetVersion": "LG:refs/heads/main:0123",
            "definition": {"name": "CI"}, "requests": [{"requestedFor": {"displayName": "Ann"}}]});
        let (topic, content) = said("build.complete", build);
        assert_eq!(topic, "CI");
        assert_eq!(
            content,
            "Build [42](https://a.example/b) of **CI** on `main` **failed**, requested for Ann."
        );
        let run = json!({"name": "42", "state": "completed", "result": "succeeded", "_links": {"web": {"href": "https://a.example/r"}}});
        let stage = json!({"run": run, "pipeline": {"name": "CI"}, "stage": {"displayName": "Test", "state": "completed", "result": "failed"}});
        let event = "ms.vss-pipelines.run-state-changed-event";
        assert_eq!(
            said(event, stage.clone()).1,
            "Run [42](https://a.example/r) of **CI** **succeeded**."
        );
        let event = "ms.vss-pipelines.stage-state-changed-event";
        assert_eq!(
            said(event, stage.clone()).1,
            "Stage **Test** in the run [42](https://a.example/r) of **CI** **failed**."
        );
        let mut begun = stage;
        begun["stage"]["state"] = json!("running");
        let body = json!({"eventType": event, "resource": begun});
        assert_eq!(outcome(&AZUREDEVOPS, &[], &body), Outcome::Ignored);
    }

    #[test]
    fn releases() {
        let release = json!({"name": "Release-1", "createdBy": {"displayName": "Ann"}, "releaseDefinition": {"name": "Shop.CD"},
            "_links": {"web": {"href": "https://a.example/r"}}});
        let it = "release [Release-1](https://a.example/r) of **Shop.CD**";
        let resource = json!({"release": release, "environment": {"name": "Dev", "status": "succeeded"}, "project": {"name": "Shop"},
            "approval": {"status": "rejected", "approver": {"displayName": "Bob"}, "comments": "Not today"}});
        for (event, expected) in [
            ("release-created-event", format!("Ann created the {it}.")),
            (
                "deployment-completed-event",
                format!("The deployment of the {it} to **Dev** **succeeded**."),
            ),
            (
                "deployment-approval-pending-event",
                format!("The deployment of the {it} to **Dev** waits for approval by Bob."),
            ),
            (
                "deployment-approval-completed-event",
                format!(
                    "Bob rejected the deployment of the {it} to **Dev**:\n```quote\nNot today\n```"
                ),
            ),
        ] {
            let read = said(&format!("ms.vss-release.{event}"), resource.clone());
            assert_eq!(read, ("Shop / Shop.CD".to_owned(), expected));
        }
    }
}
