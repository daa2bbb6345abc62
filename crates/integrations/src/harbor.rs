//! Harbor: artifacts, scans, replication, quotas and tag retention, in the default format and as CloudEvents.

use crate::message::event;
use crate::text::{bold, code, count, escape, joined};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static HARBOR: Integration = Integration {
    name: "harbor",
    display_name: "Harbor",
    setup: "Projects > Webhooks > New webhook\n\
            Notify type: http\n\
            Payload format: Default\n\
            Endpoint URL: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "DELETE_ARTIFACT",
    "DELETE_CHART",
    "DOWNLOAD_CHART",
    "PULL_ARTIFACT",
    "PUSH_ARTIFACT",
    "QUOTA_EXCEED",
    "QUOTA_WARNING",
    "REPLICATION",
    "SCANNING_COMPLETED",
    "SCANNING_FAILED",
    "SCANNING_STOPPED",
    "TAG_RETENTION",
    "UPLOAD_CHART",
];
/// Names of CloudEvents.
const CLOUD_EVENTS: &[(&str, &str)] = &[
    ("harbor.artifact.deleted", "DELETE_ARTIFACT"),
    ("harbor.artifact.pulled", "PULL_ARTIFACT"),
    ("harbor.artifact.pushed", "PUSH_ARTIFACT"),
    ("harbor.quota.exceeded", "QUOTA_EXCEED"),
    ("harbor.quota.warned", "QUOTA_WARNING"),
    ("harbor.replication.status.changed", "REPLICATION"),
    ("harbor.scan.completed", "SCANNING_COMPLETED"),
    ("harbor.scan.failed", "SCANNING_FAILED"),
    ("harbor.scan.stopped", "SCANNING_STOPPED"),
    ("harbor.tag_retention.finished", "TAG_RETENTION"),
];
/// Most artifacts that a message lists.
const ARTIFACTS: usize = 20;

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let kind = body.at("type").str();
    let cloud = CLOUD_EVENTS.iter().find(|(name, _)| *name == kind);
    let kind = cloud.map_or(kind, |(_, name)| *name);
    let data = body.first(&["event_data", "data"]);
    if kind.is_empty() || !data.exists() {
        return Outcome::Unknown;
    }
    let by = body.first(&["operator", "data/operator"]).str();
    let who = if by.is_empty() {
        "Someone".to_owned()
    } else {
        escape(by)
    };
    let by = if by.is_empty() || by == "auto" {
        String::new()
    } else {
        format!(" by {}", escape(by))
    };
    let said = match kind {
        "PUSH_ARTIFACT" => format!("{who} **pushed** {}.", artifacts(data)),
        "PULL_ARTIFACT" => format!("{who} **pulled** {}.", artifacts(data)),
        "DELETE_ARTIFACT" => format!("{who} **deleted** {}.", artifacts(data)),
        "UPLOAD_CHART" => format!("{who} **uploaded the chart** {}.", artifacts(data)),
        "DOWNLOAD_CHART" => format!("{who} **downloaded the chart** {}.", artifacts(data)),
        "DELETE_CHART" => format!("{who} **deleted the chart** {}.", artifacts(data)),
        "SCANNING_COMPLETED" => joined(data.at("resources").list().take(ARTIFACTS).map(scan), "\n"),
        "SCANNING_FAILED" => format!("The scan of {} **failed**.", artifacts(data)),
        "SCANNING_STOPPED" => format!("The scan of {} was **stopped**.", artifacts(data)),
        "QUOTA_EXCEED" => format!("The push of {} **exceeds the quota**.", artifacts(data)),
        "QUOTA_WARNING" => format!(
            "After the push of {}, the **quota is almost used up**.",
            artifacts(data)
        ),
        "REPLICATION" => replication(data.at("replication"), &by),
        "TAG_RETENTION" => retention(data.at("retention"), &by),
        other => format!("{} of {}{by}.", bold(other), artifacts(data)),
    };
    let details = data.at("custom_attributes/Details").str();
    let topic = data.first(&[
        "repository/repo_full_name",
        "repository/name",
        "replication/dest_resource/namespace",
        "retention/project_name",
    ]);
    let topic = if topic.str().is_empty() {
        "Harbor"
    } else {
        topic.str()
    };
    Message::new(event(EVENTS, kind), topic, [&*said, &*escape(details)]).into()
}

/// The artifacts as they are pulled, with the digest where there is no tag.
fn artifacts(data: Node<'_>) -> String {
    let all = data.at("resources").list();
    let more = all.len().saturating_sub(ARTIFACTS);
    let names = joined(all.take(ARTIFACTS).map(artifact), ", ");
    let name = data
        .first(&["repository/repo_full_name", "repository/name"])
        .str();
    match (names.is_empty(), more) {
        (true, _) => code(name),
        (false, 0) => names,
        (false, more) => format!("{names} and {more} more"),
    }
}

fn artifact(resource: Node<'_>) -> String {
    code(resource.first(&["resource_url", "tag", "digest"]).str())
}

