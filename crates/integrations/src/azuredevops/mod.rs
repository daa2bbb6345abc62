//! Azure DevOps: service hooks of projects.
//!
//! The body names the event and has a sentence about it, which serves for events that this file does not know. Calls are
//! not signed, and no header tells a repeated delivery.
//!
//! Ignored:
//! * runs, stages, jobs and deployments before they end, and skipped ones;
//! * test merges of pull requests without conflicts.

mod code;
mod runs;
mod work_items;

use crate::forge::{BRANCHES, Event, Options};
use crate::text::{escape, link};
use crate::{Call, Integration, Node, Outcome};

pub(crate) static AZUREDEVOPS: Integration = Integration {
    name: "azuredevops",
    display_name: "Azure DevOps",
    setup: "Project settings > Service hooks > Create subscription > Web Hooks\n\
            URL: ADDRESS",
    events: &[
        "build.complete",
        "git.pullrequest.created",
        "git.pullrequest.merged",
        "git.pullrequest.updated",
        "git.push",
        "ms.vss-code.git-pullrequest-comment-event",
        "ms.vss-pipelines.job-state-changed-event",
        "ms.vss-pipelines.run-state-changed-event",
        "ms.vss-pipelines.stage-state-changed-event",
        "ms.vss-release.deployment-approval-completed-event",
        "ms.vss-release.deployment-approval-pending-event",
        "ms.vss-release.deployment-completed-event",
        "ms.vss-release.deployment-started-event",
        "ms.vss-release.release-abandoned-event",
        "ms.vss-release.release-created-event",
        "other",
        "tfvc.checkin",
        "workitem.commented",
        "workitem.created",
        "workitem.deleted",
        "workitem.restored",
        "workitem.updated",
    ],
    url_options: &[BRANCHES],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let name = body.at("eventType").str();
    let known = AZUREDEVOPS
        .events
        .iter()
        .copied()
        .find(|event| *event == name);
    let kind = known.unwrap_or("other");
    let place = body.first(&[
        "resource/repository/name",
        "resource/pullRequest/repository/name",
        "resource/fields/System.TeamProject",
        "resource/revision/fields/System.TeamProject",
        "resource/project/name",
        "resource/run/pipeline/name",
        "resource/pipeline/name",
        "resource/definition/name",
    ]);
    let hook = Hook {
        event: Event {
            kind,
            who: "",
            place: place.str(),
        },
        body,
        resource: body.at("resource"),
        option: call.option,
    };
    match kind {
        "git.push" => code::push(hook),
        "git.pullrequest.created" => code::created(hook),
        "git.pullrequest.updated" => code::updated(&hook),
        "git.pullrequest.merged" => code::merged(&hook),
        "ms.vss-code.git-pullrequest-comment-event" => code::comment(hook),
        "build.complete" => runs::build(&hook),
        _ if kind.starts_with("ms.vss-pipelines.") => runs::run(&hook),
        _ if kind.starts_with("ms.vss-release.") => runs::release(hook),
        _ if kind.starts_with("workitem.") => work_items::work_item(hook),
        _ => general(&hook, ""),
    }
}

/// The sentence of the service itself, with its link.
fn general(hook: &Hook<'_>, about: &str) -> Outcome {
    let said = hook.sentence();
    if said.is_empty() {
        return Outcome::Unknown;
    }
    let url = hook.url_of_sentence();
    let details = if url.is_empty() {
        String::new()
    } else {
        format!(" ({})", link("details", url))
    };
    let sentence = format!("{}{details}", escape(said.trim_end_matches('.')));
    let about = if about.is_empty() && hook.event.place.is_empty() {
        "Azure DevOps"
    } else {
        about
    };
    hook.event.said(about, &sentence, "").into()
}

/// A call of Azure DevOps.
struct Hook<'a> {
    event: Event<'a>,
    body: Node<'a>,
    resource: Node<'a>,
    option: Options<'a>,
}

impl<'a> Hook<'a> {
    /// The same event, caused by this person.
    fn by(mut self, who: &'a str) -> Self {
        self.event.who = who;
        self
    }

    fn str(&self, path: &str) -> &'a str {
        self.resource.at(path).str()
    }

    fn first(&self, paths: &[&str]) -> &'a str {
        self.resource.first(paths).str()
    }

    fn did(&self, about: &str, deed: &str, quoted: &str) -> Outcome {
        self.said(about, &format!("{} {deed}", self.event.who()), quoted)
    }

    fn said(&self, about: &str, sentence: &str, quoted: &str) -> Outcome {
        self.event.said(about, sentence, quoted).into()
    }

    /// What the service says about the event.
    fn sentence(&self) -> &'a str {
        self.body
            .at("message/text")
            .str()
            .lines()
            .next()
            .unwrap_or_default()
            .trim()
    }

    /// The first address in what the service says.
    fn url_of_sentence(&self) -> &'a str {
        let text = self.body.at("message/markdown").str();
        let address = text
            .split_once("](")
            .map(|(_, after)| after.split(')').next());
        address.flatten().unwrap_or_default()
    }
}

/// The name of a person, which may come with a mail address: `Ann Lee <ann@example.org>`.
fn name(node: Node<'_>) -> &str {
    let name = node.at("displayName").str();
    let name = if name.is_empty() { node.str() } else { name };
    name.split(" <").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AZUREDEVOPS;
    use crate::testing::message;

    #[test]
    fn events_that_are_not_known_say_what_the_service_says() {
        let body = json!({"eventType": "git.repo.created", "message": {"text": "Ann created *shop*.\r\nhttps://a.example/shop",
            "markdown": "Ann created [*shop*](https://a.example/shop)."}, "resource": {"repository": {"name": "shop"}}});
        let said = message(&AZUREDEVOPS, &[], &body);
        assert_eq!((said.event, &*said.topic), ("other", "shop"));
        assert_eq!(
            said.content,
            "Ann created &#42;shop&#42; ([details](https://a.example/shop))."
        );
    }

    #[test]
    fn texts_of_outsiders_arrive_letter_by_letter() {
        let evil = "`@**all** *x* [y](z) #1";
        let body = json!({"eventType": "git.pullrequest.created", "resource": {"pullRequestId": 7, "title": evil,
            "createdBy": {"displayName": evil}, "repository": {"name": evil}, "sourceRefName": "refs/heads/a", "targetRefName": "refs/heads/b"}});
        let said = message(&AZUREDEVOPS, &[], &body);
        let shown = "&#96;@&#42;&#42;all&#42;&#42; &#42;x&#42; [y]&#40;z) #1";
        assert_eq!(said.topic, format!("{evil} / PR #7 {evil}"));
        assert_eq!(
            said.content,
            format!("{shown} opened PR #7 {shown} from `a` to `b`.")
        );
    }
}
