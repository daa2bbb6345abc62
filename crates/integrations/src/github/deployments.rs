//! GitHub: deployments and pages.

use super::checks::commit;
use crate::forge::{Hook, verdict};
use crate::text::{bold, code, escape, linked};
use crate::{Node, Outcome};

/// The deployed commit and its environment: "`main` ([0123456](…)) to **production**".
fn what(hook: &Hook<'_>, deployment: Node<'_>) -> String {
    let (reference, id) = (deployment.at("ref").str(), deployment.at("sha").str());
    let commit = if reference == id {
        String::new()
    } else {
        commit(hook, id)
    };
    format!(
        "{}{commit} to {}",
        code(reference),
        bold(deployment.at("environment").str())
    )
}

pub(super) fn deployment(hook: &Hook<'_>) -> Outcome {
    let deployment = hook.at("deployment");
    let deed = format!("started a deployment of {}", what(hook, deployment));
    hook.did(
        deployment.at("environment").str(),
        &deed,
        deployment.at("description").str(),
    )
}

pub(super) fn status(hook: &Hook<'_>) -> Outcome {
    let (deployment, status) = (hook.at("deployment"), hook.at("deployment_status"));
    let state = match status.at("state").str() {
        "queued" | "pending" | "in_progress" | "waiting" => return Outcome::Ignored,
        "success" => bold("succeeded"),
        "inactive" => bold("was replaced"),
        state => verdict(state),
    };
    let named = linked("Deployment", status.first(&["log_url", "target_url"]).str());
    let site = match linked("site", status.at("environment_url").str()) {
        site if site == "site" => String::new(),
        site => format!(" ({site})"),
    };
    let sentence = format!("{named} of {} {state}{site}", what(hook, deployment));
    hook.said(
        deployment.at("environment").str(),
        &sentence,
        status.at("description").str(),
    )
}

pub(super) fn review(hook: &Hook<'_>) -> Outcome {
    let run = hook.at("workflow_run");
    let named = linked(
        &escape(run.first(&["name", "display_title"]).str()),
        run.at("html_url").str(),
    );
    let place = hook.first(&["environment", "workflow_job_runs/0/environment"]);
    let to = if place.is_empty() {
        String::new()
    } else {
        format!(" to {}", bold(place))
    };
    let deed = match hook.action() {
        "requested" => format!("waits for the approval of the deployment of {named}{to}"),
        action => format!("{} the deployment of {named}{to}", escape(action)),
    };
    hook.did(place, &deed, hook.str("comment"))
}

pub(super) fn page_build(hook: &Hook<'_>) -> Outcome {
    let build = hook.at("build");
    let by = escape(build.at("pusher/login").str());
    let commit = commit(hook, build.at("commit").str());
    let (done, quoted) = match build.at("status").str() {
        "built" => ("The pages were **published**", ""),
        "errored" => (
            "The pages **could not be built**",
            build.at("error/message").str(),
        ),
        _ => return Outcome::Ignored,
    };
    let by = if by.is_empty() {
        by
    } else {
        format!(" after a push by {by}")
    };
    hook.said("pages", &format!("{done}{by}{commit}"), quoted)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::github::GITHUB;
    use crate::testing::{message, outcome};

    fn body(more: Value) -> Value {
        let mut body = json!({"sender": {"login": "ann"}, "repository": {"name": "shop", "html_url": "https://g.example/shop"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    }

    #[test]
    fn deployments_say_where_and_how_they_ended() {
        let deployment = json!({"ref": "main", "sha": "0123456789", "environment": "production", "description": null});
        let what = "`main` ([0123456](https://g.example/shop/commit/0123456789)) to **production**";
        let said = message(&GITHUB, &[], &body(json!({"deployment": deployment})));
        assert_eq!(said.topic, "shop / production");
        assert_eq!(said.content, format!("ann started a deployment of {what}."));
        let status = |state| {
            body(
                json!({"deployment": deployment, "deployment_status": {"state": state, "log_url": "https://g.example/log",
                "environment_url": "https://shop.example"}}),
            )
        };
        assert_eq!(
            message(&GITHUB, &[], &status("success")).content,
            format!(
                "[Deployment](https://g.example/log) of {what} **succeeded** ([site](https://shop.example))."
            )
        );
        assert_eq!(outcome(&GITHUB, &[], &status("queued")), Outcome::Ignored);
    }

    #[test]
    fn deployments_wait_for_people() {
        let mut review = json!({"action": "requested", "workflow_run": {"name": "Release", "html_url": "https://g.example/r"},
            "reviewers": [], "environment": "production"});
        let said = message(&GITHUB, &[], &body(review.clone()));
        assert_eq!(said.topic, "shop / production");
        assert_eq!(
            said.content,
            "ann waits for the approval of the deployment of [Release](https://g.example/r) to **production**."
        );
        review["action"] = json!("rejected");
        review["comment"] = json!("Not today");
        let said = message(&GITHUB, &[], &body(review));
        assert_eq!(
            said.content,
            "ann rejected the deployment of [Release](https://g.example/r) to **production**:\n```quote\nNot today\n```"
        );
    }

    #[test]
    fn pages_are_built_or_not() {
        let build = json!({"build": {"status": "errored", "error": {"message": "No theme"}, "pusher": {"login": "ann"},
            "commit": "0123456789"}});
        let said = message(&GITHUB, &[], &body(build));
        assert_eq!(said.topic, "shop / pages");
        assert_eq!(
            said.content,
            "The pages **could not be built** after a push by ann \
             ([0123456](https://g.example/shop/commit/0123456789)):\n```quote\nNo theme\n```"
        );
    }
}