fn scan(resource: Node<'_>) -> String {
    let name = artifact(resource);
    let reports = resource.at("scan_overview").fields().map(|(_, report)| {
        let scanner = match report.at("scanner/name").str() {
            "" => String::new(),
            scanner => format!(" by {}", escape(scanner)),
        };
        let total = report
            .at("summary/total")
            .number()
            .and_then(|total| usize::try_from(total).ok());
        let found = match total {
            None => format!("severity {}", bold(report.at("severity").str())),
            Some(0) => "**no vulnerabilities**".to_owned(),
            Some(total) => {
                let noun = if total == 1 {
                    "vulnerability"
                } else {
                    "vulnerabilities"
                };
                let levels = report.at("summary/summary").fields();
                let levels =
                    levels.map(|(level, number)| escape(&format!("{} {level}", number.text())));
                let fixable = format!(
                    "{} fixable",
                    report.at("summary/fixable").number().unwrap_or_default()
                );
                let severity = bold(report.at("severity").str());
                format!(
                    "severity {severity}, {total} {noun} ({})",
                    joined(levels.chain([fixable]), ", ")
                )
            }
        };
        format!("The scan of {name}{scanner} found {found}.")
    });
    match joined(reports, "\n") {
        said if said.is_empty() => format!("The scan of {name} is **complete**."),
        said => said,
    }
}

fn replication(replication: Node<'_>, by: &str) -> String {
    let count_of = |key: &str| replication.at(key).list().len();
    let resource = |path: &str| {
        let parts = ["registry_name", "endpoint", "namespace"];
        let parts = parts
            .map(|key| replication.at(path).at(key).str())
            .into_iter();
        code(
            &parts
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("/"),
        )
    };
    let policy = replication
        .first(&["policy_creator", "artifact_type"])
        .str();
    let name = if policy.is_empty() {
        String::new()
    } else {
        format!(" ({})", escape(policy))
    };
    let done = format!(
        "{}, {} failed",
        count(count_of("successful_artifact"), "artifact"),
        count_of("failed_artifact")
    );
    format!(
        "Replication{name} from {} to {}{by}: {} ({done}).",
        resource("src_resource"),
        resource("dest_resource"),
        bold(replication.at("job_status").str()),
    )
}

fn retention(retention: Node<'_>, by: &str) -> String {
    format!(
        "Tag retention in {}{by}: {}, {} retained of {}.",
        bold(retention.at("project_name").str()),
        bold(retention.first(&["result", "status"]).str()),
        escape(&retention.at("retained").text()),
        escape(&retention.at("total").text()),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::HARBOR;
    use crate::testing::message;

    #[test]
    fn artifacts_are_pushed_and_deleted() {
        let mut body = json!({"type": "PUSH_ARTIFACT", "operator": "ann *x*", "event_data": {
            "resources": [{"digest": "sha256:1", "tag": "v1", "resource_url": "harbor.example.org/a/test_b:v1"}],
            "repository": {"name": "test_b", "repo_full_name": "a/test_b"}}});
        let said = message(&HARBOR, &[], &body);
        assert_eq!((said.event, &*said.topic), ("PUSH_ARTIFACT", "a/test_b"));
        assert_eq!(
            said.content,
            "ann &#42;x&#42; **pushed** `harbor.example.org/a/test_b:v1`."
        );
        body["type"] = json!("QUOTA_EXCEED");
        body["event_data"]["custom_attributes"] = json!({"Details": "adding 1 GiB exceeds 2 GiB"});
        let said = message(&HARBOR, &[], &body);
        assert_eq!(
            said.content,
            "The push of `harbor.example.org/a/test_b:v1` **exceeds the quota**.\nadding 1 GiB exceeds 2 GiB"
        );
        let body = json!({"specversion": "1.0", "type": "harbor.artifact.deleted", "operator": "ann",
            "data": {"resources": [], "repository": {"name": "c"}}});
        let said = message(&HARBOR, &[], &body);
        assert_eq!(
            (said.event, &*said.content),
            ("DELETE_ARTIFACT", "ann **deleted** `c`.")
        );
    }

    #[test]
    fn scans_say_what_they_found() {
        let body = json!({"type": "SCANNING_COMPLETED", "operator": "auto", "event_data": {
            "repository": {"repo_full_name": "a/b"}, "resources": [{"resource_url": "h/a/b:1", "scan_overview":
                {"x": {"severity": "High", "scanner": {"name": "Trivy"},
                    "summary": {"total": 5, "fixable": 2, "summary": {"High": 4, "Low": 1}}}}}]}});
        let said = message(&HARBOR, &[], &body);
        assert_eq!(
            said.content,
            "The scan of `h/a/b:1` by Trivy found severity **High**, 5 vulnerabilities (4 High, 1 Low, 2 fixable)."
        );
    }

    #[test]
    fn replication_and_retention() {
        let body = json!({"type": "REPLICATION", "operator": "ann", "event_data": {"replication": {"job_status": "Success",
            "policy_creator": "bob", "src_resource": {"registry_name": "hub", "namespace": "a"},
            "dest_resource": {"endpoint": "h.example.org", "namespace": "b"}, "successful_artifact": [{}]}}});
        let said = message(&HARBOR, &[], &body);
        assert_eq!(said.topic, "b");
        assert_eq!(
            said.content,
            "Replication (bob) from `hub/a` to `h.example.org/b` by ann: **Success** (1 artifact, 0 failed)."
        );
        let body = json!({"type": "TAG_RETENTION", "operator": "ann", "event_data": {"retention":
            {"project_name": "shop", "result": "SUCCESS", "total": 3, "retained": 2}}});
        let said = message(&HARBOR, &[], &body);
        assert_eq!(
            said.content,
            "Tag retention in **shop** by ann: **SUCCESS**, 2 retained of 3."
        );
    }
}
