//! TeamCity with the plugin tcWebHooks: builds. Its templates for Slack are read as Slack's form.

use crate::message::event;
use crate::text::{bold, code, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome, slack_incoming};

pub(crate) static TEAMCITY: Integration = Integration {
    name: "teamcity",
    display_name: "TeamCity",
    setup: "Project settings > WebHooks (plugin: tcWebHooks) > Add WebHook\n\
            URL: ADDRESS\n\
            Payload Format: Legacy Webhook (JSON)",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "beforeBuildFinish",
    "buildAddedToQueue",
    "buildFinished",
    "buildInterrupted",
    "buildPinned",
    "buildRemovedFromQueue",
    "buildStarted",
    "buildTagsChanged",
    "buildUnpinned",
    "changesLoaded",
    "responsibilityChanged",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let build = body.at("build");
    let name = build.first(&["buildFullName", "buildName"]).str();
    if name.is_empty() {
        return if body.at("attachments").exists() || body.at("text").exists() {
            slack_incoming::read(call)
        } else {
            Outcome::Unknown
        };
    }
    let kind = build.at("notifyType").str();
    let url = build.at("buildStatusUrl").str();
    let branch = build.first(&["branchDisplayName", "branchName"]).str();
    let on = if branch.is_empty() {
        String::new()
    } else {
        format!(" on {}", code(branch))
    };
    let number = link(&format!("Build {}", build.at("buildNumber").text()), url);
    let said = format!("{number} of {}{on} {}", bold(name), state(build, kind));
    let by = build.first(&["triggeredBy", "triggeredByUser"]).str();
    let by = if by.is_empty() {
        String::new()
    } else {
        format!("Triggered by {}", escape(by))
    };
    let tab = |label: &str, tab: &str| {
        if url.is_empty() {
            String::new()
        } else {
            link(label, &format!("{url}&tab={tab}"))
        }
    };
    let details = joined(
        [
            by,
            tab("changes", "buildChangesDiv"),
            tab("log", "buildLog"),
        ],
        " · ",
    );
    let topic = if branch.is_empty() {
        name.to_owned()
    } else {
        format!("{name} / {branch}")
    };
    Message::new(
        event(EVENTS, kind),
        topic,
        [&*said, &*comment(build), &*details],
    )
    .into()
}

fn state(build: Node<'_>, kind: &str) -> String {
    let status = build.at("buildStatus").str();
    let why = if status.is_empty() {
        String::new()
    } else {
        format!(": {}", escape(status))
    };
    match kind {
        "buildFinished" | "beforeBuildFinish" => {
            let result = match (
                build.at("buildResultDelta").str(),
                build.at("buildResult").str(),
            ) {
                ("fixed", _) => "is **fixed**",
                ("broken", _) => "is **broken**",
                (_, "success") => "**succeeded**",
                (_, "failure") if build.at("buildResultPrevious").str() == "failure" => {
                    "is **still failing**"
                }
                (_, "failure") => "**failed**",
                _ => "**finished**",
            };
            format!("{result}{why}")
        }
        "buildStarted" => "**started**.".to_owned(),
        "buildInterrupted" => format!("was **interrupted**{why}"),
        "buildAddedToQueue" => "was **queued**.".to_owned(),
        "buildRemovedFromQueue" => "was **removed from the queue**.".to_owned(),
        "buildPinned" => "was **pinned**.".to_owned(),
        "buildUnpinned" => "was **unpinned**.".to_owned(),
        "changesLoaded" => "has **loaded its changes**.".to_owned(),
        _ => {
            let state = build.first(&["buildStateDescription", "notifyType"]).str();
            format!("is {}{why}", bold(state))
        }
    }
}

fn comment(build: Node<'_>) -> String {
    match build.first(&["buildComment", "comment"]).str() {
        "" => String::new(),
        comment => format!("Comment: {}", escape(comment)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::TEAMCITY;
    use crate::testing::message;

    #[test]
    fn builds_have_their_state_and_links() {
        let mut body = json!({"build": {"notifyType": "buildFinished", "buildFullName": "Shop :: Compile",
            "buildResult": "failure", "buildResultDelta": "broken", "buildStatus": "Exit code 1 (new)",
            "buildNumber": "55", "buildStatusUrl": "https://tc.example.org/v?id=1", "triggeredBy": "Ann *A*"}});
        let said = message(&TEAMCITY, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("buildFinished", "Shop :: Compile")
        );
        let details = "Triggered by Ann &#42;A&#42; · [changes](https://tc.example.org/v?id=1&tab=buildChangesDiv) · \
             [log](https://tc.example.org/v?id=1&tab=buildLog)";
        assert_eq!(
            said.content,
            format!(
                "[Build 55](https://tc.example.org/v?id=1) of **Shop :: Compile** is **broken**: Exit code 1 (new)\n{details}"
            )
        );
        body["build"]["notifyType"] = json!("buildStarted");
        body["build"]["branchDisplayName"] = json!("my_branch");
        let said = message(&TEAMCITY, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("buildStarted", "Shop :: Compile / my_branch")
        );
        assert_eq!(
            said.content,
            format!(
                "[Build 55](https://tc.example.org/v?id=1) of **Shop :: Compile** on `my_branch` **started**.\n{details}"
            )
        );
    }

    #[test]
    fn templates_for_slack_are_read() {
        let body = json!({"username": "TeamCity", "attachments": [{"title": "Failed", "color": "danger"}]});
        let said = message(&TEAMCITY, &[], &body);
        assert_eq!((&*said.topic, &*said.content), ("TeamCity", "**Failed**"));
    }
}
