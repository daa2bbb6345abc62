//! OpenProject: work packages and their comments, projects, logged time and attachments.
//!
//! Calls have no address of the server, so links need the option `base_url`. Updates neither say what changed nor who
//! changed it. OpenProject signs with HMAC-SHA1 (`x-op-signature`), which is not checked.

use crate::changes::capitalized;
use crate::text::{bold, escape, linked, quote};
use crate::{Call, Integration, Message, Node, Outcome, UrlOption};

pub(crate) static OPENPROJECT: Integration = Integration {
    name: "openproject",
    display_name: "OpenProject",
    setup: "Administration > API and webhooks > Webhooks > Create\n\
            Payload URL: ADDRESS",
    events: &[
        "attachment:created",
        "project:created",
        "project:updated",
        "time_entry:created",
        "work_package:created",
        "work_package:updated",
        "work_package_comment:comment",
        "work_package_comment:internal_comment",
    ],
    url_options: &[UrlOption {
        key: "base_url",
        label: "Address of OpenProject, for links",
        input: "text",
    }],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let base = (call.option)("base_url").unwrap_or_default();
    let base = base.trim_end_matches('/');
    match body.at("action").str() {
        "work_package:created" => package(body.at("work_package"), base, "work_package:created"),
        "work_package:updated" => package(body.at("work_package"), base, "work_package:updated"),
        "work_package_comment:comment" => comment(body, base, "work_package_comment:comment"),
        "work_package_comment:internal_comment" => {
            comment(body, base, "work_package_comment:internal_comment")
        }
        "project:created" => project(body.at("project"), base, "project:created"),
        "project:updated" => project(body.at("project"), base, "project:updated"),
        "time_entry:created" => time_entry(body.at("time_entry"), base),
        "attachment:created" => attachment(body.at("attachment"), base),
        _ => Outcome::Unknown,
    }
}

/// The name of a thing that another one refers to.
fn reference<'a>(node: Node<'a>, name: &str) -> &'a str {
    let embedded = node.at("_embedded").at(name);
    let linked = node.at("_links").at(name).at("title").str();
    match embedded.first(&["name", "subject", "title"]).str() {
        "" => linked,
        name => name,
    }
}

/// The number of a thing that another one refers to, from the end of its address.
fn number(node: Node<'_>, name: &str) -> String {
    let embedded = node.at("_embedded").at(name).at("id").text();
    let address = node.at("_links").at(name).at("href").str();
    if embedded.is_empty() {
        address.rsplit('/').next().unwrap_or_default().to_owned()
    } else {
        embedded
    }
}

fn package_link(number: &str, subject: &str, base: &str) -> String {
    let url = format!("{base}/work_packages/{number}");
    linked(&format!("#{} {}", escape(number), escape(subject)), &url)
}

fn topic(project: &str, rest: &str) -> String {
    if project.is_empty() {
        rest.to_owned()
    } else {
        format!("{project} / {rest}")
    }
}

