//! Rundeck: executions of jobs, in notifications of the format JSON. (Its other format, XML, is shown as it is.)

use crate::message::event;
use crate::text::{bold, code, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static RUNDECK: Integration = Integration {
    name: "rundeck",
    display_name: "Rundeck",
    setup: "Job > Edit > Notifications > Add Notification\n\
            Notification type: Send Webhook\n\
            URL: ADDRESS\n\
            Payload Format: JSON\n\
            Method: POST",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "avgduration",
    "failure",
    "retryablefailure",
    "start",
    "success",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let execution = body.at("execution");
    let trigger = body.at("trigger").str();
    if trigger.is_empty() || !execution.exists() {
        return Outcome::Unknown;
    }
    let job = execution.at("job");
    let project = execution.first(&["project", "job/project"]).str();
    let name = joined(
        [
            job.at("group").str().to_owned(),
            job.at("name").str().to_owned(),
        ],
        "/",
    );
    let shown = match link(&name, job.first(&["permalink", "href"]).str()) {
        shown if shown.is_empty() => "a job".to_owned(),
        shown => shown,
    };
    let number = format!("Execution #{}", execution.at("id").text());
    let number = link(&number, execution.first(&["permalink", "href"]).str());
    let status = body.first(&["status", "execution/status"]).str();
    let state = match (trigger, status) {
        ("start", _) => {
            let user = escape(execution.at("user").str());
            if user.is_empty() {
                "**started**".to_owned()
            } else {
                format!("was **started** by {user}")
            }
        }
        ("success", _) => "**succeeded**".to_owned(),
        (_, "aborted") => {
            let user = escape(execution.first(&["abortedby", "abortedBy"]).str());
            if user.is_empty() {
                "was **aborted**".to_owned()
            } else {
                format!("was **aborted** by {user}")
            }
        }
        (_, "timedout") => "**timed out**".to_owned(),
        ("failure", _) => "**failed**".to_owned(),
        ("retryablefailure", _) => "**failed** and will be retried".to_owned(),
        ("avgduration", _) => "runs **longer than average**".to_owned(),
        (other, _) => format!("is {}", bold(other)),
    };
    let said = format!("{number} of {shown} {state}.");
    let options = match execution.at("argstring").str() {
        "" => String::new(),
        options => format!("Options: {}", code(options)),
    };
    let topic = joined([project.to_owned(), job.at("name").str().to_owned()], " / ");
    let topic = if topic.is_empty() {
        "Rundeck".to_owned()
    } else {
        topic
    };
    let kind = event(EVENTS, trigger);
    Message::new(kind, topic, [&*said, &*options, &*failed(execution)]).into()
}

fn failed(execution: Node<'_>) -> String {
    let nodes = execution.first(&["failedNodes", "failedNodeList"]).list();
    let nodes = joined(nodes.take(20).map(|node| code(node.str())), ", ");
    if nodes.is_empty() {
        nodes
    } else {
        format!("Failed nodes: {nodes}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RUNDECK;
    use crate::testing::message;

    #[test]
    fn executions_start_and_end() {
        let mut body = json!({"trigger": "start", "status": "running", "execution": {"id": 3, "project": "ops", "user": "ann",
            "href": "https://rd.example.org/3", "argstring": "-env *prod*",
            "job": {"name": "Back up", "group": "nightly", "permalink": "https://rd.example.org/job/1"}}});
        let said = message(&RUNDECK, &[], &body);
        assert_eq!((said.event, &*said.topic), ("start", "ops / Back up"));
        let what = "[Execution #3](https://rd.example.org/3) of [nightly/Back up](https://rd.example.org/job/1)";
        assert_eq!(
            said.content,
            format!("{what} was **started** by ann.\nOptions: `-env *prod*`")
        );
        body["trigger"] = json!("failure");
        body["status"] = json!("failed");
        body["execution"]["argstring"] = json!(null);
        body["execution"]["failedNodes"] = json!(["db-1", "db-2"]);
        let said = message(&RUNDECK, &[], &body);
        assert_eq!(
            (said.event, said.content),
            (
                "failure",
                format!("{what} **failed**.\nFailed nodes: `db-1`, `db-2`")
            )
        );
        body["status"] = json!("aborted");
        assert!(
            message(&RUNDECK, &[], &body)
                .content
                .starts_with(&format!("{what} was **aborted**."))
        );
    }
}
