//! GitHub: alerts about dependencies, code and secrets, and security advisories.

use crate::forge::Hook;
use crate::text::{bold, code, escape, link};
use crate::{Node, Outcome};

/// The message about an alert: what found it, or who did what to it and why.
fn alert(hook: &Hook<'_>, title: &str, found_by: &str, details: &str) -> Outcome {
    let alert = hook.at("alert");
    let number = alert.at("number").text();
    let it = link(
        &format!("alert #{number} {title}"),
        alert.at("html_url").str(),
    );
    let (by, why) = (hook.who(), reason(alert));
    let sentence = match hook.action() {
        "created" => format!("{} reported {it}{details}", escape(found_by)),
        "appeared_in_branch" => {
            let branch = alert.first(&["most_recent_instance/ref", "ref"]).str();
            let branch = branch.trim_start_matches("refs/heads/");
            format!("{it}{details} appeared in {}", code(branch)).replacen("[alert", "[Alert", 1)
        }
        "fixed" => format!("{} found {it} to be fixed", escape(found_by)),
        "reintroduced" => format!("{it}{details} is back").replacen("[alert", "[Alert", 1),
        "publicly_leaked" => {
            format!("{it} was leaked to the public").replacen("[alert", "[Alert", 1)
        }
        "auto_dismissed" | "auto_reopened" => {
            let done = hook.action().trim_start_matches("auto_");
            format!("{} {done} {it} by a rule", escape(found_by))
        }
        "dismissed" | "closed_by_user" => format!("{by} dismissed {it}{why}"),
        "resolved" => format!("{by} resolved {it}{why}"),
        "reopened" | "reopened_by_user" => format!("{by} reopened {it}"),
        _ => format!("{by}: {} {it}", hook.action_words()),
    };
    let comment = alert
        .first(&["dismissed_comment", "resolution_comment"])
        .str();
    hook.said(&format!("alert #{number} {title}"), &sentence, comment)
}

/// The reason for a dismissal, in brackets.
fn reason(alert: Node<'_>) -> String {
    match alert.first(&["dismissed_reason", "resolution"]).str() {
        "" => String::new(),
        reason => format!(" ({})", escape(&reason.replace('_', " "))),
    }
}

fn severity(level: &str) -> String {
    if level.is_empty() {
        String::new()
    } else {
        format!(" of {} severity", bold(level))
    }
}

pub(super) fn dependabot(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("alert");
    let advisory = node.at("security_advisory");
    let level = node
        .first(&[
            "security_vulnerability/severity",
            "security_advisory/severity",
        ])
        .str();
    let mut details = severity(level);
    let package = node.at("dependency/package/name").str();
    if !package.is_empty() {
        details.push_str(&format!(" in {}", code(package)));
    }
    match node
        .at("security_vulnerability/first_patched_version/identifier")
        .str()
    {
        "" => {}
        version => details.push_str(&format!("; {} fixes it", code(version))),
    }
    alert(
        hook,
        advisory.first(&["summary", "ghsa_id"]).str(),
        "Dependabot",
        &details,
    )
}

pub(super) fn code_scanning(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("alert");
    let rule = node.at("rule");
    let place = node.at("most_recent_instance/location");
    let mut details = severity(rule.first(&["security_severity_level", "severity"]).str());
    match (place.at("path").str(), place.at("start_line").number()) {
        ("", _) => {}
        (path, None) => details.push_str(&format!(" in {}", code(path))),
        (path, Some(line)) => details.push_str(&format!(" in {}", code(&format!("{path}:{line}")))),
    }
    let tool = node.at("tool/name").str();
    let tool = if tool.is_empty() {
        "Code scanning"
    } else {
        tool
    };
    alert(
        hook,
        rule.first(&["description", "name", "id"]).str(),
        tool,
        &details,
    )
}

pub(super) fn secret(hook: &Hook<'_>) -> Outcome {
    let kind = hook.first(&["alert/secret_type_display_name", "alert/secret_type"]);
    alert(hook, kind, "Secret scanning", "")
}

/// The alerts that Dependabot's replaced.
pub(super) fn vulnerability(hook: &Hook<'_>) -> Outcome {
    let node = hook.at("alert");
    let (name, package) = (
        node.at("external_identifier").str(),
        node.at("affected_package_name").str(),
    );
    let it = link(name, node.at("external_reference").str());
    let place = format!(
        "{} {}",
        code(package),
        escape(node.at("affected_range").str())
    );
    let (place, fix) = (place.trim(), node.at("fixed_in").str());
    let by = match node.at("dismisser/login").str() {
        "" => hook.who(),
        login => escape(login),
    };
    let sentence = match hook.action() {
        "create" if fix.is_empty() => format!("GitHub reported the vulnerability {it} in {place}"),
        "create" => format!(
            "GitHub reported the vulnerability {it} in {place}; {} fixes it",
            code(fix)
        ),
        "dismiss" => format!("{by} dismissed the vulnerability {it} in {place}"),
        "resolve" => format!("The vulnerability {it} in {place} was resolved"),
        action => format!("The vulnerability {it} in {place}: {}", escape(action)),
    };
    let why = if hook.action() == "dismiss" {
        node.at("dismiss_reason").str()
    } else {
        ""
    };
    hook.said(&format!("{name} {package}"), &sentence, why)
}

