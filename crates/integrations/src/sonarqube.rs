//! SonarQube: analyses and their quality gates.

use crate::text::{bold, code, escape, link};
use crate::{Call, Integration, Message, Node, Outcome, Proof};

pub(crate) static SONARQUBE: Integration = Integration {
    name: "sonarqube",
    display_name: "SonarQube",
    setup: "Administration > Configuration > Webhooks > Create\n\
            URL: ADDRESS\n\
            Secret: SECRET",
    events: &[],
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "x-sonar-webhook-hmac-sha256",
        prefix: "",
    }),
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let project = body.at("project");
    let name = project.first(&["name", "key"]).str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let branch = body.at("branch/name").str();
    let on = match (branch, body.at("branch/type").str()) {
        ("", _) => String::new(),
        (number, "PULL_REQUEST") => format!(
            " for {}",
            link(
                &format!("pull request {number}"),
                body.at("branch/url").str()
            )
        ),
        (branch, _) => format!(" on {}", code(branch)),
    };
    let project = link(name, project.at("url").str());
    let gate = body.at("qualityGate");
    let said = match (body.at("status").str(), gate.at("status").str()) {
        ("SUCCESS" | "", "OK") => format!("{project}{on} **passed** the quality gate"),
        ("SUCCESS" | "", "ERROR") => format!("{project}{on} **failed** the quality gate"),
        ("SUCCESS" | "", "WARN") => {
            format!("{project}{on} passed the quality gate with **warnings**")
        }
        ("SUCCESS", "") => format!("{project}{on} was **analysed**"),
        ("SUCCESS" | "", status) => {
            format!("The quality gate of {project}{on} is {}", bold(status))
        }
        ("FAILED", _) => format!("The analysis of {project}{on} **failed**"),
        ("CANCELLED", _) => format!("The analysis of {project}{on} was **cancelled**"),
        (status, _) => format!("The analysis of {project}{on} is {}", bold(status)),
    };
    let gate_name = match gate.at("name").str() {
        "" => String::new(),
        name => format!(" ({})", escape(name)),
    };
    let conditions = gate.at("conditions").list();
    let failed = conditions.filter(|one| matches!(one.at("status").str(), "ERROR" | "WARN"));
    let failed: Vec<String> = failed.take(20).map(condition).collect();
    let end = if failed.is_empty() { "." } else { ":" };
    let topic = if branch.is_empty() {
        name.to_owned()
    } else {
        format!("{name} / {branch}")
    };
    let said = format!("{said}{gate_name}{end}");
    Message::new("", topic, [&*said, &*failed.join("\n")]).into()
}

fn condition(condition: Node<'_>) -> String {
    let metric = condition.at("metric").str();
    let shown = |key: &str| {
        let value = condition.at(key).text();
        match (metric.ends_with("_rating"), &*value) {
            (true, "1") => "A".to_owned(),
            (true, "2") => "B".to_owned(),
            (true, "3") => "C".to_owned(),
            (true, "4") => "D".to_owned(),
            (true, "5") => "E".to_owned(),
            _ => value,
        }
    };
    let limit = match condition.at("operator").str() {
        "LESS_THAN" => "at least",
        "GREATER_THAN" => "at most",
        _ => "expected:",
    };
    format!(
        "* {}: {}, {limit} {}",
        escape(&metric.replace('_', " ")),
        bold(&shown("value")),
        escape(&shown("errorThreshold"))
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SONARQUBE;
    use crate::testing::message;

    #[test]
    fn gates_name_what_failed() {
        let mut body = json!({"status": "SUCCESS", "project": {"name": "shop", "url": "https://sonar.example.org/shop"},
            "branch": {"name": "a_b", "type": "BRANCH"}, "qualityGate": {"name": "Sonar way", "status": "ERROR",
                "conditions": [{"metric": "coverage", "operator": "LESS_THAN", "value": "12.5", "status": "ERROR", "errorThreshold": "80"},
                    {"metric": "new_security_rating", "operator": "GREATER_THAN", "value": "3", "status": "ERROR", "errorThreshold": "1"},
                    {"metric": "bugs", "status": "OK", "value": "0"}]}});
        let said = message(&SONARQUBE, &[], &body);
        assert_eq!(said.topic, "shop / a_b");
        assert_eq!(
            said.content,
            "[shop](https://sonar.example.org/shop) on `a_b` **failed** the quality gate (Sonar way):\n\
             * coverage: **12.5**, at least 80\n* new security rating: **C**, at most A"
        );
        body["qualityGate"] = json!({"status": "OK"});
        body["branch"] =
            json!({"name": "7", "type": "PULL_REQUEST", "url": "https://sonar.example.org/7"});
        let said = message(&SONARQUBE, &[], &body);
        assert_eq!(
            said.content,
            "[shop](https://sonar.example.org/shop) for [pull request 7](https://sonar.example.org/7) \
             **passed** the quality gate."
        );
        let body = json!({"status": "FAILED", "project": {"name": "shop"}});
        assert_eq!(
            message(&SONARQUBE, &[], &body).content,
            "The analysis of shop **failed**."
        );
    }
}
