//! Gitea: releases, wikis, packages, repositories, statuses and workflows.

use crate::forge::{Event, Hook, on_branch, short, verdict};
use crate::text::{escape, link};
use crate::{Node, Outcome};

/// The repository, linked.
fn this(hook: &Hook<'_>) -> String {
    link(
        hook.body
            .first(&["repository/full_name", "repository/name"])
            .str(),
        hook.str("repository/html_url"),
    )
}

pub(super) fn release(hook: &Hook<'_>) -> Outcome {
    let release = hook.at("release");
    let (tag, name) = (release.at("tag_name").str(), release.at("name").str());
    let named = if name.is_empty() || name == tag {
        tag.to_owned()
    } else {
        format!("{tag} {name}")
    };
    let page = hook.page(&format!("releases/tag/{tag}"));
    let url = release.at("html_url").str();
    let kind = match (
        release.at("draft").is_true(),
        release.at("prerelease").is_true(),
    ) {
        (true, _) => "draft release",
        (_, true) => "pre-release",
        _ => "release",
    };
    let it = link(&named, if url.is_empty() { &page } else { url });
    let quoted = match hook.action() {
        "deleted" => "",
        // Gogs calls the text `body` as well, Gitea's first versions `note`.
        _ => release.first(&["body", "note"]).str(),
    };
    hook.did(
        &format!("release {tag}"),
        &format!("{} the {kind} {it}", hook.action_words()),
        quoted,
    )
}

pub(super) fn fork(hook: &Hook<'_>, is_gogs: bool) -> Outcome {
    let (repository, forkee) = (hook.at("repository"), hook.at("forkee"));
    let (origin, new) = if is_gogs {
        (repository, forkee)
    } else {
        (forkee, repository)
    };
    let named = |one: Node<'_>| link(one.at("full_name").str(), one.at("html_url").str());
    let event = Event {
        place: origin.at("name").str(),
        ..hook.event
    };
    let sentence = format!("{} forked {} to {}", event.who(), named(origin), named(new));
    event.said("forks", &sentence, "").into()
}

pub(super) fn wiki(hook: &Hook<'_>) -> Outcome {
    let name = hook.str("page");
    let page = link(name, &hook.page(&format!("wiki/{name}")));
    hook.did(
        "wiki",
        &format!("{} the wiki page {page}", hook.action_words()),
        hook.str("comment"),
    )
}

pub(super) fn package(hook: &Hook<'_>) -> Outcome {
    let package = hook.at("package");
    let name = package.at("name").str();
    let named = format!("{name} {}", package.at("version").str());
    let kind = match package.at("type").str() {
        "" => String::new(),
        kind => format!(" ({})", escape(kind)),
    };
    let it = link(named.trim(), package.at("html_url").str());
    hook.did(
        &format!("package {name}"),
        &format!("{} the package {it}{kind}", hook.action_words()),
        "",
    )
}

pub(super) fn repository(hook: &Hook<'_>) -> Outcome {
    hook.did(
        "",
        &format!("{} the repository {}", hook.action_words(), this(hook)),
        "",
    )
}

/// The message about something that ran for a commit of a branch.
fn ended(
    hook: &Hook<'_>,
    what: &str,
    conclusion: &str,
    branch: &str,
    id: &str,
    quoted: &str,
) -> Outcome {
    let Some(on) = on_branch(hook.option, branch) else {
        return Outcome::Ignored;
    };
    let commit = match link(&short(id), &hook.page(&format!("commit/{id}"))) {
        link if link.is_empty() => link,
        link => format!(" ({link})"),
    };
    let about = if branch.is_empty() {
        format!("commit {}", short(id))
    } else {
        branch.to_owned()
    };
    hook.said(
        &about,
        &format!("{what} {}{on}{commit}", verdict(conclusion)),
        quoted,
    )
}

pub(super) fn status(hook: &Hook<'_>) -> Outcome {
    match hook.str("state") {
        "pending" | "skipped" => Outcome::Ignored,
        state => {
            let name = link(hook.str("context"), hook.str("target_url"));
            let branch = hook.str("branches/0/name");
            ended(
                hook,
                &format!("Status {name}"),
                state,
                branch,
                hook.str("sha"),
                hook.str("description"),
            )
        }
    }
}

/// Whether a workflow or job has ended, but was not skipped.
fn has_ended(hook: &Hook<'_>, run: Node<'_>) -> bool {
    hook.action() == "completed" && run.at("conclusion").str() != "skipped"
}

pub(super) fn workflow_run(hook: &Hook<'_>) -> Outcome {
    let run = hook.at("workflow_run");
    if !has_ended(hook, run) {
        return Outcome::Ignored;
    }
    let name = run.first(&["name", "path"]).str();
    let name = name.split('@').next().unwrap_or_default();
    let named = format!("{name} #{}", run.at("run_number").text());
    let what = format!("Workflow {}", link(named.trim(), run.at("html_url").str()));
    let (branch, id) = (run.at("head_branch").str(), run.at("head_sha").str());
    ended(
        hook,
        &what,
        run.at("conclusion").str(),
        branch,
        id,
        run.at("display_title").str(),
    )
}

