//! GitHub's webhooks: pushes, issues and pull requests.

use serde_json::Value;

use super::text::{at, link, plain};
use super::{Incoming, IncomingCall, Integration, Refusal};

/// Commits of one push that are listed.
const LISTED: usize = 10;

pub(super) const GITHUB: Integration = Integration {
    name: "github",
    display_name: "GitHub",
    event_types: Some(&["issues", "ping", "pull_request", "push"]),
    event_header: Some("X-GitHub-Event"),
    config_options: &[],
    url_options: &[(
        "branches",
        "Only these branches, separated by commas",
        "text",
    )],
    read,
};

fn read(call: &IncomingCall<'_>) -> Result<Option<Incoming>, Refusal> {
    let payload = call.payload;
    let repository = at(payload, &["repository", "name"])
        .map(plain)
        .ok_or(Refusal::Payload("the payload names no repository"))?;
    match call.event {
        "push" => push(call, &repository),
        "ping" => Ok(Some(Incoming {
            topic: repository.clone(),
            content: format!("The webhook of **{repository}** works."),
        })),
        "issues" => item(payload, &repository, "issue", "issue").map(Some),
        _ => item(payload, &repository, "pull_request", "pull request").map(Some),
    }
}

fn push(call: &IncomingCall<'_>, repository: &str) -> Result<Option<Incoming>, Refusal> {
    let payload = call.payload;
    let reference = at(payload, &["ref"]).ok_or(Refusal::Payload("the push names no branch"))?;
    let Some(branch) = reference.strip_prefix("refs/heads/") else {
        return Ok(None);
    };
    if let Some(wanted) = (call.option)("branches")
        && !wanted.split(',').any(|one| one.trim() == branch)
    {
        return Ok(None);
    }
    let who = at(payload, &["pusher", "name"])
        .map(plain)
        .unwrap_or_default();
    let commits: Vec<&Value> = payload
        .get("commits")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let what = link(
        &format!("{} commits", commits.len()),
        at(payload, &["compare"]),
    );
    let mut lines = vec![format!("{who} pushed {what} to **{}**.", plain(branch))];
    lines.extend(commits.iter().take(LISTED).map(|commit| {
        let message = at(commit, &["message"]).unwrap_or_default();
        let first = plain(message.lines().next().unwrap_or_default());
        let id: String = at(commit, &["id"])
            .unwrap_or_default()
            .chars()
            .take(7)
            .collect();
        format!("* {first} ({})", link(&id, at(commit, &["url"])))
    }));
    if commits.len() > LISTED {
        lines.push(format!("* and {} more", commits.len() - LISTED));
    }
    Ok(Some(Incoming {
        topic: format!("{repository} / {}", plain(branch)),
        content: lines.join("\n"),
    }))
}

/// An issue or a pull request, whose object has the name `key`.
fn item(payload: &Value, repository: &str, key: &str, kind: &str) -> Result<Incoming, Refusal> {
    let missing = Refusal::Payload("the payload lacks the issue or pull request");
    let (Some(title), Some(number)) = (
        at(payload, &[key, "title"]).map(plain),
        payload
            .pointer(&format!("/{key}/number"))
            .and_then(Value::as_i64),
    ) else {
        return Err(missing);
    };
    let who = at(payload, &["sender", "login"])
        .map(plain)
        .unwrap_or_default();
    let action = at(payload, &["action"])
        .unwrap_or("changed")
        .replace('_', " ");
    let named = link(&format!("{kind} {number}"), at(payload, &[key, "html_url"]));
    Ok(Incoming {
        topic: format!("{repository} / {kind} {number} {title}"),
        content: format!("{who} {} {named}: {title}", plain(&action)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::integrations::read as through;
    use serde_json::json;

    fn push_payload() -> Value {
        json!({"ref": "refs/heads/main", "compare": "https://github.com/x/y/compare/1",
            "repository": {"name": "y"}, "pusher": {"name": "ann"},
            "commits": [{"id": "0123456789", "message": "Fix it\n\nLong", "url": "https://g.com/c"}]})
    }

    #[test]
    fn events_become_sentences() {
        let said = through(&GITHUB, "push", &push_payload()).unwrap().unwrap();
        assert_eq!(said.topic, "y / main");
        assert_eq!(
            said.content,
            "ann pushed [1 commits](https://github.com/x/y/compare/1) to **main**.\n\
             * Fix it ([0123456](https://g.com/c))"
        );
        let issue = json!({"action": "opened", "sender": {"login": "ann"},
            "repository": {"name": "y"},
            "issue": {"number": 7, "title": "It breaks", "html_url": "https://g.com/7"}});
        let said = through(&GITHUB, "issues", &issue).unwrap().unwrap();
        assert_eq!(said.topic, "y / issue 7 It breaks");
        assert_eq!(
            said.content,
            "ann opened [issue 7](https://g.com/7): It breaks"
        );
    }

    #[test]
    fn what_is_not_wanted_or_not_known() {
        let payload = push_payload();
        let call = IncomingCall {
            event: "push",
            payload: &payload,
            option: &|_| Some("release, dev".to_owned()),
        };
        assert_eq!(GITHUB.read(&call), Ok(None));
        assert_eq!(
            through(&GITHUB, "fork", &payload),
            Err(Refusal::UnknownEvent)
        );
        let tag = json!({"ref": "refs/tags/1", "repository": {"name": "y"}});
        assert_eq!(through(&GITHUB, "push", &tag), Ok(None));
        assert!(matches!(
            through(&GITHUB, "push", &json!({})),
            Err(Refusal::Payload(_))
        ));
    }
}
