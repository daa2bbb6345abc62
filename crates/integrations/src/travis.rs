//! Travis CI: builds. Travis signs with RSA, so a shared secret proves nothing.

use crate::message::{Commit, commits, event};
use crate::text::{bold, code, link};
use crate::{Call, Integration, Message, Outcome};

pub(crate) static TRAVIS: Integration = Integration {
    name: "travis",
    display_name: "Travis CI",
    setup: r#".travis.yml
notifications: {webhooks: {urls: ["ADDRESS"], on_success: always, on_failure: always}}"#,
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &["api", "cron", "pull_request", "push"];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let state = body.first(&["status_message", "result_message"]).str();
    let repository = body.at("repository");
    let name = repository.at("name").str();
    if name.is_empty() || state.is_empty() {
        return Outcome::Unknown;
    }
    let state = match state {
        "Pending" => "**started**".to_owned(),
        "Passed" => "**passed**".to_owned(),
        "Fixed" => "is **fixed**".to_owned(),
        "Broken" => "is **broken**".to_owned(),
        "Failed" => "**failed**".to_owned(),
        "Still Failing" => "is **still failing**".to_owned(),
        "Canceled" => "was **canceled**".to_owned(),
        "Errored" => "ended with an **error**".to_owned(),
        other => format!("ended: {}", bold(other)),
    };
    let branch = body.at("branch").str();
    let pull = body.at("pull_request_number").text();
    let build = link(
        &format!("Build #{}", body.at("number").text()),
        body.at("build_url").str(),
    );
    let compare = body.at("compare_url").str();
    let (what, topic) = if pull.is_empty() {
        (code(branch), format!("{name} / {branch}"))
    } else {
        let title = body.at("pull_request_title").str();
        let said = link(format!("pull request #{pull} {title}").trim(), compare);
        (said, format!("{name} / PR #{pull} {title}"))
    };
    let seconds = body.at("duration").number().filter(|seconds| *seconds > 0);
    let time = seconds.map_or_else(String::new, |seconds| {
        format!(" after {} min {} s", seconds / 60, seconds % 60)
    });
    let said = format!("{build} of {what} {state}{time}.");
    let commit = Commit {
        id: body.at("commit").str(),
        message: body.at("message").str(),
        url: compare,
        author: Some(body.first(&["author_name", "committer_name"]).str()),
    };
    let commit = commits([commit].into_iter(), 1);
    let kind = event(EVENTS, body.at("type").str());
    Message::new(kind, topic, [&*said, &*commit]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::TRAVIS;
    use crate::testing::message;

    #[test]
    fn builds_of_branches_and_pull_requests() {
        let mut body = json!({"number": "6", "status_message": "Still Failing", "type": "push", "branch": "main",
            "build_url": "https://app.travis-ci.com/b/6", "compare_url": "https://github.com/x/tools/compare/a...b",
            "commit": "116112a0c0a3", "message": "Fix *it*\n\nbody", "author_name": "Ann", "duration": 83,
            "repository": {"name": "tools", "owner_name": "x"}});
        let said = message(&TRAVIS, &[], &body);
        assert_eq!((said.event, &*said.topic), ("push", "tools / main"));
        assert_eq!(
            said.content,
            "[Build #6](https://app.travis-ci.com/b/6) of `main` is **still failing** after 1 min 23 s.\n\
             * Fix &#42;it&#42; ([116112a](https://github.com/x/tools/compare/a...b)) – Ann"
        );
        body["type"] = json!("pull_request");
        body["pull_request_number"] = json!(7);
        body["pull_request_title"] = json!("[WIP] new_cart");
        body["status_message"] = json!("Pending");
        body["duration"] = json!(null);
        let said = message(&TRAVIS, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("pull_request", "tools / PR #7 [WIP] new_cart")
        );
        assert!(said.content.starts_with(
            "[Build #6](https://app.travis-ci.com/b/6) of \
             [pull request #7 [WIP] new_cart](https://github.com/x/tools/compare/a...b) **started**.\n"
        ));
    }
}
