//! Sentry: alerts, issues, errors and comments of the integration platform, and events of the plugin WebHooks.
//!
//! Ignored: `installation`, which says only that the integration was installed or removed, and `seer`.

use crate::message::event;
use crate::text::{block, bold, code, escape, joined, link, quote, quote_plain};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

pub(crate) static SENTRY: Integration = Integration {
    name: "sentry",
    display_name: "Sentry",
    setup: "Settings > Custom Integrations > Create New Integration > Internal Integration\n\
            Webhook URL: ADDRESS\n\
            Alert Rule Action: on\n\
            Client Secret: SECRET",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "sentry-hook-signature",
        prefix: "",
    }),
    delivery_header: Some("request-id"),
    read,
};

const EVENTS: &[&str] = &["comment", "error", "event_alert", "issue", "metric_alert"];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let data = body.at("data");
    if body.at("event").exists() {
        return plugin(body).into();
    }
    // The header says the same as the body, which is always there.
    if data.at("metric_alert").exists() {
        metric(data, body.at("action").str()).into()
    } else if data.at("event").exists() {
        let rule = data.first(&["triggered_rule", "issue_alert/title"]).str();
        let head = if rule.is_empty() {
            "Alert".to_owned()
        } else {
            format!("Alert {}", bold(rule))
        };
        found("event_alert", &head, data.at("event"), "").into()
    } else if data.at("error").exists() {
        found("error", "Error", data.at("error"), "").into()
    } else if data.at("comment_id").exists() || data.at("comment").exists() {
        comment(body).into()
    } else if data.at("issue").exists() {
        issue(body).into()
    } else if data.at("installation").exists() || call.header("sentry-hook-resource") == "seer" {
        Outcome::Ignored
    } else {
        Outcome::Unknown
    }
}

fn plugin(body: Node<'_>) -> Message {
    let rules = joined(
        body.at("triggering_rules")
            .list()
            .map(|rule| bold(rule.str())),
        ", ",
    );
    let head = if rules.is_empty() {
        "Event".to_owned()
    } else {
        format!("Alert {rules}")
    };
    let mut said = found("event_alert", &head, body.at("event"), body.at("url").str());
    let project = body.first(&["project_slug", "project_name"]).str();
    if !project.is_empty() {
        said.topic = format!("{project} / {}", title(body.at("event")));
    }
    said
}

/// An event with its place in the code.
fn found(kind: &'static str, head: &str, found: Node<'_>, url: &str) -> Message {
    let title = title(found);
    let url = if url.is_empty() {
        found.at("web_url").str()
    } else {
        url
    };
    let said = format!("{head}: {}", link(title, url));
    let label = |name: &str, path: &str| match found.at(path).text() {
        value if value.is_empty() => value,
        value => format!("{name} {}", code(&value)),
    };
    let details = [
        label("level", "level"),
        label("environment", "environment"),
        label("release", "release"),
        label("platform", "platform"),
        label("in", "culprit"),
    ];
    // The address in the API has the name of the project, as issues do.
    let api = found.at("url").str().split_once("/projects/");
    let project = api.and_then(|(_, path)| path.split('/').nth(1));
    let topic = joined(
        [project.unwrap_or_default().to_owned(), title.to_owned()],
        " / ",
    );
    Message::new(
        kind,
        topic,
        [&*said, &*joined(details, " · "), &*place(found)],
    )
}

fn title(found: Node<'_>) -> &str {
    match found.first(&["title", "message", "metadata/title"]).str() {
        "" => "event",
        title => title,
    }
}

/// The last frame of the program's own code, with the lines around it.
fn place(found: Node<'_>) -> String {
    let values = found.at("exception/values").list();
    let frames = match values.into_iter().next_back() {
        Some(exception) => exception.at("stacktrace/frames"),
        None => found.at("stacktrace/frames"),
    };
    let own = frames.list().rfind(|frame| frame.at("in_app").is_true());
    let Some(frame) = own.or(frames.list().next_back()) else {
        return String::new();
    };
    let file = frame.first(&["filename", "abs_path", "module"]).str();
    let line = match frame.at("lineno").text() {
        line if line.is_empty() => line,
        line => format!(", line {}", escape(&line)),
    };
    let function = match frame.at("function").str() {
        "" => String::new(),
        function => format!(", in {}", code(function)),
    };
    let around = |key: &str| {
        frame
            .at(key)
            .list()
            .map(|line| line.str().trim_end().to_owned())
            .collect::<Vec<_>>()
    };
    let (before, after) = (around("pre_context"), around("post_context"));
    let context = frame.at("context_line").str();
    let first = before.len().saturating_sub(2);
    let mut lines: Vec<String> = before.into_iter().skip(first).collect();
    lines.push(context.trim_end().to_owned());
    lines.extend(after.into_iter().take(2));
    let shown = if context.is_empty() {
        String::new()
    } else {
        block(&lines.join("\n"), language(found))
    };
    joined([format!("{}{line}{function}", code(file)), shown], "\n")
}