pub(super) fn advisory(hook: &Hook<'_>) -> Outcome {
    published(hook, hook.at("repository_advisory"))
}

/// An advisory of GitHub's database.
pub(super) fn global_advisory(hook: &Hook<'_>) -> Outcome {
    published(hook, hook.at("security_advisory"))
}

fn published(hook: &Hook<'_>, advisory: Node<'_>) -> Outcome {
    let id = advisory.first(&["ghsa_id", "cve_id"]).str();
    let named = format!("{id} {}", advisory.at("summary").str());
    let named = named.trim();
    let page = format!("https://github.com/advisories/{id}");
    let url = advisory.at("html_url").str();
    let it = link(named, if url.is_empty() { &page } else { url });
    let details = severity(advisory.at("severity").str());
    let who = if hook.event.who.is_empty() {
        "GitHub".to_owned()
    } else {
        hook.who()
    };
    let done = match hook.action() {
        "withdrawn" => "withdrew".to_owned(),
        _ => hook.action_words(),
    };
    let sentence = format!("{who} {done} the advisory {it}{details}");
    hook.said(named, &sentence, advisory.at("description").str())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::github::GITHUB;
    use crate::testing::message;

    fn said(action: &str, event: &str, alert: Value) -> String {
        let body = json!({"action": action, "alert": alert, "sender": {"login": "ann"}, "repository": {"name": "shop"}});
        let said = message(&GITHUB, &[], &body);
        assert_eq!(said.event, event);
        said.content
    }

    #[test]
    fn dependencies() {
        let alert = json!({"number": 3, "html_url": "https://g.example/3", "dismissed_reason": "not_used",
            "dismissed_comment": "Only in tests", "dependency": {"package": {"name": "left-pad"}},
            "security_advisory": {"summary": "Pads the wrong side", "severity": "high"},
            "security_vulnerability": {"first_patched_version": {"identifier": "1.2"}}});
        let it = "[alert #3 Pads the wrong side](https://g.example/3)";
        assert_eq!(
            said("dismissed", "dependabot_alert", alert.clone()),
            format!("ann dismissed {it} (not used):\n```quote\nOnly in tests\n```")
        );
        let mut alert = alert;
        alert["dismissed_comment"] = Value::Null;
        assert_eq!(
            said("created", "dependabot_alert", alert),
            format!("Dependabot reported {it} of **high** severity in `left-pad`; `1.2` fixes it.")
        );
    }

    #[test]
    fn code_and_secrets() {
        let alert = json!({"number": 4, "html_url": "https://g.example/4", "tool": {"name": "CodeQL"},
            "rule": {"description": "SQL from a request", "security_severity_level": "critical"},
            "most_recent_instance": {"ref": "refs/heads/main", "location": {"path": "a.rs", "start_line": 9}}});
        assert_eq!(
            said("created", "code_scanning_alert", alert.clone()),
            "CodeQL reported [alert #4 SQL from a request](https://g.example/4) of **critical** severity in `a.rs:9`."
        );
        assert_eq!(
            said("appeared_in_branch", "code_scanning_alert", alert),
            "[Alert #4 SQL from a request](https://g.example/4) of **critical** severity in `a.rs:9` appeared in `main`."
        );
        let alert = json!({"number": 5, "html_url": "https://g.example/5", "secret_type": "x_key", "resolution": "revoked"});
        assert_eq!(
            said("created", "secret_scanning_alert", alert.clone()),
            "Secret scanning reported [alert #5 x_key](https://g.example/5)."
        );
        assert_eq!(
            said("resolved", "secret_scanning_alert", alert),
            "ann resolved [alert #5 x_key](https://g.example/5) (revoked)."
        );
    }

    #[test]
    fn older_alerts_name_package_and_range() {
        let alert = json!({"affected_range": "< 2", "affected_package_name": "left-pad", "fixed_in": "2",
            "external_identifier": "CVE-1", "external_reference": "https://nvd.example/1"});
        assert_eq!(
            said("create", "repository_vulnerability_alert", alert),
            "GitHub reported the vulnerability [CVE-1](https://nvd.example/1) in `left-pad` < 2; `2` fixes it."
                .replace("< 2", "&#60; 2")
        );
    }
}
