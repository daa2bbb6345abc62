//! Buildbot: builds, from its reporters ZulipStatusPush and HttpStatusPush.

use crate::text::{bold, code, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static BUILDBOT: Integration = Integration {
    name: "buildbot",
    display_name: "Buildbot",
    setup: r#"master.cfg
from buildbot.plugins import reporters
c["services"].append(reporters.HttpStatusPush(serverUrl="ADDRESS"))"#,
    events: &["finished", "new"],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let builder = body.first(&["buildername", "builder/name"]).str();
    let ended = match (body.at("event").str(), body.at("complete").value()) {
        ("new", _) => false,
        ("finished", _) => true,
        ("", Some(complete)) => complete == true,
        _ => return Outcome::Unknown,
    };
    if builder.is_empty() {
        return Outcome::Unknown;
    }
    let source = body.at("buildset/sourcestamps/0");
    let project = match body.at("project").str() {
        "" => source.first(&["project", "codebase"]).str(),
        project => project,
    };
    let state = if ended {
        result(body.at("results"))
    } else {
        "**started**"
    };
    let number = format!("Build #{}", body.first(&["number", "buildid"]).text());
    let said = format!(
        "{} of {} {state}.",
        link(&number, body.first(&["url", "build_url"]).str()),
        bold(builder)
    );
    let summary = match body.at("state_string").str() {
        "" | "finished" | "starting" => String::new(),
        summary => escape(summary),
    };
    let topic = joined([project.to_owned(), builder.to_owned()], " / ");
    let kind = if ended { "finished" } else { "new" };
    Message::new(kind, topic, [&*said, &*revision(source), &*summary]).into()
}

fn result(results: Node<'_>) -> &'static str {
    match results.number() {
        Some(0) => "**succeeded**",
        Some(1) => "succeeded with **warnings**",
        Some(2) => "**failed**",
        Some(3) => "was **skipped**",
        Some(4) => "ended with an **exception**",
        Some(5) => "will be **retried**",
        Some(6) => "was **cancelled**",
        _ => "**finished**",
    }
}

fn revision(source: Node<'_>) -> String {
    let revision: String = source.at("revision").str().chars().take(7).collect();
    let revision = match revision.as_str() {
        "" => String::new(),
        revision => format!("Revision {}", code(revision)),
    };
    let branch = match source.at("branch").str() {
        "" => String::new(),
        branch => format!("branch {}", code(branch)),
    };
    joined([revision, branch], ", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::BUILDBOT;
    use crate::testing::message;

    #[test]
    fn builds_start_and_end() {
        let mut body = json!({"event": "new", "buildid": 33, "buildername": "run_tests", "project": "tools",
            "url": "https://ci.example.org/#builders/1/builds/33"});
        let said = message(&BUILDBOT, &[], &body);
        assert_eq!((said.event, &*said.topic), ("new", "tools / run_tests"));
        let build = "[Build #33](https://ci.example.org/#builders/1/builds/33) of **run_tests**";
        assert_eq!(said.content, format!("{build} **started**."));
        body["event"] = json!("finished");
        body["results"] = json!(6);
        let said = message(&BUILDBOT, &[], &body);
        assert_eq!(
            (said.event, said.content),
            ("finished", format!("{build} was **cancelled**."))
        );
    }

    #[test]
    fn the_general_reporter_is_read() {
        let body = json!({"complete": true, "number": 7, "results": 2, "state_string": "failed *test*",
            "url": "https://ci.example.org/7", "builder": {"name": "linux"},
            "buildset": {"sourcestamps": [{"project": "tools", "branch": "main", "revision": "0123456789"}]}});
        let said = message(&BUILDBOT, &[], &body);
        assert_eq!(said.topic, "tools / linux");
        assert_eq!(
            said.content,
            "[Build #7](https://ci.example.org/7) of **linux** **failed**.\n\
             Revision `0123456`, branch `main`\nfailed &#42;test&#42;"
        );
    }
}