fn language(found: Node<'_>) -> &'static str {
    match found.at("platform").str() {
        "python" => "python",
        "javascript" | "node" => "js",
        "ruby" => "ruby",
        "go" => "go",
        "php" => "php",
        "java" => "java",
        "csharp" => "csharp",
        "rust" => "rust",
        _ => "",
    }
}

fn issue(body: Node<'_>) -> Message {
    let issue = body.at("data/issue");
    let title = issue.at("title").str();
    let who = escape(body.at("actor/name").str());
    let name = link(
        title,
        issue.first(&["web_url", "permalink", "project_url"]).str(),
    );
    let id = issue.at("shortId").str();
    let name = if id.is_empty() {
        name
    } else {
        format!("{name} ({})", escape(id))
    };
    let said = match body.at("action").str() {
        "created" => format!("New issue {name}"),
        "assigned" => {
            let to = body
                .first(&["data/assignee/name", "data/issue/assignedTo/name"])
                .str();
            let team = if body
                .first(&["data/assignee/type", "data/issue/assignedTo/type"])
                .str()
                == "team"
            {
                "team "
            } else {
                ""
            };
            format!("{who} **assigned** {name} to {team}{}", bold(to))
        }
        "resolved" => format!("{who} **resolved** {name}{}", resolution(issue)),
        "unresolved" => format!("{who} marked {name} as **unresolved**"),
        "archived" | "ignored" => format!("{who} **archived** {name}"),
        other => format!("{who} changed {name}: {}", bold(other)),
    };
    let project = issue.first(&["project/slug", "project/name"]).str();
    let label = |name: &str, path: &str| match issue.at(path).text() {
        value if value.is_empty() => value,
        value => format!("{name} {}", code(&value)),
    };
    let details = [
        label("level", "level"),
        label("events", "count"),
        label("in", "culprit"),
    ];
    let topic = joined([project.to_owned(), title.to_owned()], " / ");
    Message::new(
        "issue",
        topic,
        [&*format!("{said}."), &*joined(details, " · ")],
    )
}

fn resolution(issue: Node<'_>) -> String {
    let details = issue.at("statusDetails");
    let release = details.at("inRelease").str();
    if details.at("inNextRelease").is_true() {
        " in the next release".to_owned()
    } else if !release.is_empty() {
        format!(" in release {}", code(release))
    } else {
        String::new()
    }
}

fn metric(data: Node<'_>, action: &str) -> Message {
    let alert = data.at("metric_alert");
    let name = alert.first(&["alert_rule/name", "title"]).str();
    let title = data.at("description_title").str();
    let title = if title.is_empty() { name } else { title };
    let state = match action {
        "resolved" => "**Resolved**".to_owned(),
        "critical" => "**Critical**".to_owned(),
        "warning" => "**Warning**".to_owned(),
        other => bold(other),
    };
    let said = format!("{state}: {}", link(title, data.at("web_url").str()));
    let text = quote_plain(&data.at("description_text").str().replace("\\n", "\n"));
    let name = if name.is_empty() { title } else { name };
    Message::new("metric_alert", name, [&*said, &*text])
}

fn comment(body: Node<'_>) -> Message {
    let data = body.at("data");
    let who = escape(body.at("actor/name").str());
    let id = data.first(&["issue_id", "issue/id"]).text();
    let said = match body.at("action").str() {
        "created" => format!("{who} **commented** on issue {}:", escape(&id)),
        "updated" => format!("{who} **edited a comment** on issue {}:", escape(&id)),
        "deleted" => format!("{who} **deleted a comment** on issue {}.", escape(&id)),
        other => format!("{who}: comment {} on issue {}.", bold(other), escape(&id)),
    };
    let project = data.at("project_slug").str();
    let topic = joined([project.to_owned(), format!("issue {id}")], " / ");
    let kind = event(EVENTS, "comment");
    Message::new(kind, topic, [&*said, &*quote(data.at("comment").str())])
}

#[cfg(test)]
mod tests;
