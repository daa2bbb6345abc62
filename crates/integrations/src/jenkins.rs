//! Jenkins with its Notification plugin: builds that start and end.
//!
//! Ignored: queued builds, and completed ones, because Jenkins announces the same result again when the build is
//! finalized; the option `completed` reports them for jobs that send only those.

use crate::message::{Commit, commits, event};
use crate::text::{block, bold, code, count, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome, UrlOption};

pub(crate) static JENKINS: Integration = Integration {
    name: "jenkins",
    display_name: "Jenkins",
    setup: "Job > Configure > Job Notifications (plugin: Notification) > Add Endpoint\n\
            Format: JSON\n\
            Protocol: HTTP\n\
            Event: All Events\n\
            URL: ADDRESS",
    events: EVENTS,
    url_options: &[UrlOption {
        key: "completed",
        label: "Report builds when they are completed, not only when they are finalized",
        input: "checkbox",
    }],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &["completed", "finalized", "started"];
/// Most failed tests that a message lists.
const TESTS: usize = 10;

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let build = body.at("build");
    let (job, phase) = (job(body), build.at("phase").str());
    if job.is_empty() || phase.is_empty() {
        return Outcome::Unknown;
    }
    let wants_completed = (call.option)("completed").is_some_and(|value| value != "false");
    if phase == "QUEUED" || (phase == "COMPLETED" && !wants_completed) {
        return Outcome::Ignored;
    }
    let is_start = phase == "STARTED";
    let said = if is_start {
        "**started**"
    } else {
        match build.at("status").str() {
            "SUCCESS" => "**succeeded**",
            "FAILURE" => "**failed**",
            "UNSTABLE" => "is **unstable**",
            "ABORTED" => "was **aborted**",
            "NOT_BUILT" => "was **not built**",
            _ => "ended",
        }
    };
    let number = format!("Build #{}", build.at("number").text());
    let url = build.first(&["full_url", "url"]).str();
    let said = format!("{} of {} {said}.", link(&number, url), bold(&job));
    let end = if is_start {
        String::new()
    } else {
        result(build)
    };
    Message::new(
        event(EVENTS, phase),
        &*job,
        [&*said, &*source(build), &*end],
    )
    .into()
}

/// The name of the job with the folders that it is in, which its path has: `job/folder/job/name/`.
fn job(body: Node<'_>) -> String {
    let name = body.first(&["display_name", "name"]).str();
    let mut folders = body.at("url").str().trim_matches('/').split('/');
    let mut names = Vec::new();
    while let (Some("job"), Some(folder)) = (folders.next(), folders.next()) {
        names.push(folder);
    }
    if names.len() < 2 || names.iter().any(|name| name.contains('%')) {
        name.to_owned()
    } else {
        names.join(" / ")
    }
}

fn source(build: Node<'_>) -> String {
    let scm = build.at("scm");
    let commit: String = scm.at("commit").str().chars().take(7).collect();
    let (branch, commit) = (code(scm.at("branch").str()), code(&commit));
    match (branch.is_empty(), commit.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("Commit {commit}"),
        (false, true) => format!("Branch {branch}"),
        (false, false) => format!("Commit {commit} of {branch}"),
    }
}

/// Changes, tests and, where the job sends it, the end of the log of a build without success.
fn result(build: Node<'_>) -> String {
    let mut parts = vec![
        changes(build.at("scm/changes")),
        tests(build.at("test_summary")),
    ];
    let culprits = build
        .at("scm/culprits")
        .list()
        .map(|name| escape(name.str()));
    if build.at("status").str() != "SUCCESS" {
        let culprits = joined(culprits, ", ");
        if !culprits.is_empty() {
            parts.push(format!("Changes by {culprits}"));
        }
        parts.push(block(build.at("log").str(), ""));
    }
    let notes = build.at("notes").str();
    parts.push(escape(notes));
    joined(parts, "\n")
}

/// Jenkins sends messages of commits as one text with a line each, or as a list.
fn changes(changes: Node<'_>) -> String {
    let listed = changes.list().map(|change| match change.str() {
        "" => change.first(&["message", "comment", "msg"]).str(),
        text => text,
    });
    let listed: Vec<&str> = listed
        .chain(changes.str().lines())
        .filter(|line| !line.is_empty())
        .collect();
    let one = |message| Commit {
        id: "",
        message,
        url: "",
        author: None,
    };
    commits(listed.iter().copied().map(one), listed.len())
}

fn tests(summary: Node<'_>) -> String {
    let failed = summary.at("failed").number().unwrap_or_default();
    let Some(total) = summary.at("total").number().filter(|total| *total > 0) else {
        return String::new();
    };
    let total = count(usize::try_from(total).unwrap_or_default(), "test");
    let head = format!("{failed} of {total} failed");
    let names = summary.at("failed_tests").list();
    let more = names.len().saturating_sub(TESTS);
    let names = names.take(TESTS).map(|test| {
        let name = test.first(&["name", "testName"]).str();
        format!(
            "* {}",
            code(if name.is_empty() { test.str() } else { name })
        )
    });
    let more = if more > 0 {
        format!("* and {more} more")
    } else {
        String::new()
    };
    joined([head].into_iter().chain(names).chain([more]), "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::JENKINS;
    use crate::testing::{message, outcome};
    use crate::{Call, Outcome};

    #[test]
    fn builds_have_their_result_changes_and_tests() {
        let body = json!({"name": "shop", "url": "job/team/job/shop/", "build": {"number": 18, "phase": "FINALIZED",
            "status": "FAILURE", "full_url": "https://ci.example.org/18/", "log": "make: *** [all] Error 1",
            "scm": {"branch": "origin/main", "commit": "c6d86dc654b1", "changes": ["x"], "culprits": ["Ann *A*"]},
            "test_summary": {"total": 10, "failed": 1, "failed_tests": [{"name": "cart_*"}]}}});
        let said = message(&JENKINS, &[], &body);
        assert_eq!((said.event, &*said.topic), ("finalized", "team / shop"));
        assert_eq!(
            said.content,
            "[Build #18](https://ci.example.org/18/) of **team / shop** **failed**.\nCommit `c6d86dc` of `origin/main`\n* x\n\
             1 of 10 tests failed\n* `cart_*`\nChanges by Ann &#42;A&#42;\n```\nmake: *** [all] Error 1\n```"
        );
        let body = json!({"name": "shop", "build": {"number": 1, "phase": "STARTED", "full_url": "https://ci.example.org/1"}});
        let said = message(&JENKINS, &[], &body);
        assert_eq!(
            said.content,
            "[Build #1](https://ci.example.org/1) of **shop** **started**."
        );
    }

    #[test]
    fn completed_builds_are_reported_on_request() {
        let body = json!({"name": "shop", "build": {"number": 1, "phase": "COMPLETED", "status": "SUCCESS"}});
        assert_eq!(outcome(&JENKINS, &[], &body), Outcome::Ignored);
        let call = Call {
            header: &|_| None,
            body: &body,
            option: &|name| (name == "completed").then(|| "true".to_owned()),
        };
        assert!(
            matches!((JENKINS.read)(&call), Outcome::Message(said) if said.content == "Build #1 of **shop** **succeeded**.")
        );
    }
}