pub(super) fn workflow_job(hook: &Hook<'_>) -> Outcome {
    let job = hook.at("workflow_job");
    if !has_ended(hook, job) {
        return Outcome::Ignored;
    }
    let what = format!(
        "Job {}",
        link(job.at("name").str(), job.at("html_url").str())
    );
    let (branch, id) = (job.at("head_branch").str(), job.at("head_sha").str());
    ended(hook, &what, job.at("conclusion").str(), branch, id, "")
}

/// A workflow of Forgejo.
pub(super) fn action_run(hook: &Hook<'_>) -> Outcome {
    let run = hook.at("run");
    let number = run.first(&["index_in_repo", "id"]).text();
    let name = run.at("workflow_id").str();
    let name = if name.is_empty() { "Workflow" } else { name };
    let what = link(&format!("{name} #{number}"), run.at("html_url").str());
    let conclusion = match hook.action() {
        "recover" => "success",
        action => action,
    };
    // The body is not that of a repository's event in all versions.
    let repository = run.at("repository/name").str();
    let place = if hook.event.place.is_empty() {
        repository
    } else {
        hook.event.place
    };
    let who = run
        .first(&["trigger_user/login", "trigger_user/username"])
        .str();
    let event = Event {
        place,
        who,
        ..hook.event
    };
    let hook = Hook { event, ..*hook };
    let (branch, id) = (run.at("prettyref").str(), run.at("commit_sha").str());
    ended(
        &hook,
        &format!("Workflow {what}"),
        conclusion,
        branch,
        id,
        run.at("title").str(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Outcome;
    use crate::gitea::GITEA;
    use crate::testing::{message, outcome};

    fn body(more: Value) -> Value {
        let mut body = json!({"sender": {"login": "ann"},
            "repository": {"name": "shop", "full_name": "org/shop", "html_url": "https://g.example/shop"}});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    }

    #[test]
    fn things_of_a_repository() {
        for (more, event, topic, content) in [
            (
                json!({"action": "published", "release": {"tag_name": "v1", "name": "First", "body": "New"}}),
                "release",
                "shop / release v1",
                "ann published the release [v1 First](https://g.example/shop/releases/tag/v1):\n```quote\nNew\n```",
            ),
            (
                json!({"forkee": {"full_name": "up/shop", "name": "shop", "html_url": "https://g.example/up"}}),
                "fork",
                "shop / forks",
                "ann forked [up/shop](https://g.example/up) to [org/shop](https://g.example/shop).",
            ),
            (
                json!({"action": "edited", "page": "Home", "comment": "Typo"}),
                "wiki",
                "shop / wiki",
                "ann edited the wiki page [Home](https://g.example/shop/wiki/Home):\n```quote\nTypo\n```",
            ),
            (
                json!({"action": "created", "package": {"name": "cart", "version": "1.2", "type": "npm", "html_url": "https://g.example/p"}}),
                "package",
                "shop / package cart",
                "ann created the package [cart 1.2](https://g.example/p) (npm).",
            ),
            (
                json!({"action": "deleted"}),
                "repository",
                "shop",
                "ann deleted the repository [org/shop](https://g.example/shop).",
            ),
        ] {
            let said = message(&GITEA, &[], &body(more));
            assert_eq!(
                (said.event, &*said.topic, &*said.content),
                (event, topic, content)
            );
        }
    }

    #[test]
    fn workflows_say_how_they_ended() {
        let run = json!({"name": "ci.yml", "run_number": 4, "conclusion": "failure", "head_branch": "main", "head_sha": "0123456789",
            "html_url": "https://g.example/r", "display_title": "Fix"});
        let said = message(
            &GITEA,
            &[],
            &body(json!({"action": "completed", "workflow_run": run})),
        );
        assert_eq!(said.topic, "shop / main");
        assert_eq!(
            said.content,
            "Workflow [ci.yml #4](https://g.example/r) **failed** on `main` \
             ([0123456](https://g.example/shop/commit/0123456789)):\n```quote\nFix\n```"
        );
        let requested = body(json!({"action": "requested", "workflow_run": run}));
        assert_eq!(outcome(&GITEA, &[], &requested), Outcome::Ignored);
        let status = json!({"sha": "0123456789", "state": "success", "context": "ci", "target_url": "https://ci.example"});
        assert_eq!(
            message(&GITEA, &[], &body(status)).content,
            "Status [ci](https://ci.example) **passed** ([0123456](https://g.example/shop/commit/0123456789))."
        );
    }
}
