//! Events that GitHub sends to the webhook of the app. Apps receive no headers, so the shape of the body identifies the event.

use serde_json::Value;
use spindle_app::text::{escape, link};
use spindle_app::{Draft, Effect, Event, Values, Webhook, log};

use crate::preview::{author, numbered, text_of, url_of};
use crate::subscriptions::{Kind, Subscription};

const MAX_TITLE: usize = 200;
const MAX_NAME: usize = 100;

pub(crate) fn take(event: &Event, webhook: &Webhook, values: &Values) -> Vec<Effect> {
    let Ok(body) = serde_json::from_slice::<Value>(&webhook.body) else {
        let what = match webhook.content_type.contains("json") {
            true => "A call was no JSON",
            false => "A call was no JSON: set the content type of the webhook to application/json",
        };
        return vec![log(what)];
    };
    let repository = text_of(&body, &["repository", "full_name"]);
    if repository.is_empty() {
        return vec![log("A call named no repository")];
    }
    let is_ping = body.get("zen").is_some() && body.get("hook").is_some();
    let what = match is_ping {
        true => Some((None, "is connected.".to_owned())),
        false => sentence(&body, repository).map(|(kind, text)| (Some(kind), text)),
    };
    let Some((kind, text)) = what else {
        return Vec::new();
    };
    let name = link(
        &escape(repository, 140),
        url_of(&body, &["repository", "html_url"]),
    );
    let is_wanted = |one: &Subscription| {
        one.repository.is(repository)
            && one.repository.is_allowed(event)
            && kind.is_none_or(|kind| one.kinds.has(kind))
    };
    let messages: Vec<Effect> = Subscription::all(values)
        .filter(is_wanted)
        .take(crate::subscriptions::MAX_TOPICS)
        .map(|one| Draft::to_topic(one.channel, one.topic, format!("{name}: {text}")).into())
        .collect();
    if is_ping && messages.is_empty() {
        let line =
            format!("GitHub reaches this app for {repository}; no topic has subscribed to it");
        return vec![log(line.chars().take(500).collect::<String>())];
    }
    messages
}

/// What happened, without the repository.
fn sentence(body: &Value, repository: &str) -> Option<(Kind, String)> {
    let who = author(text_of(body, &["sender", "login"]));
    let action = text_of(body, &["action"]);
    let has = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
    if has("commits") && has("ref") {
        return Some((Kind::Pushes, push(body, &who)?));
    }
    // Comments and reviews have these as well.
    if has("comment") || has("review") || has("thread") {
        return None;
    }
    if let Some(pull) = body.get("pull_request") {
        let is_merged = pull.get("merged").and_then(Value::as_bool) == Some(true);
        let verb = match action {
            "opened" | "reopened" => action,
            "closed" if is_merged => "merged",
            "closed" => "closed",
            "ready_for_review" => "finished the draft of",
            _ => return None,
        };
        let it = numbered("pull request", repository, pull);
        return Some((Kind::Pulls, format!("{who} {verb} {it}")));
    }
    if let Some(issue) = body.get("issue") {
        let verb = match action {
            "opened" | "closed" | "reopened" => action,
            _ => return None,
        };
        let it = numbered("issue", repository, issue);
        return Some((Kind::Issues, format!("{who} {verb} {it}")));
    }
    if let Some(release) = body.get("release") {
        if action != "published" {
            return None;
        }
        let tag = text_of(release, &["tag_name"]);
        let title = match text_of(release, &["name"]) {
            "" => tag,
            name => name,
        };
        let it = link(&escape(title, MAX_TITLE), url_of(release, &["html_url"]));
        return Some((Kind::Releases, format!("{who} published the release {it}")));
    }
    None
}

fn push(body: &Value, who: &str) -> Option<String> {
    let is = |name: &str| body.get(name).and_then(Value::as_bool) == Some(true);
    let reference = text_of(body, &["ref"]);
    let (kind, name) = match reference.strip_prefix("refs/tags/") {
        Some(tag) => ("tag", tag),
        None => ("branch", reference.strip_prefix("refs/heads/")?),
    };
    let name = format!("{kind} {}", escape(name, MAX_NAME));
    if is("deleted") {
        return Some(format!("{who} deleted the {name}"));
    }
    let url = url_of(body, &["compare"]);
    if kind == "tag" {
        return Some(format!("{who} pushed the {}", link(&name, url)));
    }
    let count = body
        .get("commits")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let verb = if is("forced") {
        "force-pushed"
    } else {
        "pushed"
    };
    let place = match is("created") {
        true => format!("the new {name}"),
        false => format!("the {name}"),
    };
    let commits = match count {
        0 => return Some(format!("{who} {verb} {}", link(&place, url))),
        1 => "1 commit".to_owned(),
        // GitHub sends at most 2048 commits.
        2048.. => "2048 commits or more".to_owned(),
        count => format!("{count} commits"),
    };
    let subject = text_of(body, &["head_commit", "message"]).lines().next();
    let subject = match escape(subject.unwrap_or_default(), MAX_TITLE) {
        subject if subject.is_empty() => String::new(),
        subject => format!(": {subject}"),
    };
    Some(format!(
        "{who} {verb} {} to {place}{subject}",
        link(&commits, url)
    ))
}