fn package(package: Node<'_>, base: &str, event: &'static str) -> Outcome {
    let (id, subject) = (package.at("id").text(), package.at("subject").str());
    if id.is_empty() {
        return Outcome::Unknown;
    }
    let kind = match reference(package, "type") {
        "" => "work package".to_owned(),
        kind => escape(kind),
    };
    let name = format!("{kind} {}", package_link(&id, subject, base));
    let author = reference(package, "author");
    let is_new = event == "work_package:created";
    let said = if is_new && !author.is_empty() {
        format!("{} created {name}.", escape(author))
    } else {
        let done = if is_new { "created" } else { "updated" };
        format!("{} was {done}.", capitalized(&name))
    };
    let of =
        |label: &str, value: &str| (!value.is_empty()).then(|| format!("{label}: {}", bold(value)));
    let percentage = package.at("percentageDone").number();
    let progress = percentage.map_or_else(String::new, |done| format!("{done} %"));
    let details = [
        of("status", reference(package, "status")),
        of("priority", reference(package, "priority")),
        of("assignee", reference(package, "assignee")),
        of("version", reference(package, "version")),
        of("start", package.at("startDate").str()),
        of("due", package.first(&["dueDate", "date"]).str()),
        of("progress", &progress),
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    let details = capitalized(&details.join(", "));
    // An update would repeat it.
    let text = if is_new {
        quote(package.at("description/raw").str())
    } else {
        String::new()
    };
    let topic = topic(reference(package, "project"), &format!("#{id} {subject}"));
    Message::new(event, topic, [&*said, &*details, &*text]).into()
}

fn comment(body: Node<'_>, base: &str, event: &'static str) -> Outcome {
    let activity = body.first(&["activity", "work_package_comment", "comment"]);
    let (id, subject) = (
        number(activity, "workPackage"),
        reference(activity, "workPackage"),
    );
    let text = quote(activity.first(&["comment/raw", "raw"]).str());
    if id.is_empty() || text.is_empty() {
        return Outcome::Unknown;
    }
    let who = match reference(activity, "user") {
        "" => "An unnamed person".to_owned(),
        name => escape(name),
    };
    let is_internal = event.ends_with("internal_comment");
    let how = if is_internal {
        "commented internally"
    } else {
        "commented"
    };
    let said = format!("{who} {how} on {}:", package_link(&id, subject, base));
    let project = activity.at("_embedded/workPackage");
    let topic = topic(reference(project, "project"), &format!("#{id} {subject}"));
    Message::new(event, topic, [&*said, &*text]).into()
}

fn project(project: Node<'_>, base: &str, event: &'static str) -> Outcome {
    let name = project.at("name").str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let url = format!("{base}/projects/{}", project.at("id").text());
    let done = if event == "project:created" {
        "created"
    } else {
        "updated"
    };
    let parent = match reference(project, "parent") {
        "" => String::new(),
        parent => format!(" in project {}", bold(parent)),
    };
    let said = format!(
        "Project {}{parent} was {done}.",
        linked(&escape(name), &url)
    );
    let text = quote(project.at("description/raw").str());
    Message::new(event, name, [&*said, &*text]).into()
}

fn time_entry(entry: Node<'_>, base: &str) -> Outcome {
    let hours = duration(entry.at("hours").str());
    let (id, subject) = (
        number(entry, "workPackage"),
        reference(entry, "workPackage"),
    );
    let project = reference(entry, "project");
    let Some(hours) = hours else {
        return Outcome::Unknown;
    };
    let on = if id.is_empty() {
        format!("project {}", bold(project))
    } else {
        package_link(&id, subject, base)
    };
    let who = escape(reference(entry, "user"));
    let of =
        |label: &str, value: &str| (!value.is_empty()).then(|| format!("{label}: {}", bold(value)));
    let details = [
        of("activity", reference(entry, "activity")),
        of("day", entry.at("spentOn").str()),
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    let said = format!("{who} logged **{hours}** on {on}.");
    let details = capitalized(&details.join(", "));
    let text = quote(entry.at("comment/raw").str());
    let topic = if id.is_empty() {
        project.to_owned()
    } else {
        topic(project, &format!("#{id} {subject}"))
    };
    Message::new("time_entry:created", topic, [&*said, &*details, &*text]).into()
}

/// A duration in ISO 8601, as `PT7H42M`, as people write it.
fn duration(iso: &str) -> Option<String> {
    let rest = iso.strip_prefix('P')?;
    let (mut number, mut parts) = (String::new(), Vec::new());
    for letter in rest.chars() {
        match letter {
            'T' => {}
            '0'..='9' | '.' => number.push(letter),
            unit => {
                let digits = number.trim_start_matches('0');
                if !digits.is_empty() {
                    parts.push(format!("{digits}{}", unit.to_ascii_lowercase()));
                }
                number.clear();
            }
        }
    }
    if parts.is_empty() {
        parts.push("0m".to_owned());
    }
    let is_sound = parts.iter().all(|part| part.is_ascii());
    is_sound.then(|| parts.join(" "))
}

fn attachment(file: Node<'_>, base: &str) -> Outcome {
    let name = file.at("fileName").str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let (id, subject) = (number(file, "container"), reference(file, "container"));
    let is_package = file.at("_embedded/container/_type").str() == "WorkPackage";
    let place = if is_package {
        package_link(&id, subject, base)
    } else if subject.is_empty() {
        "OpenProject".to_owned()
    } else {
        bold(subject)
    };
    let url = format!("{base}/api/v3/attachments/{}/content", file.at("id").text());
    let who = escape(reference(file, "author"));
    let said = format!("{who} attached {} to {place}.", linked(&escape(name), &url));
    let text = quote(file.at("description/raw").str());
    let topic = match (is_package, subject) {
        (true, _) => topic(
            reference(file.at("_embedded/container"), "project"),
            &format!("#{id} {subject}"),
        ),
        (_, "") => "OpenProject".to_owned(),
        (_, subject) => subject.to_owned(),
    };
    Message::new("attachment:created", topic, [&*said, &*text]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{OPENPROJECT, duration};
    use crate::testing::message;
    use crate::{Call, Outcome};

    #[test]
    fn work_packages_have_their_details() {
        let body = json!({"action": "work_package:created", "work_package": {"id": 7, "subject": "Cart *2*",
            "description": {"raw": "All @**all**"}, "dueDate": "2026-03-04", "percentageDone": 20,
            "_embedded": {"project": {"name": "Shop"}, "author": {"name": "Ann"}, "type": {"name": "Task"}},
            "_links": {"status": {"title": "New"}}}});
        let said = message(&OPENPROJECT, &[], &body);
        assert_eq!(said.topic, "Shop / #7 Cart *2*");
        let details = "Status: **New**, due: **2026-03-04**, progress: **20 %**\n```quote\nAll &#64;**all**\n```";
        assert_eq!(
            said.content,
            format!("Ann created Task #7 Cart &#42;2&#42;.\n{details}")
        );
        let linked = (OPENPROJECT.read)(&Call {
            header: &|_| None,
            body: &body,
            option: &|name| (name == "base_url").then(|| "https://op.example.org/".to_owned()),
        });
        let Outcome::Message(linked) = linked else {
            panic!("no message: {linked:?}");
        };
        assert_eq!(
            linked.content,
            format!(
                "Ann created Task [#7 Cart &#42;2&#42;](https://op.example.org/work_packages/7).\n{details}"
            )
        );
    }

    #[test]
    fn time_comments_files_and_projects() {
        for (body, topic, content) in [
            (
                json!({"action": "time_entry:created", "time_entry": {"hours": "PT07H42M", "spentOn": "2026-03-04",
                    "_links": {"workPackage": {"href": "/api/v3/work_packages/7", "title": "Cart"},
                        "project": {"title": "Shop"}, "user": {"title": "Ann"}}}}),
                "Shop / #7 Cart",
                "Ann logged **7h 42m** on #7 Cart.\nDay: **2026-03-04**",
            ),
            (
                json!({"action": "work_package_comment:comment", "activity": {"comment": {"raw": "Fine"},
                    "_links": {"workPackage": {"href": "/api/v3/work_packages/7", "title": "Cart"},
                        "user": {"title": "Ann"}}}}),
                "#7 Cart",
                "Ann commented on #7 Cart:\n```quote\nFine\n```",
            ),
            (
                json!({"action": "attachment:created", "attachment": {"fileName": "a_b.png", "_embedded": {
                    "author": {"name": "Ann"}, "container": {"_type": "WorkPackage", "id": 7, "subject": "Cart"}}}}),
                "#7 Cart",
                "Ann attached a_b.png to #7 Cart.",
            ),
            (
                json!({"action": "project:created", "project": {"id": 1, "name": "Shop",
                    "_links": {"parent": {"title": "All"}}}}),
                "Shop",
                "Project Shop in project **All** was created.",
            ),
        ] {
            let said = message(&OPENPROJECT, &[], &body);
            assert_eq!((&*said.topic, &*said.content), (topic, content));
        }
    }

    #[test]
    fn durations_are_written_for_people() {
        for (iso, written) in [
            ("PT07H42M", "7h 42m"),
            ("P1DT30M", "1d 30m"),
            ("PT0S", "0m"),
        ] {
            assert_eq!(duration(iso).as_deref(), Some(written));
        }
        assert_eq!(duration("7 hours"), None);
    }
}
